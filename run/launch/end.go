package launch

import (
	"cmp"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

const (
	groupPoll    = 20 * time.Millisecond
	killPatience = time.Second // a process group that still exists this long after it was killed has members that will never be reaped
)

// exited handles the end of the process of a job.
func (s *Supervisor) exited(j *job, e Exit) {
	if j.Kind == KindDaemon && !e.Failed() && j.state != Stopping {
		if left := s.opt.Host.Strays(s.plan.Run, j.ID); len(left) > 0 {
			s.followBackground(j, left)
			return
		}
	}
	j.exit = e
	if ssh, ok := j.Starter.(SSH); ok && e.Code == 255 && j.remote == 0 && j.state != Stopping {
		j.trouble = fmt.Sprintf("%s ends with code 255 when it cannot reach its host", ssh)
	}
	s.awaitGroup(j)
}

// followBackground keeps a daemon alive that forked and exited: the processes that it left are the daemon now.
func (s *Supervisor) followBackground(j *job, left []Proc) {
	b := newBackground(left)
	j.proc = b
	s.open[b] = true
	s.tell(j, state.Background, fmt.Sprintf("daemon `%s` went to the background as process %d", j.ID, b.Pid()))
	s.tend(j, b, nil)
}

// awaitGroup finishes a job at once, unless the job is being stopped: then its whole group must be gone first.
func (s *Supervisor) awaitGroup(j *job) {
	if j.state == Stopping && j.proc.Alive() && (j.killed.IsZero() || s.opt.Host.Now().Sub(j.killed) < killPatience) {
		s.after(j, groupPoll, func() { s.awaitGroup(j) })
		return
	}
	s.finish(j)
}

// finish decides what the end of a job means.
func (s *Supervisor) finish(j *job) {
	j.stopTimers()
	if j.deadline != nil {
		j.deadline()
		j.deadline = nil
	}
	j.state, j.ended = Ended, s.opt.Host.Now()
	lived := j.ended.Sub(j.started)
	if lived >= j.Restart.maxPause() {
		j.streak = 0
	}
	unwanted := s.phase == running && (j.why == "" || j.condemned != 0)
	bad := j.exit.Failed() || j.condemned != 0
	again := unwanted && j.Restart.wants(bad, j.restarts)
	failed := unwanted && !again && (bad || s.needed(j))
	onRequest := s.phase == running && j.again
	j.again = again || onRequest // the Ended event reports whether the job runs again
	what := state.Ended
	if failed {
		what = state.Failed
	}
	s.tell(j, what, s.ending(j))
	j.again = false
	switch {
	case s.phase != running:
	case onRequest:
		s.wake(j)
	case again:
		s.backOff(j)
	case failed:
		s.fail(j, cmp.Or(j.condemned, j.exit.Status()))
	case j.Kind == KindDaemon:
		s.endDependents(j, false)
	}
	for _, before := range j.after {
		s.stopIdle(before.job)
	}
	s.considerDependents(j)
	s.gone(j)
	s.settle()
}

// ending returns the sentence that says how a job ended.
func (s *Supervisor) ending(j *job) string {
	what := fmt.Sprintf("%s `%s`", j.Kind, j.ID)
	switch {
	case j.proc == nil && j.trouble != "":
		return what + " did not start: " + j.trouble
	case j.why != "":
		return what + " ended: " + j.why
	case j.exit.Signal != 0:
		return fmt.Sprintf("%s died: killed by signal %d (%s)", what, j.exit.Signal, SignalName(j.exit.Signal))
	case j.exit.Code < 0:
		return what + " ended; its exit code is not known"
	case s.phase == running && s.needed(j):
		return fmt.Sprintf("%s ended with code %d while other programs need it", what, j.exit.Code)
	}
	return fmt.Sprintf("%s ended with code %d", what, j.exit.Code)
}

// needed reports whether another node needs j to keep running or to start.
func (s *Supervisor) needed(j *job) bool {
	return slices.ContainsFunc(j.dependents, func(d link) bool {
		return d.serves(j) && !d.settled() || d.until == UntilReady && d.state == Waiting && !j.wasReady
	})
}

// backOff starts an ended job again after a pause. Nodes that depend on it are stopped and wait until it is back.
func (s *Supervisor) backOff(j *job) {
	pause := j.Restart.pause(j.streak)
	j.streak++
	j.state, j.next = Pausing, s.opt.Host.Now().Add(pause)
	s.tell(j, state.Restarting, fmt.Sprintf("%s `%s` is started again in %s", j.Kind, j.ID, pause))
	s.endDependents(j, true)
	s.after(j, pause, func() {
		if j.state == Pausing {
			s.wake(j)
		}
	})
}

// endDependents stops the nodes that cannot continue without j. If again is set, they start again when j is back.
func (s *Supervisor) endDependents(j *job, again bool) {
	if j.Kind != KindDaemon {
		return
	}
	for _, d := range j.dependents {
		switch {
		case !d.serves(j):
		case d.live():
			s.endWith(d.job, again, fmt.Sprintf("its daemon `%s` has ended", j.ID))
		case d.state == Pausing && again:
			d.stopTimers()
			d.state = Waiting
		case (d.state == Waiting || d.state == Pausing) && !again:
			s.skip(d.job, fmt.Sprintf("its daemon `%s` has ended", j.ID))
		}
	}
}

// endWith stops a job after the jobs that need it, on request or because its daemon stops. If again is set, it starts again.
func (s *Supervisor) endWith(j *job, again bool, why string) {
	j.again, j.idle = again, why
	for _, d := range j.dependents {
		if d.serves(j) && d.live() {
			s.endWith(d.job, again, fmt.Sprintf("its daemon `%s` is stopped", j.ID))
		}
	}
	s.stopIdle(j)
}

func (s *Supervisor) skip(j *job, why string) {
	j.stopTimers()
	j.state, j.trouble = Skipped, why
	s.tell(j, state.Skipped, fmt.Sprintf("%s `%s` is not started: %s", j.Kind, j.ID, why))
	s.considerDependents(j)
}

// fail remembers the first failure, and ends the run unless KeepGoing is set.
func (s *Supervisor) fail(j *job, code int) {
	if s.failed == "" {
		s.failed, s.code = j.ID, max(code, 1) // the code is at least 1: a daemon that exits too early has failed even with code 0
	}
	if s.opt.KeepGoing {
		s.endDependents(j, false)
		s.settle()
		return
	}
	s.beginStop(fmt.Sprintf("%s `%s` failed", j.Kind, j.ID))
}

// settle ends the run when there is nothing left to wait for.
func (s *Supervisor) settle() {
	if s.phase != running {
		return
	}
	decisive := false // whether the run has foreground nodes
	for _, j := range s.jobs {
		if j.foreground() && j.state != Declared {
			decisive = true
			if !j.settled() {
				return
			}
		}
	}
	for _, j := range s.jobs {
		if !decisive && !j.settled() {
			return
		}
	}
	s.beginStop("everything has ended")
}

// background is the group of processes that a daemon left behind when it went to the background, treated as one process.
type background struct {
	Proc
	rest []Proc
}

func newBackground(procs []Proc) *background { return &background{procs[0], procs[1:]} }

func (b *background) Wait() Exit {
	e := b.Proc.Wait()
	for _, p := range b.rest {
		p.Wait()
	}
	return e
}

func (b *background) Signal(sig syscall.Signal) error {
	err := b.Proc.Signal(sig)
	for _, p := range b.rest {
		if e := p.Signal(sig); err == nil {
			err = e
		}
	}
	return err
}

func (b *background) Alive() bool {
	alive := b.Proc.Alive()
	for _, p := range b.rest {
		alive = p.Alive() || alive
	}
	return alive
}

func (b *background) Drain() {
	b.Proc.Drain()
	for _, p := range b.rest {
		p.Drain()
	}
}

func (b *background) Close() {
	b.Proc.Close()
	for _, p := range b.rest {
		p.Close()
	}
}
