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

// A proc is a running process: the engine's side of one Process.
type proc struct {
	run    *Run
	node   *pipe.PlanNode
	env    pipe.Env
	id     int
	worker pipe.Process // makes the steps: impl, or a watched around it

	ins       []*In
	outs      []*Out
	need      []*In // inputs that are checked before a step
	only      *edge // if need is a single input with one datum per step, its edge
	heartbeat *Out  // nil unless connected
	level     pipe.Level

	step     step
	steps    uint64
	ending   bool
	unsynced bool // reported already
	passing  bool // it passes on what came instead of values
	inStep   bool
	ctx      context.Context // ends when a source is stopped, or with the run
	cancel   context.CancelFunc
	source   bool
	settings pipe.Config         // the current settings; at first those in the plan
	trace    *recording.Recorder // nil: nothing is recorded
	readers  atomic.Int64
	mail     mailbox

	ctl          atomic.Uint32
	state        atomic.Uint32
	ext          bool          // parked, waiting for something outside the pipeline
	waitsForSite bool          // parked, waiting for another site
	sem          chan struct{} // thread_per_process
	coro         coroutine     // pool

	since    time.Duration // when it last began to run, since the start of the run
	turned   atomic.Int64  // the same, for other goroutines; while it waits, minus the time at which it began to wait
	busy     atomic.Int64
	program  atomic.Int64 // the part of it in which its program worked
	born     atomic.Int64
	died     atomic.Int64
	stepsPub atomic.Uint64
	expected atomic.Uint64 // the number of steps it will do, if it has said so
	midStep  atomic.Bool   // a source that is parked in the middle of a step

	impl    pipe.Process
	waiter  Waiter        // impl, if it waits between its steps
	arrival chan struct{} // closed when Wait returns; nil: not in Wait
	waits   []*edge       // of all inputs it waits for, also during a step
	transit *transit      // the pending change, while askChange is set
	began   uint64        // progress at the beginning of a step whose inputs are not checked
	_       [64]byte      // keeps the next proc of the array in another cache line
}

// States of a proc, as the scheduler sees it.
const (
	running uint32 = iota
	parked
	notified // woken while running
)

// unwound is the panic that leaves a step which must not continue.
type unwound struct {
	gracefully bool // the source was stopped; otherwise the run was aborted
}

// turn is the number of steps a process of a pool makes before others run.
const turn = 1024

// main runs the process from setup to close.
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

// loop makes steps until the process is complete; it returns false if the run ends early.
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

// arrived waits, between two steps, for what a source needs. It returns false if another request to the
// process comes first.
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

// traced calls a part of the process and records the call.
func (p *proc) traced(ev pipe.Event, f func(pipe.Step) error) {
	begin := p.trace.Begin(ev)
	err := f(&p.step)
	p.trace.End(ev, begin, recording.At{})
	if err != nil {
		p.failed(ev.Part(), err)
	}
}

// failed ends the process with an error. A source that Stop interrupted has not failed.
func (p *proc) failed(during string, err error) {
	if p.source && p.ctl.Load()&askStop != 0 && errors.Is(err, context.Canceled) {
		return
	}
	panic(stepFailure{during, err})
}

// examine waits for the required inputs and returns their largest kind. It returns false if another request
// to the process comes first.
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
		if !p.unsynced { // report it once: it seldom ends
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

// somethingCame waits for the inputs of a process that requires none: until one of them has data, or until
// all have ended, which ends the process too. It returns false if another request to the process comes first.
// A process that handles its inputs itself ends by itself, unless the run is stopped.
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

// passOn handles a step without data: it takes this step's share from every input and pushes what came to
// every output.
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

// finish ends a process that is complete.
func (p *proc) finish() {
	defer func() { p.caught(recover(), "finalize") }()
	p.leaveIfAborted()
	p.inStep = true
	p.ctx = p.env.Context() // a stopped source may take its time now
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

// caught turns a failure of the process into the error of the run. It reports whether the process still ends
// gracefully.
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

// staticCause adds to an error about a datum the static ports of the process that hold text, because one of
// them may be the datum.
func (p *proc) staticCause(err error) error {
	for _, in := range p.ins {
		if text, ok := in.static.Value().(string); ok && in.edge == nil {
			err = fmt.Errorf("%w; key `%s` gives port `%s` the text `%s`", err, pipe.StaticPrefix+in.name, in.name, problem.Clip(text, problem.Short))
		}
	}
	return err
}

// A stepFailure is an error that a part of a process returned.
type stepFailure struct {
	during string
	err    error
}

// event records an event without duration.
func (p *proc) event(ev pipe.Event, e *edge) {
	if p.trace != nil {
		p.trace.End(ev, p.trace.Begin(ev), e.at(p))
	}
}

// patience is how long a process that must stop may still wait for something outside the pipeline.
const patience = 100 * time.Millisecond

// leaveIfAborted leaves the step when the run is aborted.
func (p *proc) leaveIfAborted() {
	if p.ctl.Load()&askAbort != 0 {
		panic(unwound{})
	}
}

// waitsOn parks the process until an edge is ready, and notes how long this takes.
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

// publishProgress publishes what the process did before another process runs.
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

// park gives up the processor until the process is woken, and returns the time at which it gave it up. A
// process counts as working while its program works.
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
			p.transit.propose(p, p.steps) // the other sources need not wait for the end of this step
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

// await runs f, which waits for something outside the pipeline. working is true if that is a program which
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
			// f waits for something that cannot be interrupted, such as standard input. The results of this
			// step are discarded.
			panic(unwound{gracefully: p.run.ctx.Err() == nil})
		}
	}
}

// clockOn begins a period of work. Other goroutines read its beginning, to report a step or a wait that takes
// long.
func (p *proc) clockOn(now time.Duration) {
	p.since = now
	p.turned.Store(int64(now))
}

func (p *proc) clockOff(now time.Duration) {
	p.turned.Store(-int64(now))
	p.busy.Add(int64(now - p.since))
}
