package launch

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// beginStop ends the run: first the nodes that no other node comes after, daemons after everything else, processes that left their groups last.
func (s *Supervisor) beginStop(why string) {
	if s.phase != running {
		return
	}
	s.phase, s.stopped, s.queue = ending, s.opt.Host.Now(), nil
	s.tell(nil, state.Stopping, "the run ends: "+why)
	for i := len(s.jobs) - 1; i >= 0; i-- { // each comes after the nodes it depends on
		j := s.jobs[i]
		switch {
		case j.state == Waiting:
			s.skip(j, "the run has ended")
		case j.state == Pausing:
			j.stopTimers()
			j.state = Ended
		case j.live():
			j.stopping = true
			s.left++
			if j.foreground() {
				s.decisive++
			}
		}
		if j.stopping || j.holders > 0 {
			for _, before := range j.after {
				before.holders++
			}
		}
	}
	s.stopUnneeded()
}

// stopUnneeded stops jobs that no live job comes after. It stops a daemon only when everything else has ended, unless the daemon itself comes after
// another node.
func (s *Supervisor) stopUnneeded() {
	for i := len(s.jobs) - 1; i >= 0; i-- {
		s.stopFree(s.jobs[i])
	}
	s.beginStrays()
}

func (s *Supervisor) stopFree(j *job) {
	if j.stopping && j.holders == 0 && (j.foreground() || j.early || s.decisive == 0) {
		s.stopJob(j, "the run has ended")
	}
}

// gone continues the end of the run after the end of a job.
func (s *Supervisor) gone(j *job) {
	if !j.stopping {
		return
	}
	j.stopping = false
	s.left--
	if j.holders == 0 {
		s.unhold(j)
	}
	if j.foreground() {
		s.decisive--
		if s.decisive == 0 {
			s.stopUnneeded()
		}
	}
	s.beginStrays()
}

// unhold allows the jobs that j comes after to stop, unless other live jobs come after them, directly or through a job that has already ended.
func (s *Supervisor) unhold(j *job) {
	for _, before := range j.after {
		before.holders--
		switch {
		case before.holders > 0:
		case before.stopping:
			s.stopFree(before.job)
		default:
			s.unhold(before.job)
		}
	}
}

// beginStrays ends the processes that left their groups, once everything else has ended.
func (s *Supervisor) beginStrays() {
	if s.phase != ending || s.left > 0 {
		return
	}
	s.phase = endStrays
	// Strays share the two grace periods that all programs have together.
	s.strayEnd = s.stopped.Add(2 * s.opt.Grace)
	if soon := s.opt.Host.Now().Add(2 * groupPoll); s.strayEnd.Before(soon) {
		s.strayEnd = soon
	}
	s.endStrays(syscall.SIGTERM)
}

// strayPatience is how long killed processes may take to disappear: on a busy machine, seconds.
const strayPatience = 10 * time.Second

// endStrays signals processes that left their groups and checks again until none is left. It reports a process that cannot be killed and gives up on
// it.
func (s *Supervisor) endStrays(sig syscall.Signal) {
	left := s.opt.Host.Strays(s.plan.Run, "")
	first := 0
	for _, p := range left {
		first = p.Pid()
		if sig != 0 {
			_ = p.Signal(sig)
			_ = p.Signal(sigContinue)
		}
		p.Close()
	}
	now := s.opt.Host.Now()
	nothing := len(left) == 0 && s.cleared
	s.cleared = len(left) == 0 // only when found twice: a process that is becoming another program has no mark
	switch {
	case len(left) > 0 && now.After(s.strayEnd.Add(strayPatience)):
		s.tell(nil, state.Killing, fmt.Sprintf("%d processes of the run do not end; the first is process %d", len(left), first))
		fallthrough
	case nothing:
		s.phase = over
		s.tell(nil, state.Over, "the run is over")
		return
	}
	next := syscall.Signal(0)
	if s.killing || now.After(s.strayEnd) {
		next = syscall.SIGKILL
	}
	s.opt.Host.AfterFunc(groupPoll, func() { s.post(func() { s.endStrays(next) }) })
}

// stopJob asks the group of a job to end, and kills it after the grace period.
func (s *Supervisor) stopJob(j *job, why string) {
	if !j.live() || j.state == Stopping {
		return
	}
	j.stopTimers()
	j.state, j.why = Stopping, why
	if s.killing {
		s.kill(j)
		return
	}
	s.ask(j)
	if j.paused {
		s.signal(j, sigContinue) // a paused process would not handle the first signal
	}
	s.killAfter(j, s.grace(j))
}

// killAfter kills a job that has not ended after the grace period.
func (s *Supervisor) killAfter(j *job, grace time.Duration) {
	s.after(j, grace, func() {
		s.tell(j, state.Killing, fmt.Sprintf("%s `%s` has not ended in %s and is killed", j.Kind, j.ID, grace))
		s.kill(j)
	})
}

// condemn ends a job that must not continue as it is. Then the job is treated as if it had failed by itself with this code.
func (s *Supervisor) condemn(j *job, code int, why string) {
	if j.state == Starting || j.state == Running {
		j.condemned = code
		s.stopJob(j, why)
	}
}

func (s *Supervisor) kill(j *job) {
	if j.killed.IsZero() {
		j.killed = s.opt.Host.Now()
	}
	s.signal(j, syscall.SIGKILL)
}

func (s *Supervisor) signal(j *job, sig syscall.Signal) {
	if err := j.proc.Signal(sig); err != nil {
		s.tell(j, state.Log, fmt.Sprintf("%s `%s` cannot be sent a signal: %s", j.Kind, j.ID, err))
	}
}

// stopIdle stops a job that was only kept until the jobs that need it have ended.
func (s *Supervisor) stopIdle(j *job) {
	if j.idle == "" || slices.ContainsFunc(j.dependents, func(d link) bool { return d.serves(j) && d.live() }) {
		return
	}
	why := j.idle
	j.idle = ""
	s.stopJob(j, why)
}

// grace returns how long a job may take to end before it is killed.
func (s *Supervisor) grace(j *job) time.Duration { return cmp.Or(j.limit, j.Grace, s.opt.Grace) }

// ask asks a job to end.
func (s *Supervisor) ask(j *job) {
	if len(j.Stop.Command) > 0 {
		s.stopCommand(j)
		return
	}
	s.signal(j, cmp.Or(j.Stop.Signal, syscall.SIGTERM))
}

// stopCommand runs the command that ends a job. If that fails, the job gets SIGTERM.
func (s *Supervisor) stopCommand(j *job) {
	c := Command{Argv: j.Stop.Command, Env: append(j.inherited(), Var{"PENTODE_PID", strconv.Itoa(cmp.Or(j.remote, j.proc.Pid()))})}
	if _, here := j.Starter.(Local); here {
		c.Dir = j.Dir
	}
	s.runBeside(j, c, s.grace(j), func(exit Exit, err error) {
		if j.state != Stopping || err == nil && !exit.Failed() {
			return
		}
		why := fmt.Sprintf("ended with code %d", exit.Status())
		if err != nil {
			why = err.Error()
		}
		s.tell(j, state.Log, fmt.Sprintf("the command that ends `%s` has failed, so the program gets TERM: %s", j.ID, why))
		s.signal(j, syscall.SIGTERM)
	})
}

// runBeside runs a command for a job, kills it after the limit unless that is 0, and calls done in the loop unless the job has begun another life. It
// discards the output of the command. cancel ends the command early.
func (s *Supervisor) runBeside(j *job, c Command, limit time.Duration, done func(Exit, error)) (cancel func()) {
	proc, err := s.opt.Host.Start(c)
	if err != nil {
		done(Exit{}, err)
		return func() {}
	}
	kill := func() { _ = proc.Signal(syscall.SIGKILL) } // it may already have ended
	stop := func() bool { return true }
	if limit > 0 {
		stop = s.opt.Host.AfterFunc(limit, kill)
	}
	life := j.life
	s.tending.Go(func() {
		defer proc.Close()
		stdout, stderr := proc.Output()
		s.tending.Go(func() { _, _ = io.Copy(io.Discard, stdout) }) // ends with the command, or when it is closed
		s.tending.Go(func() { _, _ = io.Copy(io.Discard, stderr) })
		exit := proc.Wait()
		stop()
		s.post(func() {
			if j.life == life {
				done(exit, nil)
			}
		})
	})
	return kill
}
