package child

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
)

// Algorithmic makes a declared type run whose work an algorithm does: where
// the configuration says `detector:type = python`, the class
// `detector:python:class` does it, and where it says `detector:type = command`,
// the program `detector:command:command`. Either has the ports of the process.
func Algorithmic(declared *flow.Type) *flow.Type {
	i := slices.IndexFunc(declared.Keys, func(k flow.Key) bool { return k.Kind == flow.Algo })
	if i < 0 {
		return declared
	}
	t := *declared
	t.Keys = slices.Clone(t.Keys)
	name := t.Keys[i].Name
	t.Keys[i].Doc = strings.TrimSuffix(t.Keys[i].Doc, ".") + "; python takes a class of yours, command a program."
	t.New = func() flow.Process { return &algorithm{key: name} }
	t.Needs = ""
	t.Probe = func(setup *flow.Setup) error {
		s := &scope{Setup: setup, prefix: name + ":python:"}
		if strings.TrimSpace(setup.Value(name+":type")) != "python" || s.Value("class") == "" {
			return nil
		}
		return probePython(s, "")
	}
	t.Lacks = func(v flow.Values) error {
		switch kind := strings.TrimSpace(v.Value(name + ":type")); kind {
		case "python", "command":
			return nil
		default:
			return v.Errorf(name+":type", "`%s` is no algorithm of this program, which needs %s; `%s:type = python` with `%s:python:class` takes a class of yours",
				kind, declared.Needs, name, name)
		}
	}
	return &t
}

// An algorithm is a process whose work a class or program of the user does.
type algorithm struct {
	key string
	talker
}

func (a *algorithm) Setup(setup *flow.Setup) error {
	kind := strings.TrimSpace(setup.Value(a.key + ":type"))
	s := &scope{Setup: setup, prefix: a.key + ":" + kind + ":"}
	if kind == "python" {
		if s.Value("class") == "" {
			return s.Errorf("class", "key `%sclass` has no value: expected MODULE.CLASS", s.prefix)
		}
		l, err := startPython(s, request{Class: s.Value("class"), Config: s.forClass()}, "")
		a.talker = l
		return err
	}
	argv, err := Split(s.Value("command"))
	if err != nil {
		return s.Errorf("command", "key `%scommand` names no program: %v", s.prefix, err)
	}
	p, err := newProgram(s, argv)
	if err != nil {
		return err
	}
	p.printsToLog(s)
	l, err := newLink(s, p, request{Config: s.settings()})
	a.talker = l
	return err
}

func (a *algorithm) Close() error {
	if a.talker == nil {
		return nil
	}
	return a.talker.Close()
}
