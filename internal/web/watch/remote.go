package watch

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/steer"
)

// Remote is a pipeline of another program, which is watched and steered
// through its socket.
type Remote struct {
	socket string
	ctx    context.Context
	leave  context.CancelFunc // ends the watching, not the pipeline
	lives  func() bool        // its program is there, and its socket; nil: that is not known

	mu   sync.Mutex
	last flow.Stats
}

// NewRemote is a pipeline of another program, by its socket.
func NewRemote(socket string) *Remote {
	p := &Remote{socket: socket, last: flow.Stats{State: flow.Running}} // until it answers
	p.ctx, p.leave = context.WithCancel(context.Background())
	return p
}

// askLimit is how long a pipeline is waited for: one that is stopped by a signal
// does not answer.
const askLimit = 2 * time.Second

func (p *Remote) ask(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(p.ctx, askLimit)
	defer cancel()
	return control.Call(ctx, p.socket, method, params, result)
}

// Socket is where the pipeline is steered.
func (p *Remote) Socket() string { return p.socket }

// Stats are the newest figures that could be had.
func (p *Remote) Stats() flow.Stats {
	var now flow.Stats
	err := p.ask(steer.MethodStats, nil, &now)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.last = now
	}
	return p.last
}

func (p *Remote) Pause() error  { return p.ask(steer.MethodPause, nil, nil) }
func (p *Remote) Resume() error { return p.ask(steer.MethodResume, nil, nil) }

// Picture is what a process of the pipeline shows.
func (p *Remote) Picture(process string) (shown flow.Picture, err error) {
	err = p.ask(steer.MethodShow, steer.Show{Process: process}, &shown)
	return shown, err
}

// Stop asks the pipeline to stop. The answer comes when it is over, which Wait
// notices.
func (p *Remote) Stop() {
	go func() { _ = control.Call(p.ctx, p.socket, steer.MethodStop, steer.Stop{}, nil) }()
}

// Why a pipeline of another program ended early, as far as it is known here.
var (
	errGone   = errors.New("its program ended without a word")
	errFailed = errors.New("its own terminal says why")
)

// Wait follows the pipeline to its end. On a busy machine a program may not be
// reached for a moment, or drop a watcher that is slow: it is asked again while it lives.
func (p *Remote) Wait() error {
	err := p.follow()
	for err != nil && p.ctx.Err() == nil && p.lives != nil && p.lives() {
		time.Sleep(followAgain)
		err = p.follow()
	}
	p.leave() // and with it what still waits for an answer
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil || !p.last.State.Ended():
		return errGone
	case p.last.State == flow.Stopped:
		return flow.ErrStopped
	case p.last.State == flow.Failed:
		return errFailed
	}
	return nil
}

// followAgain is the pause before a program is asked again.
const followAgain = 100 * time.Millisecond

// follow keeps the newest figures until the pipeline ends or cannot be followed.
func (p *Remote) follow() error {
	return control.Follow(p.ctx, p.socket, steer.MethodWatch, steer.Watch{EveryMS: int(pointEvery.Milliseconds())}, func(now flow.Stats) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.last = now
		return nil
	})
}
