package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A watch observes a pipeline for some time after a change of settings. During this time, a failed step is
// reported to the watch and does not end the run.
type watch struct {
	run    *Run
	opt    SetOptions
	window time.Duration // length of the windows in which steps are counted
	before []uint64      // steps of each process in a window before the change; nil: not known
	failed chan error
}

const (
	maxWindow = time.Second
	minSteps  = 10 // with fewer steps in a window, a process is not judged by its rate
)

// newWatch counts the steps of the processes before the change.
func (r *Run) newWatch(opt SetOptions) *watch {
	w := &watch{run: r, opt: opt, window: min(opt.WatchFor, maxWindow), failed: make(chan error, 1)}
	if opt.MinShare > 0 {
		w.before, _ = w.count(context.Background(), time.NewTimer(w.window).C)
	}
	return w
}

// count returns how many steps each process makes until the given time. It returns nil if the run was
// paused or resumed meanwhile, and an error if a process failed.
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

// stepCounts returns the steps of each process so far, and how often the run was paused or resumed.
func (r *Run) stepCounts() ([]uint64, int) {
	steps := make([]uint64, len(r.procs))
	for i, p := range r.procs {
		steps[i] = p.stepsPub.Load()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return steps, r.pauses
}

// over observes the run for the time in the options. It returns why the old settings must be restored, or
// nil. Until they are restored, failed steps still do not end the run.
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

// compare returns an error that names a process which has become too slow, or nil.
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

// end ends the observation: from now on, a failed step ends the run again.
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

// watched replaces a process while its steps are observed.
type watched struct {
	p     *proc
	watch *watch
}

// Step makes a step. If the step fails, its data are taken from the inputs as usual, and error data replace
// those it did not push.
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
	default: // a failure was reported already
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

// attempt makes a step. If the step panics, attempt returns the panic as an error.
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
