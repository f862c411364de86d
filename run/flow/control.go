package flow

import (
	"errors"
	"time"
)

// Errors of calls that do not fit the state of the run.
var (
	ErrEnded     = errors.New("the run has ended")
	ErrStopping  = errors.New("the run is being stopped")
	ErrPaused    = errors.New("the run is paused already")
	ErrNotPaused = errors.New("the run is not paused")
)

func (r *Run) hasEnded() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Pause lets every process finish the step it is in and begins no other.
func (r *Run) Pause() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.hasEnded():
		return ErrEnded
	case r.stopping:
		return ErrStopping
	case r.paused:
		return ErrPaused
	}
	r.paused, r.pausedAt = true, time.Since(r.start)
	r.pauses++
	for _, p := range r.procs {
		p.ctl.Or(askPause)
	}
	return nil
}

// Resume lets a paused run go on.
func (r *Run) Resume() error {
	r.mu.Lock()
	switch {
	case r.hasEnded():
		r.mu.Unlock()
		return ErrEnded
	case !r.paused:
		r.mu.Unlock()
		return ErrNotPaused
	}
	r.unpause()
	r.mu.Unlock()
	r.pokeAll()
	return nil
}

// unpause is called with mu held, so that Pause and Resume do not mix.
func (r *Run) unpause() {
	if r.paused {
		r.rested += time.Since(r.start) - r.pausedAt
	}
	r.paused = false
	r.pauses++
	for _, p := range r.procs {
		p.ctl.And(^askPause)
	}
}

// pausedFor is how long the run was paused until a time after its start.
func (r *Run) pausedFor(now time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paused {
		return r.rested + max(0, now-r.pausedAt)
	}
	return r.rested
}

// Stop ends the run gracefully: sources complete, data under way are worked
// off, every process finalizes. A paused run goes on for that. Wait
// then gives ErrStopped, or nil when the end had come anyway.
func (r *Run) Stop() {
	r.mu.Lock()
	if r.hasEnded() {
		r.mu.Unlock()
		return
	}
	r.stopping = true
	r.unpause()
	for _, p := range r.procs {
		if p.source {
			p.ctl.Or(askStop)
			p.cancel()
		}
	}
	r.mu.Unlock()
	r.pokeAll()
}

// Abort ends the run at once: data under way are lost, nothing is finalized,
// steps that have begun are left where they wait. Wait then gives ErrStopped.
func (r *Run) Abort() { r.end(ErrStopped) }

// end ends the run at once. Every process is told before anything else happens: one whose inputs end because of this end does
// not take that for the end of its data, and leaves its files unfinished.
func (r *Run) end(cause error) {
	r.forbid()
	r.cancel(cause)
}

// abort is what the end of the run's context does.
func (r *Run) abort() {
	r.forbid()
	r.pokeAll()
}

func (r *Run) forbid() {
	for _, p := range r.procs {
		p.ctl.Or(askAbort)
	}
}

// A State says what a run does, or how it ended.
type State string

// The states of a run. A paused run makes no steps until it is resumed; one that
// stops works off the data under way.
const (
	Running  State = "running"
	Paused   State = "paused"
	Stopping State = "stopping"
	Finished State = "finished"
	Stopped  State = "stopped" // before its end
	Failed   State = "failed"
)

// JSONValues returns all of them, for the JSON Schema of answers.
func (State) JSONValues() []string {
	return []string{string(Running), string(Paused), string(Stopping), string(Finished), string(Stopped), string(Failed)}
}

// Ended reports whether a run in that state is over.
func (s State) Ended() bool { return s == Finished || s == Stopped || s == Failed }

// EndState is the state of a run that Wait ended with err.
func EndState(err error) State {
	switch {
	case err == nil:
		return Finished
	case errors.Is(err, ErrStopped):
		return Stopped
	}
	return Failed
}

// State is what the run does now.
func (r *Run) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.hasEnded():
		return EndState(r.failure)
	case r.stopping || r.ctx.Err() != nil:
		return Stopping
	case r.paused:
		return Paused
	}
	return Running
}
