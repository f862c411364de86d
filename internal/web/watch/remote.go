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

// Remote is a pipeline of another program. It is watched and controlled
// through its socket.
type Remote struct {
	socket string
	ctx    context.Context
	leave  context.CancelFunc // ends the watching, not the pipeline
	lives  func() bool        // reports whether its program and its socket exist; nil: unknown

	mu   sync.Mutex
	last flow.Stats
}

// NewRemote returns a pipeline of another program, given its socket.
func NewRemote(socket string) *Remote {
	p := &Remote{socket: socket, last: flow.Stats{State: flow.Running}} // until the first answer
	p.ctx, p.leave = context.WithCancel(context.Background())
	return p
}

// askLimit is the time that a pipeline has to answer. A pipeline stopped by a signal
// does not answer.
const askLimit = 2 * time.Second

func (p *Remote) ask(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(p.ctx, askLimit)
	defer cancel()
	return control.Call(ctx, p.socket, method, params, result)
}

// Socket returns the control socket of the pipeline.
func (p *Remote) Socket() string { return p.socket }

// Stats returns the newest available figures.
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

// Picture returns the picture that a process of the pipeline shows.
func (p *Remote) Picture(process string) (shown flow.Picture, err error) {
	err = p.ask(steer.MethodShow, steer.Show{Process: process}, &shown)
	return shown, err
}

// Stop asks the pipeline to stop. It does not wait for the answer, which comes when
// the pipeline is over: Wait notices that.
func (p *Remote) Stop() {
	go func() { _ = control.Call(p.ctx, p.socket, steer.MethodStop, steer.Stop{}, nil) }()
}

// Reasons why a pipeline of another program ended early, as far as known here.
var (
	errGone   = errors.New("its program ended without an answer")
	errFailed = errors.New("its own terminal shows why")
)

// Wait follows the pipeline to its end. On a busy machine a program may be unreachable
// for a moment, or drop a slow watcher, so Wait tries again while the program lives.
func (p *Remote) Wait() error {
	err := p.follow()
	for err != nil && p.ctx.Err() == nil && p.lives != nil && p.lives() {
		time.Sleep(followAgain)
		err = p.follow()
	}
	p.leave() // also ends requests that still wait for an answer
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

// followAgain is the pause before the next try.
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
