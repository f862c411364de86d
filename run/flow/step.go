package flow

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff"
)

// step is the Step of a running process.
type step struct{ p *proc }

func (s *step) Number() uint64 { return s.p.steps }

func (s *step) Complete() { s.p.ending = true }

func (s *step) Context() context.Context { return s.p.ctx }

func (s *step) Reads(path string) { s.p.run.opt.Seal.Reads(path) }

func (s *step) Log() *slog.Logger { return s.p.env.Log() }

func (s *step) Await(f func(context.Context)) { s.p.await(f, false) }

func (s *step) AwaitProgram(f func(context.Context)) { s.p.await(f, true) }

// A Setup is what a process sees while it is set up, or gets new values: its
// environment, and the ports.
type Setup struct {
	*pipe.Env
	p *proc
}

func (p *proc) setup() *Setup { return &Setup{&p.env, p} }

// Stdin is what a process reads whose file is `-`.
func (s *Setup) Stdin() io.Reader {
	s.p.run.stdin.Store(true)
	return s.p.run.opt.Stdin
}

// Stdout is where a process writes whose file is `-`.
func (s *Setup) Stdout() io.Writer { return s.p.run.opt.Stdout }

// Gate is where programs come that hand their data over; nil: none does.
func (s *Setup) Gate() *handoff.Gate { return s.p.run.opt.Gate }

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
	return &In{name: name, typ: pipe.NoneType, freq: 1}
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
	return &Out{name: name, typ: pipe.NoneType}
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
		if len(o.edges) > 0 && o.name != pipe.HeartbeatPort {
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
