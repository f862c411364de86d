package child

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func execType() *pipe.Type {
	return &pipe.Type{
		Name: "exec",
		Doc:  "Runs a program that answers each step's inputs with its outputs; it has the ports that are connected.",
		In:   []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Flags: pipe.Required, Doc: "A member of the record the program reads."}},
		Out:  []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Flags: pipe.Required, Doc: "A member of the record the program writes."}},
		Keys: slices.Concat([]pipe.Key{
			{Name: "command", Kind: pipe.String, Required: true, Runs: true, Doc: "The program and its arguments, split at blanks; quotes hold an argument together."},
			{Name: "format", Kind: pipe.String, Default: "json", Choices: []string{"json", "text", "binary"}, Doc: "json: JSON objects on standard input and output, one per line. text: the printed lines, lines of numbers at `numbers` and others at `text`. binary: the binary protocol on a separate socket."},
		}, programKeys()),
		Judge: judgeCommand,
		New:   func() pipe.Process { return &execute{} },
	}
}

// judgeCommand reports a program that cannot be found. It skips names relative to a folder, because
// the folder is known only when the pipeline runs.
func judgeCommand(v pipe.Values) error {
	argv, err := Split(v.Value("command"))
	if err != nil {
		return v.Errorf("command", "key `command` names no program: %v", err)
	}
	for _, key := range []string{"timeout", "grace"} {
		if n := v.Float(key); !(n >= 0) || n > 1e6 {
			return v.Errorf(key, "key `%s` is %v, but must be a number of seconds", key, n)
		}
	}
	name := argv[0]
	if name == self || v.Value("env:PATH") != "" || strings.ContainsRune(name, filepath.Separator) && !filepath.IsAbs(name) {
		return nil
	}
	if _, err := exec.LookPath(name); err != nil {
		return v.Warnf("command", "there is no program `%s` on this machine; another machine may have it", name)
	}
	return nil
}

// execute is a process whose work a program does, in the format that the configuration selects.
type execute struct {
	talker
}

// A talker exchanges data with a program in one format.
type talker interface {
	pipe.Process
	flow.Flusher
	flow.Finalizer
	flow.Closer
}

func (e *execute) Setup(setup *flow.Setup) error {
	s := &scope{Env: setup.Env, ports: setup}
	argv, err := Split(s.Value("command"))
	if err != nil {
		return s.Errorf("command", "key `command` names no program: %v", err)
	}
	p, err := newProgram(s, argv)
	if err != nil {
		return err
	}
	switch s.Value("format") {
	case "json":
		e.talker, err = newLines(s, p)
	case "text":
		e.talker, err = newPrinter(s, p)
	default:
		p.printsToLog(s)
		e.talker, err = newLink(s, p, request{Config: s.settings()})
	}
	if err != nil {
		return s.Errorf("command", "%w", err)
	}
	return nil
}

func (e *execute) Close() error {
	if e.talker == nil {
		return nil
	}
	return e.talker.Close()
}
