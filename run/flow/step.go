package flow

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/handoff"
)

// A Step is what a process sees of the engine while it works.
type Step struct{ p *proc }

// Number counts the steps from 1.
func (s *Step) Number() uint64 { return s.p.steps }

// Complete ends the process after this step: Finalize runs, and its consumers
// get the end.
func (s *Step) Complete() { s.p.ending = true }

// Context ends when the process must stop waiting for something outside the
// pipeline.
func (s *Step) Context() context.Context { return s.p.ctx }

// Reads says that the process reads a file, as Setup.Reads does.
func (s *Step) Reads(path string) { s.p.run.opt.Seal.Reads(path) }

// Log is where the process writes what people should see.
func (s *Step) Log() *slog.Logger { return s.p.log }

// Await calls f, which waits for something outside the pipeline, without
// keeping other processes from running. f must return when the context ends.
func (s *Step) Await(f func(context.Context)) { s.p.await(f, false) }

// AwaitProgram does the same where f waits for a program that does the work of
// the step: the process counts as busy meanwhile.
func (s *Step) AwaitProgram(f func(context.Context)) { s.p.await(f, true) }

// A Setup is what a process sees while it is set up, or gets new values.
type Setup struct {
	p      *proc
	config Config
}

func (p *proc) setup() *Setup { return &Setup{p, p.node.Config} }

// Name is the name of the process.
func (s *Setup) Name() string { return s.p.node.Name }

// Log is where the process writes what people should see.
func (s *Setup) Log() *slog.Logger { return s.p.log }

// Context ends when the process must stop waiting for something outside the
// pipeline.
func (s *Setup) Context() context.Context { return s.p.runCtx }

// Values are the settings of the process.
func (s *Setup) Values() Values { return Values{s.config, s.p.node.Type} }

// Value is the value of a key, or its default.
func (s *Setup) Value(key string) string { return s.Values().Value(key) }

// Int is the value of a key of kind Int or Unsigned.
func (s *Setup) Int(key string) int64 { return s.Values().Int(key) }

// Float is the value of a key of kind Double or Float.
func (s *Setup) Float(key string) float64 { return s.Values().Float(key) }

// Bool is the value of a key of kind Bool.
func (s *Setup) Bool(key string) bool { return s.Values().Bool(key) }

// Config is the whole configuration of the process. It must not be changed.
func (s *Setup) Config() Config { return s.config }

// Path is where a file is that the configuration names for reading.
func (s *Setup) Path(name string) string { return within(s.p.run.opt.Dir, name) }

// Results is where files go that the configuration names for writing. They appear
// when they are complete.
func (s *Setup) Results() outfile.Folder {
	o := &s.p.run.opt
	return outfile.Folder{Dir: cmp.Or(o.Out, o.Dir), Fenced: o.Fenced && o.Out != "", Seal: o.Seal.By(s.p.node.Name), Ledger: o.Ledger}
}

// Reads says that the process reads a file. Where that is the result of another run, what this one writes says so.
func (s *Setup) Reads(path string) { s.p.run.opt.Seal.Reads(path) }

// Program is the path of this program; empty: it is not known.
func (s *Setup) Program() string { return s.p.run.opt.Program }

func within(dir, name string) string {
	if name == "" || filepath.IsAbs(name) || dir == "" {
		return name
	}
	return filepath.Join(dir, name)
}

// Stdin is what a process reads whose file is `-`.
func (s *Setup) Stdin() io.Reader {
	s.p.run.stdin.Store(true)
	return s.p.run.opt.Stdin
}

// Stdout is where a process writes whose file is `-`.
func (s *Setup) Stdout() io.Writer { return s.p.run.opt.Stdout }

// Gate is where programs come that hand their data over; nil: none does.
func (s *Setup) Gate() *handoff.Gate { return s.p.run.opt.Gate }

// Errorf makes an error about a key's value.
func (s *Setup) Errorf(key, format string, args ...any) error {
	return s.Values().Errorf(key, format, args...)
}

// In is an input port; one that is not connected gives empty data. It panics
// where the type declares no such port.
func (s *Setup) In(name string) *In {
	for _, in := range s.p.ins {
		if in.name == name {
			return in
		}
	}
	if p, _ := s.p.node.Type.FindIn(name); p == nil {
		panic(fmt.Sprintf("type `%s` declares no input port `%s`", s.p.node.Type.Name, name))
	}
	return &In{name: name, typ: NoneType, freq: 1}
}

// Out is an output port; what is pushed to one that is not connected is gone. It
// panics where the type declares no such port.
func (s *Setup) Out(name string) *Out {
	for _, o := range s.p.outs {
		if o.name == name {
			return o
		}
	}
	if p, _ := s.p.node.Type.FindOut(name); p == nil {
		panic(fmt.Sprintf("type `%s` declares no output port `%s`", s.p.node.Type.Name, name))
	}
	return &Out{name: name, typ: NoneType}
}

// Ins are the connected input ports, in the order of their connections.
func (s *Setup) Ins() []*In {
	var list []*In
	for _, in := range s.p.ins {
		if in.edge != nil {
			list = append(list, in)
		}
	}
	return list
}

// Require decides which inputs must bring data before a step, in the place of the flags that
// the type declares: a program knows its ports when it has started.
func (s *Setup) Require(names []string) {
	p := s.p
	p.need = nil
	for _, in := range p.ins {
		if slices.Contains(names, in.name) {
			p.require(in)
		}
	}
	p.chooseOnly()
}

// Outs are the connected output ports without the heartbeat, in the order of
// their connections.
func (s *Setup) Outs() []*Out {
	var list []*Out
	for _, o := range s.p.outs {
		if len(o.edges) > 0 && o.name != HeartbeatPort {
			list = append(list, o)
		}
	}
	return list
}

// staticDatum makes a datum of a value from the configuration.
func staticDatum(typ, text string) Datum {
	text = strings.TrimSpace(text)
	if typ != "string" {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return OfInt(i)
		}
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return OfFloat(f)
		}
	}
	return OfText(text)
}
