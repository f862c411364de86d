package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A watch observes a pipeline for a while after a change of its settings. Meanwhile failures of steps are
// reported to it and do not end the run.
type watch struct {
	run    *Run
	opt    SetOptions
	window time.Duration // in which steps are counted
	before []uint64      // steps of each process in one window before the change
	failed chan error
}

const (
	maxWindow = time.Second
	minSteps  = 10 // fewer in a window give no meaningful rate
)

// newWatch measures what the processes do before the change.
func (r *Run) newWatch(opt SetOptions) *watch {
	w := &watch{run: r, opt: opt, window: min(opt.WatchFor, maxWindow), failed: make(chan error, 1)}
	if opt.MinShare > 0 {
		w.before, _ = w.count(context.Background(), time.NewTimer(w.window).C)
	}
	return w
}

// count counts the steps of each process until the given time. It returns nil if the run was paused
// meanwhile, and an error if a process failed.
func (w *watch) count(ctx context.Context, until <-chan time.Time) ([]uint64, error) {
	r := w.run
	from, pauses := r.stepCounts()
	select {
	case <-until:
	case <-r.done:
		return nil, nil
	case <-ctx.Done():
		return nil, nil
	case err := <-w.failed:
		return nil, err
	}
	to, now := r.stepCounts()
	if now != pauses {
		return nil, nil
	}
	for i := range to {
		to[i] -= from[i]
	}
	return to, nil
}

// stepCounts returns the steps of each process so far, and a number that changes with each pause and each
// resume.
func (r *Run) stepCounts() ([]uint64, int) {
	steps := make([]uint64, len(r.procs))
	for i, p := range r.procs {
		steps[i] = p.stepsPub.Load()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return steps, r.pauses
}

// over watches until the time is over, and returns why the old settings must be restored, or nil. Failures
// are reported to the watch until they are restored.
func (w *watch) over(ctx context.Context) error {
	for left := w.opt.WatchFor; left > 0 && !w.run.hasEnded() && ctx.Err() == nil; left -= w.window {
		steps, err := w.count(ctx, time.After(min(left, w.window)))
		if err == nil && left >= w.window {
			err = w.compare(steps)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compare finds a process that has become too slow.
func (w *watch) compare(now []uint64) error {
	if now == nil || w.before == nil {
		return nil
	}
	for i, p := range w.run.procs {
		before := w.before[i]
		if before < minSteps || p.died.Load() != 0 || float64(now[i]) >= w.opt.MinShare*float64(before) {
			continue
		}
		return fmt.Errorf("process `%s` made %d steps in %v, and %d before the change", p.node.Name, now[i], w.window, before)
	}
	return nil
}

// end makes failures end the run again.
func (w *watch) end() {
	for _, p := range w.run.procs {
		p.send(func() error {
			if seen, ok := p.worker.(*watched); ok && seen.watch == w {
				p.worker = p.impl
			}
			return nil
		})
	}
}

// watched makes the steps of a process that is being watched.
type watched struct {
	p     *proc
	watch *watch
}

// Step makes a step. If it fails, its data are taken all the same, and its consumers get an error datum for
// each datum it did not push.
func (w *watched) Step(s pipe.Step) error {
	p := w.p
	heads, nexts := make([]uint64, len(p.ins)), make([]Stamp, len(p.outs))
	for i, in := range p.ins {
		if in.edge != nil {
			heads[i] = in.edge.head
		}
	}
	for i, o := range p.outs {
		nexts[i] = o.next
	}
	err := p.attempt(s)
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	failure := &StepError{Process: p.node.Name, Type: p.node.Type.Name, Step: p.steps, Span: p.node.Span, During: "step", Err: err}
	select {
	case w.watch.failed <- failure:
	default: // one failure is enough
	}
	for i, in := range p.ins {
		for in.edge != nil && p.level != pipe.CheckNone && in.edge.head < heads[i]+in.freq {
			if in.Take().kind >= FlushKind {
				break
			}
		}
	}
	for i, o := range p.outs {
		if o == p.heartbeat {
			continue
		}
		for pushed := int64((o.next - nexts[i]) / o.inc); pushed < o.perStep(); pushed++ {
			o.Push(OfError(err.Error()))
		}
	}
	return nil
}

// attempt makes a step and returns its error, including the error of a panic.
func (p *proc) attempt(s pipe.Step) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case unwound:
			panic(v)
		case *castError:
			err = p.staticCause(v)
		default:
			err = cmp.Or(err, fmt.Errorf("it panicked: %v", v))
		}
	}()
	return p.impl.Step(s)
}
