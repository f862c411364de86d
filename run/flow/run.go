package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/recording"
)

// A Run is one execution of a pipeline. Its methods may be called from any
// goroutine at any time.
type Run struct {
	plan     *pipe.Plan
	resolved *pipe.Plan // the plan of the whole pipeline, without copies of replicated processes
	opt      Options
	log      *slog.Logger
	start    time.Time
	procs    []*proc // by index of the plan's node
	edges    []*edge // by index of the plan's edge
	sched    scheduler

	ctx    context.Context
	cancel context.CancelCauseFunc
	chrome *recording.Trace

	active  atomic.Int64 // number of processes that are running or waiting for something outside the pipeline
	resting atomic.Int64 // number of those active processes that wait for another site
	live    atomic.Int64 // number of processes that have not ended
	cut     atomic.Bool  // a process was stopped or aborted before the end of its data
	stdin   atomic.Bool  // a process reads standard input
	helpers sync.WaitGroup

	setting chan struct{}           // holds a token while a change of settings is in progress, so that there is only one
	transit atomic.Pointer[transit] // the pending change of settings, or nil
	layout  func() *pipe.Layout

	mu       sync.Mutex
	paused   bool
	pausedAt time.Duration // when the current pause began, as time since start
	rested   time.Duration // total length of past pauses
	pauses   int           // number of calls that paused or resumed the run
	stopping bool
	failure  error
	warnings problem.List
	host     pipe.Host
	wall     atomic.Int64
	done     chan struct{}
}

// ErrStopped is the error of a run that Stop or Abort ended early.
var ErrStopped = errors.New("the pipeline was stopped")

// A StepError is the error of a run in which a process failed.
type StepError struct {
	Process, Type string
	Step          uint64 // number of the failed step, from 1
	Span          source.Span
	During        string // the part that failed: step, flush, finalize, reconfigure or close
	Err           error
	Stack         []byte // stack trace, if the process panicked
}

// Error names the process, the step and the cause.
func (e *StepError) Error() string {
	var b strings.Builder
	if !e.Span.IsZero() {
		b.WriteString(e.Span.String() + ": ")
	}
	fmt.Fprintf(&b, "process `%s` (%s) failed ", e.Process, e.Type)
	if e.During == "step" {
		fmt.Fprintf(&b, "in step %d: %v", e.Step, e.Err)
	} else {
		fmt.Fprintf(&b, "in %s after step %d: %v", e.During, e.Step, e.Err)
	}
	return b.String()
}

func (e *StepError) Unwrap() error { return e.Err }

// A DeadlockError is the error of a run in which every process waits for another one.
type DeadlockError struct{ Waiting []string }

func (e *DeadlockError) Error() string {
	return "every process waits for data that no process will send: " + strings.Join(e.Waiting, "; ")
}

func newRun(ctx context.Context, plan, resolved *pipe.Plan, problems problem.List, opt Options) (*Run, error) {
	r := &Run{plan: plan, resolved: resolved, opt: opt, log: opt.Log, done: make(chan struct{}), start: time.Now(), warnings: problems}
	opt.host(&r.host)
	r.setting = make(chan struct{}, 1)
	r.layout = sync.OnceValue(plan.Layout)
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if r.opt.Stdin == nil {
		r.opt.Stdin = os.Stdin
	}
	if r.opt.Stdout == nil {
		r.opt.Stdout = os.Stdout
	}
	var err error
	if r.sched, err = newScheduler(cmp.Or(opt.Scheduler, DefaultScheduler), opt.Workers, r); err != nil {
		return nil, err
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	if opt.Trace != nil {
		r.chrome = recording.NewTrace(opt.Trace, opt.TraceSize, opt.name(), r.start)
	}
	r.build()
	if failed := r.setup(); len(failed) > 0 {
		r.cancel(nil)
		return nil, append(problems, failed...)
	}
	for _, p := range problems {
		if p.Severity == problem.Warning {
			r.log.Warn(p.Error())
		} else {
			r.log.Info(p.Error())
		}
	}
	if opt.Ready != nil {
		if err := opt.Ready(r.ctx); err != nil {
			for _, p := range r.procs {
				_ = p.close() // a failure to close matters less than the reason why the run cannot begin
			}
			r.cancel(nil)
			return nil, err
		}
	}
	return r, nil
}

// build makes a proc for every node of the plan and an edge for every edge.
func (r *Run) build() {
	r.procs = make([]*proc, len(r.plan.Nodes))
	procs := make([]proc, len(r.plan.Nodes))
	for i := range r.plan.Nodes {
		n, p := &r.plan.Nodes[i], &procs[i]
		p.run, p.node, p.id, p.level = r, n, i, n.Type.Level
		p.env = pipe.NewEnv(r.ctx, r.plan, n, &r.host, r.log.With("process", n.Name))
		p.step.p, p.settings = p, n.Config
		r.procs[i] = p
	}
	r.edges = make([]*edge, len(r.plan.Edges))
	edges := make([]edge, len(r.plan.Edges))
	for i := range r.plan.Edges {
		e := &r.plan.Edges[i]
		edges[i].init(r.procs[e.FromNode], r.procs[e.ToNode], e, r.sched.alone())
		if r.chrome != nil {
			edges[i].record(r.chrome)
		}
		r.edges[i] = &edges[i]
	}
	for _, p := range r.procs {
		p.makePorts()
		p.ctx, p.cancel = r.ctx, func() {}
		if p.source {
			p.ctx, p.cancel = context.WithCancel(r.ctx)
		}
	}
}

func (p *proc) makePorts() {
	n := p.node
	p.source = !n.Link // a link that receives from another site is no source: the sender ends it
	for i := range n.In {
		d := &n.In[i]
		f := d.Freq.Norm()
		in := &In{name: d.Name, typ: d.Type, group: d.Group, freq: 1, static: OfEmpty()}
		if f.Num > f.Den {
			in.freq = uint64(f.Num / f.Den)
		}
		if len(d.Edges) > 0 {
			in.edge = p.run.edges[d.Edges[0]]
			if d.Type == pipe.AnyType {
				in.typ = p.run.plan.Edges[d.Edges[0]].Type // the type of the edge may be more precise than the declared type
			}
			if d.Flags&pipe.NoDep == 0 {
				p.source = false
				p.waits = append(p.waits, in.edge)
			}
		} else if s, ok := n.Config[pipe.StaticPrefix+d.Name]; ok && d.Flags&pipe.Static != 0 {
			in.static = staticDatum(d.Type, s.Value)
		}
		p.ins = append(p.ins, in)
		in.waits = d.Flags&pipe.NoDep == 0
		if d.Flags&pipe.Required != 0 {
			p.require(in)
		}
	}
	p.chooseOnly()
	for i := range n.Out {
		d := &n.Out[i]
		o := &Out{name: d.Name, typ: d.Type, group: d.Group, freq: d.Freq, inc: Stamp(max(1, d.Increment)), proc: p}
		for _, e := range d.Edges {
			o.edges = append(o.edges, p.run.edges[e])
			if d.Flags&pipe.Required != 0 {
				p.readers.Add(1)
			}
		}
		if d.Name == pipe.HeartbeatPort {
			p.heartbeat = o
		}
		p.outs = append(p.outs, o)
	}
}

// require makes the steps of the process wait until an input has data.
func (p *proc) require(in *In) {
	if in.waits && in.edge != nil && p.level != pipe.CheckNone {
		p.need = append(p.need, in)
	}
}

// chooseOnly sets p.only if a single input must have data before a step: checking one edge is faster.
func (p *proc) chooseOnly() {
	p.only = nil
	if len(p.need) == 1 && p.need[0].freq == 1 {
		p.only = p.need[0].edge
	}
}

// setup sets the processes up, in the order of the graph.
func (r *Run) setup() (failed problem.List) {
	var made []*proc
	for _, p := range r.procs {
		err := p.record()
		if err == nil {
			made = append(made, p)
			err = guarded(p.setUp)
		}
		if err != nil {
			q := pipe.NewProblem(&p.node.Node, pipe.SetupFailed, "process `%s` cannot be set up: %v", p.node.Name, err)
			if at, ok := pipe.KeyOf(err); ok {
				q.Subject.Key, q.Span = at.Key, cmp.Or(at.Span, q.Span)
			}
			failed = append(failed, q)
		}
	}
	if len(failed) > 0 {
		for _, p := range made {
			p.close()
		}
	}
	return failed
}

// record begins to trace the process.
func (p *proc) record() (err error) {
	r, n := p.run, p.node
	if kind := p.env.Value(pipe.InstrumentKey); r.chrome == nil && (kind == "" || kind == "none") {
		return nil
	}
	p.trace, err = recording.New(&p.env, &recording.Process{
		ID: p.id, Name: n.Name, Type: n.Type.Name, Span: n.Span, Link: n.Link, Steps: &p.steps, Start: r.start,
		Busy: func(now time.Duration) time.Duration { return time.Duration(p.busy.Load()) + now - p.since },
	}, recording.Options{Name: r.opt.name(), Trace: r.chrome, Size: r.opt.TraceSize, Filter: r.opt.Filter, Provider: r.plan.Provider})
	for _, o := range p.outs {
		o.trace = p.trace
	}
	return err
}

func (p *proc) setUp() error {
	p.impl = p.node.Type.New()
	p.worker = p.impl
	if w, ok := p.impl.(Waiter); ok && p.source {
		p.waiter = w
	}
	s, ok := p.impl.(Setter)
	if !ok {
		return nil
	}
	if p.trace != nil {
		begin := p.trace.Begin(pipe.EventInit)
		defer p.trace.End(pipe.EventInit, begin, recording.At{})
	}
	setup := p.setup()
	err := s.Setup(setup)
	return cmp.Or(setup.err, err)
}

func (p *proc) close() (err error) {
	defer p.cancel()
	if p.trace != nil {
		err = p.trace.Close()
	}
	if c, ok := p.impl.(Closer); ok {
		err = cmp.Or(guarded(c.Close), err)
	}
	return err
}

// launch starts the processes.
func (r *Run) launch() {
	n := int64(len(r.procs))
	r.active.Add(n + 1) // the extra one is for this goroutine: a Handle may already wake a process
	r.live.Store(n)
	stop := context.AfterFunc(r.ctx, r.abort)
	order := make([]*proc, 0, n)
	for _, i := range r.plan.Order {
		order = append(order, r.procs[i])
	}
	r.helpers.Add(len(order))
	r.sched.start(order)
	r.drop()
	go func() {
		r.helpers.Wait()
		stop()
		r.conclude()
	}()
}

// conclude waits until all processes have ended and then closes everything.
func (r *Run) conclude() {
	for _, p := range r.procs {
		if err := p.close(); err != nil {
			r.fail(&StepError{Process: p.node.Name, Type: p.node.Type.Name, Step: p.steps, Span: p.node.Span, During: "close", Err: err})
		}
	}
	if r.chrome != nil {
		if err := r.chrome.Close(); err != nil {
			r.fail(fmt.Errorf("the trace cannot be written: %w", err))
		}
		if lost, all := r.chrome.Lost(); lost > 0 {
			r.log.Warn(fmt.Sprintf("the trace has only the newest %d of %d events: no more fit into %d bytes", all-lost, all, r.opt.TraceSize))
		}
	}
	r.wall.Store(int64(time.Since(r.start)))
	for _, p := range r.Warnings() {
		if p.Kind == pipe.EdgeGrown { // report its final size, which was not known before
			r.log.Warn(p.Error())
		}
	}
	r.mu.Lock()
	if r.failure == nil && r.cut.Load() {
		r.failure = ErrStopped
		if errors.Is(context.Cause(r.ctx), context.DeadlineExceeded) {
			r.failure = fmt.Errorf("%w: %w", ErrStopped, context.DeadlineExceeded)
		}
	}
	if r.failure == nil && r.opt.FailOnErrors {
		r.failure = r.errorData()
	}
	r.mu.Unlock()
	r.cancel(nil)
	close(r.done)
}

// Wait waits for the end of the run. It returns nil if all processes completed, a *StepError or
// *DeadlockError if the run failed, and ErrStopped if it was stopped. If the deadline of the context stopped
// it, the error also wraps context.DeadlineExceeded.
func (r *Run) Wait() error {
	<-r.done
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

// ReadsStdin reports whether one of the processes reads standard input.
func (r *Run) ReadsStdin() bool { return r.stdin.Load() }

// Done returns a channel that is closed when the run has ended.
func (r *Run) Done() <-chan struct{} { return r.done }

// Warnings returns the warnings of Check and of the run.
func (r *Run) Warnings() problem.List {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.warnings)
}

// Started returns when the run began to set up its processes. Times in its trace are relative to this time.
func (r *Run) Started() time.Time { return r.start }

// Plan returns the plan of the whole pipeline, including the processes of other sites. A replicated process
// is in it once.
func (r *Run) Plan() *pipe.Plan { return r.resolved }

// fail ends the run. Its error is the first one passed to fail.
func (r *Run) fail(err error) {
	r.mu.Lock()
	first := r.failure == nil
	if first {
		r.failure = err
	}
	r.mu.Unlock()
	if first {
		r.end(err)
	}
}
