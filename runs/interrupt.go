package runs

import (
	"context"
	"errors"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
)

// lastGrace is how long a run that must end at once may take to do so.
const lastGrace = 3 * time.Second

// setupGrace is how long a run that has not begun may take to release what it holds.
const setupGrace = 500 * time.Millisecond

// interrupts are the caller's requests to end a run.
type interrupts struct {
	asked  <-chan struct{} // in order
	abort  <-chan struct{} // at once
	events func(Event)
	ctx    context.Context // the context of the run
	cancel context.CancelFunc
}

func newInterrupts(ctx context.Context, abort <-chan struct{}, events func(Event)) *interrupts {
	i := &interrupts{asked: ctx.Done(), abort: abort, events: events}
	i.ctx, i.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return i
}

func (i *interrupts) close() { i.cancel() }

// start starts a run. While the processes are set up there is no work to finish, so an interrupt ends the run and its child programs at once.
func (i *interrupts) start(begin func(context.Context, flow.Options) (*flow.Run, error), opt flow.Options) (*flow.Run, error) {
	type result struct {
		run *flow.Run
		err error
	}
	started := make(chan result, 1)
	go func() {
		run, err := begin(i.ctx, opt)
		started <- result{run, err}
	}()
	select {
	case r := <-started:
		return r.run, r.err
	case <-i.asked:
	}
	i.cancel()
	late := time.After(setupGrace) // opening a pipe may never return
	select {
	case r := <-started:
		if r.run != nil {
			select {
			case <-r.run.Done():
			case <-late:
			}
		}
	case <-late:
	}
	return nil, ErrInterrupted
}

// stoppable is a live run.
type stoppable interface {
	Done() <-chan struct{}
	Wait() error
	Stop()
	Abort()
}

// wait waits for the end of a run. The first interrupt asks the run to end in order, the second ends it at once.
func (i *interrupts) wait(run stoppable) error {
	asked, abort, interrupted := i.asked, (<-chan struct{})(nil), false
	var late <-chan time.Time
	for {
		select {
		case <-run.Done():
			err := run.Wait()
			if interrupted && errors.Is(err, flow.ErrStopped) {
				err = ErrInterrupted
			}
			return err
		case <-late:
			return ErrInterrupted
		case <-asked:
			asked, abort, interrupted = nil, i.abort, true
			i.events(Stopping{})
			run.Stop()
		case <-abort:
			abort = nil
			run.Abort()
			late = time.After(lastGrace)
		}
	}
}
