package flow

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff"
)

// step implements pipe.Step for a running process.
type step struct{ p *proc }

func (s *step) Number() uint64 { return s.p.steps }

func (s *step) Complete() { s.p.ending = true }

func (s *step) Context() context.Context { return s.p.ctx }

func (s *step) Reads(path string) { s.p.run.opt.Seal.Reads(path) }

func (s *step) Log() *slog.Logger { return s.p.env.Log() }

func (s *step) Await(f func(context.Context)) { s.p.await(f, false) }

func (s *step) AwaitProgram(f func(context.Context)) { s.p.await(f, true) }

// A Setup is what a process sees while it is set up or gets new values: its environment and its ports. A port
// or key that the process's type does not declare makes the setup fail, whatever Setup returns.
type Setup struct {
	*pipe.Env
	p   *proc
	err error // names the first undeclared port or key
}

func (p *proc) setup() *Setup { return &Setup{Env: &p.env, p: p} }

// undeclared keeps the first name that the type does not declare.
func (s *Setup) undeclared(what, name string, declared []string) {
	if s.err != nil {
		return
	}
	t := s.p.node.Type
	near, ok := problem.Nearest(name, declared)
	if ok {
		near = "; " + problem.DidYouMean(near)
	}
	s.err = fmt.Errorf("type `%s` declares no %s `%s`%s", t.Name, what, name, near)
}

// Value returns the value of a key, or its default.
func (s *Setup) Value(key string) string {
	t := s.p.node.Type
	if _, ok := t.KeyFor(key); !ok {
		var names []string
		for _, k := range t.Keys {
			names = append(names, k.Name)
		}
		s.undeclared("key", key, names)
	}
	return s.Env.Value(key)
}

// Int returns the value of a key of kind Int or Unsigned.
func (s *Setup) Int(key string) int64 {
	s.Value(key)
	return s.Env.Int(key)
}

// Float returns the value of a key of kind Double or Float.
func (s *Setup) Float(key string) float64 {
	s.Value(key)
	return s.Env.Float(key)
}

// Bool returns the value of a key of kind Bool.
func (s *Setup) Bool(key string) bool {
	s.Value(key)
	return s.Env.Bool(key)
}

// Stdin is read by a process whose file is `-`.
func (s *Setup) Stdin() io.Reader {
	s.p.run.stdin.Store(true)
	return s.p.run.opt.Stdin
}

// Stdout is written by a process whose file is `-`.
func (s *Setup) Stdout() io.Writer { return s.p.run.opt.Stdout }

// Gate returns the gate to which programs connect that hand over their data; nil: none do.
func (s *Setup) Gate() *handoff.Gate { return s.p.run.opt.Gate }

// In returns an input port; an unconnected one gives empty data.
func (s *Setup) In(name string) *In {
	for _, in := range s.p.ins {
		if in.name == name {
			return in
		}
	}
	if p, _ := s.p.node.Type.FindIn(name); p == nil {
		s.undeclared("input port", name, portNames(s.p.node.Type.In))
	}
	return &In{name: name, typ: pipe.NoneType, freq: 1}
}

// Out returns an output port; data pushed to an unconnected one are dropped.
func (s *Setup) Out(name string) *Out {
	for _, o := range s.p.outs {
		if o.name == name {
			return o
		}
	}
	if p, _ := s.p.node.Type.FindOut(name); p == nil {
		s.undeclared("output port", name, portNames(s.p.node.Type.Out))
	}
	return &Out{name: name, typ: pipe.NoneType}
}

func portNames(ports []pipe.Port) []string {
	var names []string
	for _, p := range ports {
		names = append(names, p.Name)
	}
	return names
}

// Ins returns the connected input ports, in the order of their connections.
func (s *Setup) Ins() []*In {
	var list []*In
	for _, in := range s.p.ins {
		if in.edge != nil {
			list = append(list, in)
		}
	}
	return list
}

// Require decides which inputs must have data before a step; it replaces the flags that the type declares. A
// program knows its ports only when it has started.
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

// Outs returns the connected output ports without the heartbeat, in the order of their connections.
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

// Expect tells observers how many steps the process will do until it ends by itself. It may be called again
// when this number changes.
func (s *Setup) Expect(steps int64) { s.p.expected.Store(uint64(max(steps, 0))) }

// A Handle lets goroutines outside the pipeline reach a process.
type Handle struct{ p *proc }

// Handle returns the handle of the process.
func (s *Setup) Handle() Handle { return Handle{s.p} }

// Wake ends the current Rest of the process, or the next one.
func (h Handle) Wake() { h.p.run.poke(h.p) }

// End ends the process as if its outputs had no consumer left.
func (h Handle) End() {
	h.p.ctl.Or(askEnd)
	h.p.run.poke(h.p)
}

// Fail ends the run with an error of the process.
func (h Handle) Fail(err error) {
	n := h.p.node
	h.p.run.fail(&StepError{Process: n.Name, Type: n.Type.Name, Step: h.p.stepsPub.Load(), Span: n.Span, During: "step", Err: err})
}

func (s *step) Rest() {
	p := s.p
	p.waitsForSite = true
	p.park(true, false)
	p.waitsForSite = false
	p.leaveIfAborted()
}

func (s *step) Another() bool {
	p := s.p
	if _, ok := p.worker.(*watched); ok || p.ctl.Load() != 0 || p.heartbeat != nil || p.trace != nil || len(p.need) == 0 || p.level != pipe.CheckValid {
		return false
	}
	var first Stamp
	for i, in := range p.need {
		e := in.edge
		if in.freq != 1 || !e.has(1) {
			return false
		}
		en := e.peek(0)
		if en.datum.kind != DataKind || i > 0 && en.stamp != first {
			return false
		}
		first = en.stamp
	}
	for _, in := range p.ins { // the optional ones
		if in.edge != nil && !in.edge.has(1) {
			return false
		}
	}
	return true
}

func (s *step) Count() {
	s.p.steps++
	s.p.stepsPub.Store(s.p.steps)
}

// Setter is a process that needs its ports and configuration.
type Setter interface {
	Setup(*Setup) error
}

// Preparer is a process that judges new values of tunable keys before it gets them, for checks that
// Type.Judge, which sees only the settings, cannot make. The Setup has the new values. Prepare has no effect;
// an error refuses the values, and then nothing changes in the whole pipeline.
type Preparer interface {
	Prepare(*Setup) error
}

// Reconfigurer is a process whose tunable keys can change while it runs. Refuse values in Prepare where
// possible: when Reconfigure is called, other processes already have theirs, and an error here restores the
// old values everywhere.
type Reconfigurer interface {
	Reconfigure(*Setup) error
}

// Waiter is a source that waits for something outside the pipeline between its steps. While it waits, it can
// still judge settings, change, pause and end.
type Waiter interface {
	Ready() bool          // reports whether Step need not wait
	Wait(context.Context) // returns when the source is ready; runs in its own goroutine
}

// Pender is a process that passes its settings to a program, which takes them when it likes. Pending returns
// the keys whose values the program has not taken yet; other goroutines call it.
type Pender interface {
	Pending() []string
}

// Flusher is a process whose state is reset by a flush.
type Flusher interface {
	Flush(pipe.Step) error
}

// Finalizer is a process with work left to do at its end. It may still push data.
type Finalizer interface {
	Finalize(pipe.Step) error
}

// Closer is a process that holds resources.
type Closer interface {
	Close() error
}
