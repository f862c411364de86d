package flow

import (
	"errors"
	"time"
)

// Errors returned by calls that the current state of the run does not allow.
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

// Pause stops every process after its current step, until Resume.
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

// Resume continues a paused run.
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

// unpause resumes the run. The caller holds mu, so that Pause and Resume do not interleave.
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

// pausedFor returns the total time that the run had been paused by now, a time since its start.
func (r *Run) pausedFor(now time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paused {
		return r.rested + max(0, now-r.pausedAt)
	}
	return r.rested
}

// Stop ends the run gracefully: sources complete, data already in the pipeline are processed, and every process finalizes. A
// paused run is resumed to do this. Wait then returns ErrStopped, or nil if the run had reached its end anyway.
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

// Abort ends the run at once: data in the pipeline are lost, no process is finalized, and a step that waits is abandoned.
// Wait then returns ErrStopped.
func (r *Run) Abort() { r.end(ErrStopped) }

// end ends the run at once. It tells every process to abort before it cancels the context. Otherwise a process whose inputs
// end would take this for the normal end of its data and finish its files.
func (r *Run) end(cause error) {
	r.forbid()
	r.cancel(cause)
}

// abort runs when the context of the run is cancelled.
func (r *Run) abort() {
	r.forbid()
	r.pokeAll()
}

func (r *Run) forbid() {
	for _, p := range r.procs {
		p.ctl.Or(askAbort)
	}
}

// A State is what a run is doing, or how it ended.
type State string

// The states of a run. A paused run makes no steps until it is resumed; a stopping run still processes the data in the
// pipeline.
const (
	Running  State = "running"
	Paused   State = "paused"
	Stopping State = "stopping"
	Finished State = "finished"
	Stopped  State = "stopped" // ended early, by Stop, Abort or the context
	Failed   State = "failed"
)

// JSONValues returns all states. The JSON Schema of answers lists them.
func (State) JSONValues() []string {
	return []string{string(Running), string(Paused), string(Stopping), string(Finished), string(Stopped), string(Failed)}
}

// Ended reports whether a run in this state is over.
func (s State) Ended() bool { return s == Finished || s == Stopped || s == Failed }

// EndState returns the state of a run whose Wait returned err.
func EndState(err error) State {
	switch {
	case err == nil:
		return Finished
	case errors.Is(err, ErrStopped):
		return Stopped
	}
	return Failed
}

// State returns what the run is doing now.
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
