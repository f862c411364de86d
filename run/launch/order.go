package launch

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// errOver is the answer to a request after the end of the run.
var errOver = errors.New("the run is over")

// Stop ends the run in order and returns at once. code becomes the exit code of the run unless something has failed before: 0, or 128 plus a signal.
func (s *Supervisor) Stop(code int) {
	s.post(func() {
		if s.phase == running && s.failed == "" {
			s.code = code
		}
		s.beginStop("it was asked to stop")
	})
}

// Kill ends the run at once, without a grace period.
func (s *Supervisor) Kill() {
	s.post(func() {
		s.killing = true
		s.tell(nil, state.Killing, "everything is killed")
		s.beginStop("it was killed")
		for _, j := range s.jobs {
			s.stopJob(j, "the run was killed")
			if j.live() && j.killed.IsZero() {
				s.kill(j) // it had only been asked to end before
			}
		}
	})
}

// each calls f in the loop for one node, or for all nodes if node is empty.
func (s *Supervisor) each(node string, f func(*job)) error {
	err := errOver
	s.call(func() {
		if node == "" {
			err = nil
			for _, j := range s.jobs {
				f(j)
			}
			return
		}
		j := s.byID[node]
		if j == nil {
			err = fmt.Errorf("the run has no node `%s`", node)
			return
		}
		err = nil
		f(j)
	})
	return err
}

// Signal sends a signal to the group of one node, or of all.
func (s *Supervisor) Signal(node string, sig syscall.Signal) error {
	idle := ""
	err := s.each(node, func(j *job) {
		if !j.live() {
			idle = string(j.state)
			return
		}
		switch sig {
		case sigPause, sigUserPause:
			j.paused = true
		case sigContinue:
			j.paused = false
		}
		s.signal(j, sig)
	})
	if err == nil && node != "" && idle != "" {
		return fmt.Errorf("node `%s` is not running: it is %s", node, idle)
	}
	return err
}

// Pause stops the processes of one node, or of all, until Continue.
func (s *Supervisor) Pause(node string) error { return s.Signal(node, sigPause) }

// Continue ends a pause.
func (s *Supervisor) Continue(node string) error { return s.Signal(node, sigContinue) }

// StopNode ends one node; it ends a daemon after the processes under it.
func (s *Supervisor) StopNode(node string) error {
	return s.each(node, func(j *job) { s.stopOne(j, false) })
}

// hasten sets how long one node, or every node, may take to end from now on.
func (s *Supervisor) hasten(node string, grace time.Duration) {
	_ = s.each(node, func(j *job) { // the request that follows reports an unknown node
		if j.limit = grace; j.state == Stopping {
			j.stopTimers()
			s.killAfter(j, grace)
		}
	})
}

// KillNode ends one node at once, without a grace period.
func (s *Supervisor) KillNode(node string) error {
	return s.each(node, func(j *job) {
		s.stopOne(j, false)
		if j.live() {
			s.kill(j)
		}
	})
}

// Restart ends one node and starts it again; for a daemon, also the processes under it. It starts a node that has ended, or a visualisation that was
// only declared.
func (s *Supervisor) Restart(node string) error {
	var err error
	if e := s.each(node, func(j *job) {
		switch {
		case s.phase != running:
			err = errOver
		case j.live():
			s.stopOne(j, true)
		default:
			s.wake(j)
		}
	}); e != nil {
		return e
	}
	return err
}

// wake starts a job that is not running, after the daemons it needs.
func (s *Supervisor) wake(j *job) {
	for _, before := range j.after {
		if before.serves(before.job) && before.settled() {
			s.wake(before.job)
		}
	}
	j.stopTimers()
	if j.state == Ended || j.state == Pausing {
		j.restarts++
	}
	j.proc, j.state, j.trouble = nil, Waiting, ""
	s.consider(j)
}

// stopOne stops a job on request. If again is set, the job starts again.
func (s *Supervisor) stopOne(j *job, again bool) {
	switch {
	case j.state == Waiting:
		s.skip(j, "it was stopped on request")
	case j.state == Pausing:
		j.stopTimers()
		j.state = Ended
		s.tell(j, state.Skipped, fmt.Sprintf("%s `%s` is not started again: it was stopped on request", j.Kind, j.ID))
		s.considerDependents(j)
	case j.live():
		s.endWith(j, again, "it was stopped on request")
		return
	}
	s.settle()
}
