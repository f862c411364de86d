package flow

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// patience is how long a process that must stop may still wait for something
// outside the pipeline.
const patience = 100 * time.Millisecond

// mustGoOn leaves the step when the run is aborted.
func (p *proc) mustGoOn() {
	if p.ctl.Load()&askAbort != 0 {
		panic(unwound{})
	}
}

// waitsOn parks the process for the sake of an edge and notes for how long.
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

// waitsForAny parks the process until one of several edges has something.
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

// settle publishes what the process did, before others run instead of it.
func (p *proc) settle() {
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

// park gives up the processor until the process is woken, and returns when it
// gave it up. A process is at work while a program does its work.
func (p *proc) park(outside, working bool) time.Duration {
	p.settle()
	from := time.Since(p.run.start)
	if !working {
		p.clockOff(from)
	}
	p.ext = outside
	amidst := p.source && p.inStep
	if amidst {
		p.amidst.Store(true)
		if p.ctl.Load()&askChange != 0 {
			p.transit.propose(p, p.steps) // the others need not wait for the end of this step
		}
	}
	p.run.sched.park(p)
	if amidst {
		p.amidst.Store(false)
	}
	if !working {
		p.clockOn(time.Since(p.run.start))
	}
	return from
}

// await lets f wait for something outside the pipeline; working is set where
// that is a program at the work of the process.
func (p *proc) await(f func(context.Context), working bool) {
	p.settle()
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
			p.mustGoOn()
			return
		default:
		}
		// The abort may be seen before the context that ends with it.
		if ctx.Err() == nil && p.ctl.Load()&askAbort == 0 {
			p.park(true, working)
			continue
		}
		select {
		case failure := <-finished:
			finished <- failure
		case <-time.After(patience):
			// It waits for something that cannot be interrupted, as standard
			// input. Nothing of this step is used any more.
			panic(unwound{gracefully: p.run.ctx.Err() == nil})
		}
	}
}

// clockOn begins a time of work. Others read when it began, for figures of a
// step or a wait that takes long.
func (p *proc) clockOn(now time.Duration) {
	p.since = now
	p.turned.Store(int64(now))
}

func (p *proc) clockOff(now time.Duration) {
	p.turned.Store(-int64(now))
	p.busy.Add(int64(now - p.since))
}
