package child

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// named lists the process types whose algorithms a Python module can register by name. They are the types in ROLES of the
// Python package.
var named = []string{
	"image_object_detector", "image_filter", "refine_detections", "detected_object_filter", "merge_detection_sets",
	"associate_detections_to_tracks", "initialize_object_tracks", "track_objects", "refine_tracks", "detect_motion",
	"compute_stereo_depth_map", "detect_features", "extract_descriptors", "compute_homography", "stabilize_image",
	"detected_object_input", "detected_object_output", "read_object_track", "write_object_track",
}

// Algorithmic makes a declared type runnable by giving its algorithm to a user's class or program. If the configuration has
// `detector:type = python`, the class in `detector:python:class` does the work. With `detector:type = command`, the program in
// `detector:command:command` does it. Any other name selects the algorithm that a Python module registers under this name. The
// class or program has the ports of the process.
//
// A type that already runs here keeps its own algorithms, and accepts other names in this way. Types whose data cannot be
// passed to such a class stay unchanged.
func Algorithmic(t *pipe.Type) *pipe.Type {
	i := slices.IndexFunc(t.Keys, func(k pipe.Key) bool { return k.Kind == pipe.Algo })
	if i < 0 || !slices.Contains(named, t.Name) || t.New != nil && len(t.Keys[i].Choices) == 0 {
		return t
	}
	if t.New == nil {
		return byClass(t, i)
	}
	own, theirs := *t, byClass(t, i)
	choice := t.Keys[i].Name + ":type"
	own.Keys = slices.Clone(own.Keys)
	own.Keys[i].Doc = theirs.Keys[i].Doc
	own.Narrow = func(n *pipe.Node) *pipe.Type {
		if kind := strings.TrimSpace(n.Config[choice].Value); kind != "" && !slices.Contains(t.Keys[i].Choices, kind) {
			return theirs
		}
		if t.Narrow != nil {
			return t.Narrow(n)
		}
		return nil
	}
	return &own
}

// byClass returns a type whose work a user's class or program does. The type's i-th key selects the algorithm.
func byClass(declared *pipe.Type, i int) *pipe.Type {
	t := *declared
	t.Keys = slices.Clone(t.Keys)
	name, choices := t.Keys[i].Name, t.Keys[i].Choices
	t.Keys[i].Choices = nil
	t.Keys[i].Doc = strings.TrimSuffix(t.Keys[i].Doc, ".") + "; python uses a class of yours, command a program, any other name an algorithm that a Python module registers."
	var writes []string
	for _, k := range t.Keys {
		if k.Writes {
			writes = append(writes, k.Name)
		}
	}
	t.New = func() pipe.Process { return &algorithm{key: name, typ: declared.Name, writes: writes} }
	t.Needs, t.Narrow, t.Judge, t.Tell, t.Stateless = "", nil, nil, nil, false
	t.Level = pipe.CheckValid // a class gets only values, even if upstream's type handles the end of the data itself
	if len(choices) > 0 {
		t.Judge = func(v pipe.Values) error { return doubt(v, name+":type", choices) }
	}
	t.Probe = func(env *pipe.Env) error {
		kind := strings.TrimSpace(env.Value(name + ":type"))
		s := &scope{Env: env, prefix: name + ":python:"}
		switch {
		case kind == "command" || kind == "python" && s.Value("class") == "":
			return nil
		case kind == "python":
			return probePython(s, "")
		}
		if err := probePython(s, ""); err != nil {
			return fmt.Errorf("`%s` is not an algorithm of this program, and no Python module can register it: %w", kind, err)
		}
		return probeAlgorithm(s, name, declared.Name, kind)
	}
	t.Lacks = func(v pipe.Values) error {
		if strings.TrimSpace(v.Value(name+":type")) != "" {
			return nil
		}
		return v.Errorf(name+":type", "it needs %s: set `%s:type` to an algorithm that a Python module registers, or to python, and `%[2]s:python:class` to a class of yours", declared.Needs, name)
	}
	return &t
}

// doubt returns a warning if this program has no algorithm of this name, and either the name looks misspelt or no Python module
// is named that could register it. Only a run finds out whether a module does register it.
func doubt(v pipe.Values, key string, choices []string) error {
	kind := strings.TrimSpace(v.Value(key))
	near, slip := problem.Nearest(kind, choices)
	switch {
	case ours(kind):
		return nil
	case slip:
		return v.Warnf(key, "`%s` is not one of %s, so a Python module must register it; did you mean `%s`?", kind, strings.Join(choices, ", "), near)
	case os.Getenv(modulesVariable) == "":
		return v.Warnf(key, "`%s` is not one of %s, so an installed Python package must register it: %s names no module", kind, strings.Join(choices, ", "), modulesVariable)
	}
	return nil
}

// modulesVariable is the environment variable that lists the Python modules with process types and algorithms.
const modulesVariable = "SPROKIT_PYTHON_MODULES"

// ours reports whether the name selects a class or program of the user, which this package runs.
func ours(kind string) bool { return kind == "python" || kind == "command" }

// algorithmKey is the key under which a plan's shared values keep an interpreter's answer about an algorithm.
type algorithmKey struct{ probeKey, typ, kind string }

// probeAlgorithm asks the interpreter whether a Python module registers an algorithm, and returns an error or warning if not.
func probeAlgorithm(s *scope, key, typ, kind string) error {
	command := interpreter(s)
	prog, err := pythonProgram(s, searched(s, ""), command, "-m", "pentode", "--algorithm", typ, kind)
	if err != nil {
		return nil // starting the program reports this error, with its place in the file
	}
	shared := algorithmKey{strings.Join(append([]string{command, prog.cmd.Dir}, prog.cmd.Env...), "\x00"), typ, kind}
	asked := s.Shared(shared, func() any { return askAlgorithm(s.Context(), prog.cmd) }).(asked)
	if asked.unknown != "" {
		return s.Values().Warnf(key+":type", "it is not known before the run whether a Python module registers `%s`: %s", kind, asked.unknown)
	}
	why := asked.lacks
	if why == "" {
		return nil
	}
	return s.Env.Errorf(key+":type", "`%s` is not an algorithm of this program, and %s; modules come from %s and from installed packages", kind, why, modulesVariable)
}

// asked is an interpreter's answer about an algorithm. lacks is the reason why it does not have it; unknown is the reason why
// there is no answer. If both are empty, it has the algorithm.
type asked struct{ lacks, unknown string }

// askAlgorithm runs the interpreter to ask about an algorithm.
func askAlgorithm(ctx context.Context, as *exec.Cmd) asked {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, as.Args[0], as.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = as.Dir, as.Env, time.Second
	ownGroup(cmd)
	out, err := cmd.Output()
	switch why, lacks := strings.CutPrefix(string(out), "lacks "); {
	case ctx.Err() != nil:
		return asked{unknown: fmt.Sprintf("the interpreter `%s` did not answer within %v", as.Args[0], probeTime)}
	case err != nil:
		return asked{unknown: fmt.Sprintf("the interpreter `%s` failed when queried (%v)", as.Args[0], err)}
	case lacks:
		return asked{lacks: why}
	}
	return asked{}
}

// An algorithm is a process whose work a user's class or program does.
type algorithm struct {
	key, typ string
	writes   []string // keys of the type that name a file to write
	talker
}

func (a *algorithm) Setup(setup *flow.Setup) error {
	kind := strings.TrimSpace(setup.Value(a.key + ":type"))
	s := &scope{Env: setup.Env, ports: setup, prefix: a.key + ":" + kind + ":"}
	switch kind {
	case "python":
		if s.Value("class") == "" {
			return s.Errorf("class", "key `%sclass` has no value: expected MODULE.CLASS", s.prefix)
		}
		return a.start(startPython(s, request{Class: s.Value("class"), Config: s.forClass()}, ""))
	case "command":
		argv, err := Split(s.Value("command"))
		if err != nil {
			return s.Errorf("command", "key `%scommand` names no program: %v", s.prefix, err)
		}
		p, err := newProgram(s, argv)
		if err != nil {
			return err
		}
		p.printsToLog(s)
		return a.start(newLink(s, p, request{Config: s.settings()}))
	}
	// Keys in the block `python` configure the interpreter, as for a class. The algorithm gets all other keys.
	s.prefix = a.key + ":python:"
	config := (&scope{Env: setup.Env, ports: setup}).settings()
	for _, k := range a.writes { // the class itself writes these files
		if config[k] == "" {
			continue
		}
		path, err := setup.Results().Path(config[k])
		if err == nil {
			config[k], err = filepath.Abs(path)
		}
		if err != nil {
			return setup.Errorf(k, "%w", err)
		}
	}
	return a.start(startPython(s, request{Type: a.typ, Algorithm: kind, Config: config}, ""))
}

func (a *algorithm) start(l *link, err error) error {
	a.talker = l
	return err
}

func (a *algorithm) Close() error {
	if a.talker == nil {
		return nil
	}
	return a.talker.Close()
}
