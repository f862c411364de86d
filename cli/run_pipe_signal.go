package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
)

// lastGrace is how long a run that was told to end at once may take for it.
const lastGrace = 3 * time.Second

// setupGrace is how long a run that has not begun may take to give back what
// it holds.
const setupGrace = 500 * time.Millisecond

// errInterrupted is the end of a run by Ctrl-C or a signal. One that was stopped
// in another way, by a key of the live view or by another program, has only
// flow.ErrStopped.
var errInterrupted = fmt.Errorf("a signal has come: %w", flow.ErrStopped)

// interrupts are the user's wishes that a run shall end.
type interrupts struct {
	signals chan os.Signal
	ctx     context.Context // of the run
	cancel  context.CancelFunc
}

func listen() *interrupts {
	i := &interrupts{signals: make(chan os.Signal, 2)}
	i.ctx, i.cancel = context.WithCancel(context.Background())
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup lets a run outlive its terminal
		signal.Notify(i.signals, syscall.SIGHUP)
	}
	return i
}

func (i *interrupts) close() {
	signal.Stop(i.signals)
	i.cancel()
}

// start starts a run. While its processes are set up there is nothing to
// finish, so an interrupt ends it at once, and the children it has with it.
func (i *interrupts) start(p *flow.Pipeline, opt flow.Options) (*flow.Run, error) {
	type result struct {
		run *flow.Run
		err error
	}
	started := make(chan result, 1)
	go func() {
		run, err := p.Start(i.ctx, opt)
		started <- result{run, err}
	}()
	select {
	case r := <-started:
		return r.run, r.err
	case <-i.signals:
	}
	i.cancel()
	late := time.After(setupGrace) // opening a pipe may take for ever
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
	return nil, errInterrupted
}

// stoppable is a run that goes on.
type stoppable interface {
	Done() <-chan struct{}
	Wait() error
	Stop()
	Abort()
}

// wait waits for the end of a run. The first interrupt asks it to end in good
// order, the second ends it at once.
func (i *interrupts) wait(run stoppable, s *screen) error {
	var late <-chan time.Time
	for asked := 0; ; {
		select {
		case <-run.Done():
			err := run.Wait()
			if asked > 0 && errors.Is(err, flow.ErrStopped) {
				err = errInterrupted
			}
			return err
		case <-late:
			return errInterrupted
		case <-i.signals:
			asked++
			switch asked {
			case 1:
				s.say("stopping: what is under way is finished; interrupt again to end at once")
				run.Stop()
			case 2:
				run.Abort()
				late = time.After(lastGrace)
			}
		}
	}
}
