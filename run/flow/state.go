package flow

import "errors"

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
