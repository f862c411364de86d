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

// A Setup gives a process its environment and its ports while it is set up or gets new values. If the process
// asks for a port or key that its type does not declare, the setup fails, whatever the process returns.
type Setup struct {
	*pipe.Env
	p   *proc
	err error // the error for the first undeclared port or key
}

func (p *proc) setup() *Setup { return &Setup{Env: &p.env, p: p} }

// undeclared sets s.err for a name that the type does not declare, unless s.err is already set.
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

// Stdin returns the standard input of the run, for a process whose input file is `-`.
func (s *Setup) Stdin() io.Reader {
	s.p.run.stdin.Store(true)
	return s.p.run.opt.Stdin
}

// Stdout returns the standard output of the run, for a process whose output file is `-`.
func (s *Setup) Stdout() io.Writer { return s.p.run.opt.Stdout }

// Gate returns the gate through which programs hand over their data, or nil if no programs do.
func (s *Setup) Gate() *handoff.Gate { return s.p.run.opt.Gate }

// In returns an input port. If the port is not connected, it provides empty data.
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

// Out returns an output port. If the port is not connected, data pushed to it are dropped.
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

// Require sets the inputs that must have data before a step, in place of the flags that the type declares. It
// is for processes that learn their ports from a program, after it has started.
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

// Outs returns the connected output ports except the heartbeat, in the order of their connections.
func (s *Setup) Outs() []*Out {
	var list []*Out
	for _, o := range s.p.outs {
		if len(o.edges) > 0 && o.name != pipe.HeartbeatPort {
			list = append(list, o)
		}
	}
	return list
}

// staticDatum makes a datum for an unconnected port from the text in the configuration.
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

// Expect announces how many steps the process will make before it ends by itself. It may be called again with
// a new number.
func (s *Setup) Expect(steps int64) { s.p.expected.Store(uint64(max(steps, 0))) }

// A Handle lets goroutines outside the pipeline reach a process.
type Handle struct{ p *proc }

// Handle returns the handle of the process.
func (s *Setup) Handle() Handle { return Handle{s.p} }

// Wake ends the process's current call of Rest, or the next one if it is not in Rest.
func (h Handle) Wake() { h.p.run.poke(h.p) }

// End ends the process, as if none of its outputs had a consumer any more.
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
	for _, in := range p.ins { // the inputs that are not required
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

// Setter is a process with a setup, in which it gets its ports and configuration.
type Setter interface {
	Setup(*Setup) error
}

// Preparer is a process that checks new values of tunable keys before it gets them. It is for checks that
// need more than the settings, which are all that Type.Judge sees. The Setup has the new values. Prepare must
// not apply them. If it returns an error, nothing changes in the whole pipeline.
type Preparer interface {
	Prepare(*Setup) error
}

// Reconfigurer is a process whose tunable keys can change while it runs. If possible, refuse values in
// Prepare, not here: when Reconfigure is called, other processes already have their new values, and an error
// restores the old values everywhere.
type Reconfigurer interface {
	Reconfigure(*Setup) error
}

// Waiter is a source that waits between its steps for something outside the pipeline. Meanwhile it can still
// judge and change settings, pause and end.
type Waiter interface {
	Ready() bool          // whether Step can run without waiting
	Wait(context.Context) // waits until the source is ready; called in a separate goroutine
}

// Pender is a process that passes its settings to a program, which takes them at a time of its own choice.
// Pending returns the keys whose new values the program has not taken yet. It is called by other goroutines.
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
