package flow

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/recording"
)

// A proc is the engine's side of a running process.
type proc struct {
	run    *Run
	node   *pipe.PlanNode
	env    pipe.Env
	id     int
	worker pipe.Process // makes the steps: impl itself, or impl wrapped in a watched

	ins       []*In
	outs      []*Out
	need      []*In // inputs that must have data before a step begins
	only      *edge // the edge of the single input in need, if it takes one datum per step; else nil
	heartbeat *Out  // nil if the heartbeat port is not connected
	level     pipe.Level

	step     step
	steps    uint64
	ending   bool
	unsynced bool // the warning about inputs that do not belong together was logged
	passing  bool // the process is passing on data that are not values, such as flush
	inStep   bool
	ctx      context.Context // ends with the run, and for a source also when Stop is called
	cancel   context.CancelFunc
	source   bool
	settings pipe.Config         // the current settings; at first those in the plan
	trace    *recording.Recorder // nil if the run is not traced
	readers  atomic.Int64
	mail     mailbox

	ctl          atomic.Uint32
	state        atomic.Uint32
	ext          bool          // parked while it waits for something outside the pipeline
	waitsForSite bool          // parked while it waits for another site
	sem          chan struct{} // wakes the process; used by thread_per_process
	coro         coroutine     // used by sync and thread_pool

	since    time.Duration // time since the start of the run at which the process last began to work
	turned   atomic.Int64  // as since, for other goroutines; while the process waits, the negative time at which it began to wait
	busy     atomic.Int64
	program  atomic.Int64 // the part of busy in which its program worked
	born     atomic.Int64
	died     atomic.Int64
	stepsPub atomic.Uint64
	expected atomic.Uint64 // the number of steps it will make, if it has announced a number
	midStep  atomic.Bool   // it is a source and is parked in the middle of a step

	impl    pipe.Process
	waiter  Waiter        // impl, if it is a Waiter, else nil
	arrival chan struct{} // closed when waiter.Wait returns; nil while Wait is not running
	waits   []*edge       // edges of all inputs that the process waits for, before or during a step
	transit *transit      // the pending change; valid while askChange is set
	began   uint64        // progress() at the beginning of a step whose inputs are not checked
	_       [64]byte      // keeps the next proc in another cache line
}

// States of a proc. The scheduler uses them to avoid lost wake-ups.
const (
	running uint32 = iota
	parked
	notified // woken before it has parked
)

// unwound is the value of the panic that leaves a step early.
type unwound struct {
	gracefully bool // the reason is that the source was stopped; false: the run was aborted
}

// turn is the number of steps a process makes in a pool before other processes may run.
const turn = 1024

// main runs a process through its whole life, from setup to close.
func (p *proc) main() {
	p.clockOn(time.Since(p.run.start))
	p.born.Store(int64(p.since))
	completed := p.loop()
	if completed {
		p.finish()
	}
	p.publishProgress()
	end := time.Since(p.run.start)
	p.clockOff(end)
	p.died.Store(int64(end))
	for _, in := range p.ins {
		if in.edge != nil {
			in.edge.refuse()
		}
	}
	p.mail.close()
	if p.ctl.Load()&askChange != 0 {
		p.transit.leave(p)
	}
	p.run.ended(p)
}

// loop makes steps until the process is complete. It returns false if the run ends before that.
func (p *proc) loop() (completed bool) {
	defer func() { completed = p.caught(recover(), "step") || completed }()
	for left := turn; ; left-- {
		if p.ctl.Load() != 0 && p.control() {
			return true
		}
		if left == 0 {
			left = turn
			p.publishProgress()
			p.run.sched.yield(p)
		}
		if p.advance() {
			return true
		}
	}
}

// advance makes one step. It reports whether the process is complete.
func (p *proc) advance() bool {
	kind := DataKind
	if p.waiter != nil && !p.arrived() {
		return false
	}
	if e := p.only; e != nil {
		if e.head == e.tailSeen && !e.wait(1, false) {
			return false
		}
		if p.level == pipe.CheckValid {
			kind = e.peek(0).datum.kind
		}
	} else if len(p.need) > 0 {
		var ready bool
		if kind, ready = p.examine(); !ready {
			return false
		}
	} else if len(p.waits) > 0 {
		var ready bool
		if kind, ready = p.somethingCame(); !ready {
			return false
		}
		p.began = p.progress()
	}
	if kind == CompleteKind {
		return true
	}
	p.steps++
	if p.steps&63 == 0 {
		p.stepsPub.Store(p.steps)
	}
	p.inStep = true
	if kind == DataKind {
		if p.trace != nil {
			p.traced(pipe.EventStep, p.worker.Step)
		} else if err := p.worker.Step(&p.step); err != nil {
			p.failed("step", err)
		}
	} else {
		p.passOn(kind)
	}
	p.inStep = false
	if p.heartbeat != nil {
		p.heartbeat.Push(OfEmpty())
	}
	return p.ending
}

// arrived waits, between two steps of a source, until its next data have arrived. It returns false if the
// process has another request to handle first.
func (p *proc) arrived() bool {
	if p.arrival != nil {
		select {
		case <-p.arrival:
			p.arrival = nil
		default:
			p.park(true, false)
			return false
		}
	}
	if p.waiter.Ready() {
		return true
	}
	ctx, over := p.ctx, make(chan struct{})
	p.arrival = over
	go func() {
		defer p.run.poke(p)
		defer close(over)
		if err := guarded(func() error { p.waiter.Wait(ctx); return nil }); err != nil {
			p.run.fail(&StepError{Process: p.node.Name, Type: p.node.Type.Name, Step: p.stepsPub.Load(), Span: p.node.Span, During: "step", Err: err})
		}
	}()
	return false
}

// traced calls f, a part of the process's life, and records the call in the trace.
func (p *proc) traced(ev pipe.Event, f func(pipe.Step) error) {
	begin := p.trace.Begin(ev)
	err := f(&p.step)
	p.trace.End(ev, begin, recording.At{})
	if err != nil {
		p.failed(ev.Part(), err)
	}
}

// failed ends the process with an error. If the step failed because Stop interrupted the source, this is not
// an error.
func (p *proc) failed(during string, err error) {
	if p.source && p.ctl.Load()&askStop != 0 && errors.Is(err, context.Canceled) {
		return
	}
	panic(stepFailure{during, err})
}

// examine waits for the required inputs and returns the largest kind of their data. It returns false if the
// process has another request to handle first.
func (p *proc) examine() (DatumKind, bool) {
	worst := DataKind
	var first Stamp
	synced := true
	for i, in := range p.need {
		e := in.edge
		if e.head == e.tailSeen && !e.wait(1, false) {
			return 0, false
		}
		en := e.peek(0)
		if i == 0 {
			first = en.stamp
		} else if en.stamp != first {
			synced = false
		}
		worst = max(worst, en.datum.kind)
		for j := uint64(1); j < in.freq && en.datum.kind < FlushKind; j++ {
			if !e.wait(j+1, false) {
				return 0, false
			}
			en = e.peek(j)
			worst = max(worst, en.datum.kind)
		}
	}
	if worst == CompleteKind && p.level == pipe.CheckValid {
		return worst, true
	}
	if !synced && worst < FlushKind {
		if !p.unsynced { // log this only once: it usually lasts to the end of the run
			p.unsynced = true
			p.env.Log().Warn(fmt.Sprintf("from step %d on the required inputs do not belong together", p.steps+1))
		}
		return ErrorKind, true
	}
	if p.level == pipe.CheckSync {
		return DataKind, true
	}
	return worst, true
}

// somethingCame waits for the inputs of a process that requires none. It returns when one of them has data,
// or when all have ended and the process ends too. It returns false if the process has another request to
// handle first. A process with pipe.CheckNone handles its inputs itself: somethingCame does not wait for them,
// and ends the process only if all of them have ended and the run is being stopped.
func (p *proc) somethingCame() (DatumKind, bool) {
	if p.level == pipe.CheckNone {
		if slices.ContainsFunc(p.waits, func(e *edge) bool { return !e.over }) || p.run.State() != Stopping {
			return DataKind, true
		}
		return CompleteKind, true
	}
	for {
		var empty []*edge
		for _, e := range p.waits {
			switch {
			case e.over || e.refused():
			case !e.has(1):
				if e.markAt.Load() == e.head {
					return 0, false
				}
				empty = append(empty, e)
			case e.peek(0).datum.kind != CompleteKind:
				return DataKind, true
			}
		}
		switch {
		case len(empty) == 0:
			return CompleteKind, true
		case p.ctl.Load()&^askChange != 0:
			return 0, false
		}
		p.waitsForAny(empty)
		if p.ctl.Load() != 0 {
			return 0, false
		}
	}
}

// passOn handles a step without values: it takes the data of one step from every input, and pushes data of the
// given kind to every output.
func (p *proc) passOn(kind DatumKind) {
	if p.trace != nil && kind < FlushKind {
		p.trace.BeginPass(kind == ErrorKind)
		defer p.trace.EndPass()
	}
	d := Datum{kind: kind}
	switch kind {
	case ErrorKind:
		d = OfError("error in a required input of process `" + p.node.Name + "`")
	case FlushKind:
		if f, ok := p.impl.(Flusher); ok {
			if p.trace != nil {
				p.traced(pipe.EventFlush, f.Flush)
			} else if err := f.Flush(&p.step); err != nil {
				p.failed("flush", err)
			}
		}
	}
	for _, in := range p.ins {
		if in.edge == nil {
			continue
		}
		for range in.freq {
			if in.Take().kind >= FlushKind {
				break
			}
		}
	}
	p.passing = true
	defer func() { p.passing = false }()
	for _, o := range p.outs {
		if o == p.heartbeat {
			continue
		}
		n := int64(1)
		if kind < FlushKind {
			n = o.perStep()
		}
		for range n {
			o.Push(d)
		}
	}
}

// finish finalizes a process that is complete, and ends its outputs.
func (p *proc) finish() {
	defer func() { p.caught(recover(), "finalize") }()
	p.leaveIfAborted()
	p.inStep = true
	p.ctx = p.env.Context() // even a stopped source has time to finalize
	if f, ok := p.impl.(Finalizer); ok {
		if p.trace != nil {
			p.traced(pipe.EventFinalize, f.Finalize)
		} else if err := f.Finalize(&p.step); err != nil {
			p.failed("finalize", err)
		}
	}
	for _, o := range p.outs {
		o.Push(OfComplete())
	}
}

// caught handles a panic v of the process: it ends the run with an error, unless the process was only
// interrupted. It reports whether the process may still end gracefully.
func (p *proc) caught(v any, during string) bool {
	p.stepsPub.Store(p.steps)
	if v == nil {
		return false
	}
	if u, ok := v.(unwound); ok || p.run.ctx.Err() != nil {
		p.run.cut.Store(true)
		return u.gracefully
	}
	e := &StepError{Process: p.node.Name, Type: p.node.Type.Name, Step: p.steps, Span: p.node.Span, During: during}
	switch v := v.(type) {
	case *castError:
		e.Err = p.staticCause(v)
	case stepFailure:
		e.During, e.Err = v.during, v.err
	default:
		e.Err, e.Stack = fmt.Errorf("it panicked: %v", v), debug.Stack()
	}
	p.run.fail(e)
	return false
}

// staticCause extends the error of a datum with a wrong type. It names the static ports of the process that
// hold text, because the datum may come from one of them.
func (p *proc) staticCause(err error) error {
	for _, in := range p.ins {
		if text, ok := in.static.Value().(string); ok && in.edge == nil {
			err = fmt.Errorf("%w; key `%s` gives port `%s` the text `%s`", err, pipe.StaticPrefix+in.name, in.name, problem.Clip(text, problem.Short))
		}
	}
	return err
}

// A stepFailure is the panic value for an error that a step or another part of a process returned.
type stepFailure struct {
	during string
	err    error
}

// event records an event that takes no time.
func (p *proc) event(ev pipe.Event, e *edge) {
	if p.trace != nil {
		p.trace.End(ev, p.trace.Begin(ev), e.at(p))
	}
}

// patience is how long a process that must stop may still wait for an interrupted call.
const patience = 100 * time.Millisecond

// leaveIfAborted leaves the current step if the run was aborted.
func (p *proc) leaveIfAborted() {
	if p.ctl.Load()&askAbort != 0 {
		panic(unwound{})
	}
}

// waitsOn parks the process until an edge is ready, and adds the waiting time to total.
func (p *proc) waitsOn(e *edge, ev pipe.Event, total *atomic.Int64) {
	var begin time.Duration
	if p.trace != nil {
		begin = p.trace.Begin(ev)
	}
	from := p.park(false, false)
	total.Add(int64(p.since - from))
	if p.trace != nil {
		p.trace.End(ev, begin, e.at(p))
	}
}

// waitsForAny parks the process until one of several edges has data.
func (p *proc) waitsForAny(edges []*edge) {
	came := false
	for _, e := range edges {
		e.waitTail.Store(e.head + 1)
		came = came || e.tailPub.Load() > e.head
	}
	if !came {
		p.waitsOn(edges[0], pipe.EventBlock, &edges[0].emptyFor)
	}
	for _, e := range edges {
		e.waitTail.Store(0)
	}
}

// publishProgress publishes the counters of the process and its edges before another process runs.
func (p *proc) publishProgress() {
	p.stepsPub.Store(p.steps)
	for _, in := range p.ins {
		if in.edge != nil {
			in.edge.release()
		}
	}
	for _, o := range p.outs {
		for _, e := range o.edges {
			if e.lazy {
				e.announce(e.tail)
			}
		}
	}
}

// park stops the process until it is woken, and returns the time at which it stopped. outside is true if it
// waits for something outside the pipeline. If working is true, the time counts as work, because a program is
// working for the process.
func (p *proc) park(outside, working bool) time.Duration {
	p.publishProgress()
	from := time.Since(p.run.start)
	if !working {
		p.clockOff(from)
	}
	p.ext = outside
	midStep := p.source && p.inStep
	if midStep {
		p.midStep.Store(true)
		if p.ctl.Load()&askChange != 0 {
			p.transit.propose(p, p.steps) // so the other sources need not wait until this step ends
		}
	}
	p.run.sched.park(p)
	if midStep {
		p.midStep.Store(false)
	}
	if !working {
		p.clockOn(time.Since(p.run.start))
	}
	return from
}

// await runs f, which waits for something outside the pipeline. working is true if f waits for a program that
// does the work of the process.
func (p *proc) await(f func(context.Context), working bool) {
	p.publishProgress()
	if working {
		from := time.Now()
		defer func() { p.program.Add(int64(time.Since(from))) }()
	}
	ctx, finished := p.ctx, make(chan any, 1)
	go func() {
		var failure any
		defer func() {
			if v := recover(); v != nil {
				failure = v
			}
			finished <- failure
			p.run.poke(p)
		}()
		f(ctx)
	}()
	for {
		select {
		case failure := <-finished:
			if failure != nil {
				panic(failure)
			}
			p.leaveIfAborted()
			return
		default:
		}
		// The abort bit may be visible before the context is cancelled.
		if ctx.Err() == nil && p.ctl.Load()&askAbort == 0 {
			p.park(true, working)
			continue
		}
		select {
		case failure := <-finished:
			finished <- failure
		case <-time.After(patience):
			// f waits for something that cannot be interrupted, such as standard input. Discard the results
			// of this step.
			panic(unwound{gracefully: p.run.ctx.Err() == nil})
		}
	}
}

// clockOn begins a period of work. Its start time is published, so that other goroutines can report steps and
// waits that take long.
func (p *proc) clockOn(now time.Duration) {
	p.since = now
	p.turned.Store(int64(now))
}

func (p *proc) clockOff(now time.Duration) {
	p.turned.Store(-int64(now))
	p.busy.Add(int64(now - p.since))
}
