package child

import (
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
)

func execType() *flow.Type {
	return &flow.Type{
		Name: "exec",
		Doc:  "Runs a program that answers each step's inputs with its outputs; its ports are those that are connected.",
		In:   []flow.Port{{Name: "<any>", Type: flow.AnyType, Flags: flow.Required, Doc: "A member of the record the program reads."}},
		Out:  []flow.Port{{Name: "<any>", Type: flow.AnyType, Flags: flow.Required, Doc: "A member of the record the program writes."}},
		Keys: slices.Concat([]flow.Key{
			{Name: "command", Kind: flow.String, Required: true, Doc: "The program and its arguments, split at blanks; quotes hold an argument together."},
			{Name: "format", Kind: flow.String, Default: "json", Choices: []string{"json", "binary"}, Doc: "JSON objects on standard input and output, one on a line, or the binary protocol on a socket of its own."},
		}, programKeys()),
		New: func() flow.Process { return &execute{} },
	}
}

// execute runs a program in the format that the configuration names.
type execute struct {
	talker
}

// A talker exchanges data with a program.
type talker interface {
	flow.Process
	flow.Preparer
	flow.Reconfigurer
	flow.Flusher
	flow.Finalizer
	flow.Closer
}

func (e *execute) Setup(setup *flow.Setup) error {
	s := &scope{Setup: setup}
	argv, err := split(s.Value("command"))
	if err != nil {
		return s.Errorf("command", "key `command` names no program: %v", err)
	}
	p, err := newProgram(s, argv)
	if err != nil {
		return err
	}
	if s.Value("format") == "json" {
		e.talker, err = newLines(s, p)
	} else {
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
