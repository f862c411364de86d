package child

import (
	"cmp"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff"
)

func pythonType() *pipe.Type {
	return &pipe.Type{
		Name: "python",
		Doc:  "Runs a Python class in a separate interpreter; it has the ports that are connected, and keys not listed here belong to the class.",
		In:   []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Flags: pipe.Required, Doc: "An input port of the class."}},
		Out:  []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Flags: pipe.Required, Doc: "An output port of the class."}},
		Keys: slices.Concat([]pipe.Key{
			{Name: "class", Kind: pipe.String, Required: true, Runs: true, Doc: "The class, MODULE.CLASS; the module is beside the pipeline's file, in `path`, or installed."},
		}, pythonKeys(), []pipe.Key{{Name: "", Kind: pipe.Any, Tunable: true, Doc: "A key of the class."}}),
		Probe: func(env *pipe.Env) error { return probePython(&scope{Env: env}, "") },
		New:   func() pipe.Process { return &python{} },
	}
}

// pythonKeys are the keys of every process whose work a Python class does.
func pythonKeys() []pipe.Key {
	return slices.Concat([]pipe.Key{
		{Name: "interpreter", Kind: pipe.String, Runs: true, Doc: "The interpreter; empty means the interpreter of `venv`, else $PENTODE_PYTHON, else python3."},
		{Name: "venv", Kind: pipe.String, Runs: true, Doc: "Folder of a virtual environment, relative to the pipeline's file."},
		{Name: "path", Kind: pipe.String, Runs: true, Doc: "Folders with modules, separated by a colon, relative to the pipeline's file."},
		{Name: "group", Kind: pipe.String, Doc: "Processes with the same group share an interpreter; each has its own thread."},
	}, programKeys())
}

// PythonType returns a type whose work a Python class does. declared has the type's name, ports,
// keys and documentation. folder is the folder of the class's module.
func PythonType(declared pipe.Type, class, folder string) *pipe.Type {
	t := declared
	for _, k := range pythonKeys() {
		if _, own := t.KeyFor(k.Name); !own {
			t.Keys = append(t.Keys, k)
		}
	}
	t.Probe = func(env *pipe.Env) error { return probePython(&scope{Env: env}, folder) }
	t.New = func() pipe.Process { return &python{class: class, folder: folder} }
	return &t
}

// A python is a process whose work a Python class does.
type python struct {
	class  string // the class; empty: the key `class` names it
	folder string
	*link
}

func (p *python) Setup(setup *flow.Setup) (err error) {
	s := &scope{Env: setup.Env, ports: setup}
	class := p.class
	if class == "" {
		class = s.Value("class")
	}
	p.link, err = startPython(s, request{Class: class, Config: s.forClass()}, p.folder)
	return err
}

// startPython starts an interpreter for a class, or uses the interpreter of its group.
func startPython(s *scope, req request, folder string) (*link, error) {
	command := interpreter(s)
	req.Search = searched(s, folder)
	prog, err := pythonProgram(s, req.Search, command, "-m", "pentode")
	if err != nil {
		return nil, err
	}
	prog.printsToLog(s)
	if name := s.Value("group"); name != "" {
		return joinGroup(s, name, command, prog, req)
	}
	l, err := newLink(s, prog, req)
	return l, explain(err, prog)
}

// searched returns the folders that Python searches first for the module of a class.
func searched(s *scope, folder string) (search []string) {
	for _, dir := range append([]string{folder, s.Folder()}, folders(s)...) {
		if abs, err := filepath.Abs(dir); dir != "" && err == nil && !slices.Contains(search, abs) {
			search = append(search, abs)
		}
	}
	return search
}

// pythonProgram prepares the start of an interpreter with these arguments.
func pythonProgram(s *scope, search []string, argv ...string) (*program, error) {
	prog, err := newProgram(s, argv)
	if err != nil {
		return nil, err
	}
	// If none of these folders has the package `pentode`, Python finds the package that came with
	// this program, whose folder is last.
	search = append(slices.Clone(search), filepath.SplitList(os.Getenv("PYTHONPATH"))...)
	if program, err := os.Executable(); err == nil {
		search = append(search, packagesBeside(program)...)
	}
	prog.cmd.Env = append(prog.cmd.Env, "PYTHONPATH="+strings.Join(search, string(os.PathListSeparator)))
	return prog, nil
}

// packagesBeside returns the folders with the package `pentode` that came with a program: in
// `python` beside the program if it was unpacked from an archive, or in lib/pentode if a system
// package installed it.
func packagesBeside(program string) []string {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	var found []string
	for _, folder := range []string{"python", filepath.Join("..", "lib", "pentode", "python")} {
		folder = filepath.Join(filepath.Dir(program), folder)
		if _, err := os.Stat(filepath.Join(folder, "pentode", "__main__.py")); err == nil {
			found = append(found, folder)
		}
	}
	return found
}

// interpreter returns the command that runs Python.
func interpreter(s *scope) string {
	if v := s.Value("interpreter"); v != "" {
		return v
	}
	if dir := s.Value("venv"); dir != "" {
		return filepath.Join(beside(s, dir), "bin", "python3")
	}
	return cmp.Or(os.Getenv("PENTODE_PYTHON"), "python3")
}

// folders returns the folders in the key path.
func folders(s *scope) []string {
	var list []string
	for _, dir := range filepath.SplitList(s.Value("path")) {
		list = append(list, beside(s, dir))
	}
	return list
}

// beside returns the path of a file whose name is relative to the file that declares the
// process.
func beside(s *scope, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	full := filepath.Join(s.Folder(), name)
	if abs, err := filepath.Abs(full); err == nil {
		return abs
	}
	return full
}

// explain replaces the error if it means that the package `pentode` is missing.
func explain(err error, p *program) error {
	if err != nil && p.errs != nil && strings.Contains(p.errs.last(), "No module named pentode") {
		return lacksPackage(p.name)
	}
	return err
}

// A group is an interpreter that several processes of a run share. The key `group` names it.
type group struct {
	*program
	command string
	control *net.UnixConn
	members int
}

// groupKey is the key under which a run's shared values keep a group.
type groupKey string

func joinGroup(s *scope, name, command string, prog *program, req request) (*link, error) {
	g := s.Shared(groupKey(name), func() any { return &group{} }).(*group)
	if g.program == nil {
		prog.cmd.Args = append(prog.cmd.Args, "--group")
		g.command = command
		g.program = prog
	}
	if g.command != command {
		return nil, s.Errorf("group", "the processes of group `%s` have different interpreters: `%s` and `%s`", name, g.command, command)
	}
	l, err := attachLink(s, g.program, g, req)
	return l, explain(err, g.program)
}

func (g *group) attach(files []*os.File) (err error) {
	g.members++
	if g.control == nil {
		conn, theirs, err := socketPair()
		if err != nil {
			return err
		}
		g.cmd.ExtraFiles = []*os.File{theirs}
		g.cmd.Env = append(g.cmd.Env, "PENTODE_FD=3")
		err = g.start()
		theirs.Close()
		if err != nil {
			conn.Close()
			return err
		}
		g.control = conn
	}
	if len(files) != 3 {
		return errors.New("this system has no memory to share with a group")
	}
	return handoff.SendFiles(g.control, []byte{1}, files...)
}

// leave does nothing, because other processes may still use the interpreter. The last process of
// the group ends it.
func (g *group) leave(pipe.Step) error { return nil }

func (g *group) close() {
	if g.members--; g.members > 0 || g.control == nil {
		return
	}
	g.control.Close()
	select {
	case <-g.ended:
	case <-time.After(g.grace):
	}
	g.program.close()
}
