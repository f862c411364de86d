package launch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// consider puts a waiting job into the queue if everything it waits for is fulfilled.
func (s *Supervisor) consider(j *job) {
	if j.state != Waiting || j.queued || s.phase != running {
		return
	}
	for _, before := range j.after {
		switch {
		case before.holds():
		case before.never():
			s.skip(j, before.lacks()+" and never will")
			return
		default:
			return
		}
	}
	j.queued = true
	s.queue = append(s.queue, j)
}

// startNext starts the first job of the queue.
func (s *Supervisor) startNext() {
	j := s.queue[0]
	s.queue = s.queue[1:]
	j.queued = false
	if j.state != Waiting || s.phase != running {
		return
	}
	j.life++
	j.limit = 0
	j.started, j.ended, j.exit, j.trouble, j.why = s.opt.Host.Now(), time.Time{}, Exit{}, "", ""
	j.remote, j.clock, j.paused, j.killed, j.condemned = 0, nil, false, time.Time{}, 0
	j.wasReady, j.sick, j.next = false, 0, time.Time{}
	command := j.Starter.Command(j.Node)
	limited := s.limitMemory(j, &command)
	proc, err := s.opt.Host.Start(command)
	if err != nil {
		s.notStarted(j, err)
		return
	}
	j.proc, j.state = proc, Starting
	s.open[proc] = true
	s.tell(j, state.Started, fmt.Sprintf("%s `%s` started on %s as process %d%s", j.Kind, j.ID, j.Host, proc.Pid(), limited))
	j.streams = s.newStreams(j, command.Mark)
	s.tend(j, proc, j.streams)
	s.limitTime(j)
	s.awaitReady(j)
	if j.state == Starting {
		s.considerDependents(j)
	}
}

// limitMemory gives a job of this machine a control group if that is allowed, and returns text that says how its memory is limited.
func (s *Supervisor) limitMemory(j *job, c *Command) string {
	limit := j.Around.Limits.Memory
	if limit == 0 {
		return ""
	}
	if _, here := j.Starter.(Local); here && s.group != nil {
		if dir, ok := s.group.Limit(j.ID, limit); ok {
			c.Env = append(c.Env[:len(c.Env):len(c.Env)], Var{"PENTODE_GROUP", dir})
			return ", its memory limited by a control group"
		}
	}
	return ", the memory of each process limited by ulimit"
}

// limitTime sets the timer that ends a job after its time limit.
func (s *Supervisor) limitTime(j *job) {
	if limit := j.Around.Limits.Time; limit > 0 {
		j.deadline = s.later(j, limit, func() { s.condemn(j, 124, fmt.Sprintf("it has run for %s, which is its limit", limit)) })
	}
}

func (s *Supervisor) notStarted(j *job, err error) {
	j.exit = Exit{Code: 126}
	if j.StandIn != "" && notInstalled(err) {
		j.started = time.Time{}
		s.skip(j, j.shown())
		s.settle()
		return
	}
	var start *StartError
	if errors.As(err, &start) {
		j.exit.Code = start.Code
	}
	j.trouble = err.Error()
	s.finish(j)
}

// newStreams prepares the two output streams of a new process.
func (s *Supervisor) newStreams(j *job, mark string) []*stream {
	life := j.life
	streams := make([]*stream, 2)
	for i, name := range []string{"out", "err"} {
		st := &stream{mux: s.mux, label: s.labels[j.index], name: name, log: j.logs[i]}
		st.failed = func(err error) {
			if file := (*fs.PathError)(nil); errors.As(err, &file) {
				err = fmt.Errorf("`%s`: %w", file.Path, file.Err)
			}
			s.post(func() { s.tell(j, state.Log, fmt.Sprintf("the log of `%s` can no longer be written: %s", j.ID, err)) })
		}
		st.found = func() {
			s.post(func() {
				if j.life == life {
					j.heard = true
					s.becomeReady(j)
				}
			})
		}
		if re := j.Ready.pattern(); re != nil {
			st.want.Store(re)
		}
		streams[i] = st
	}
	streams[0].mark = mark
	streams[0].marked = func(pid int, clock *time.Duration) {
		s.post(func() {
			if j.life == life {
				j.remote, j.clock = pid, clock
			}
		})
	}
	return streams
}

// tend reads the output of a process and waits for its end. If children of the process keep running, output may continue after that end.
func (s *Supervisor) tend(j *job, proc Proc, streams []*stream) {
	life := j.life
	s.tending.Go(func() {
		var reading sync.WaitGroup
		if stdout, stderr := proc.Output(); stdout != nil {
			reading.Go(func() { streams[0].copy(stdout) })
			reading.Go(func() { streams[1].copy(stderr) })
		}
		exit := proc.Wait()
		s.post(func() {
			if j.life == life {
				s.exited(j, exit)
			}
		})
		reading.Wait()
		proc.Close()
		s.post(func() { delete(s.open, proc) })
	})
}

const (
	portPoll    = 50 * time.Millisecond
	commandPoll = 250 * time.Millisecond
)

// awaitReady starts the probe or timer that decides when the job is ready.
func (s *Supervisor) awaitReady(j *job) {
	r := j.Ready
	if r.Probe == ProbeNone {
		s.becomeReady(j)
		return
	}
	if d := r.alive(); d > 0 {
		s.after(j, d, func() { s.becomeReady(j) })
		return
	}
	s.after(j, r.timeout(), func() { s.notReady(j) })
	switch r.Probe {
	case ProbeTCP, ProbeHTTP:
		s.probe(j, portPoll, func(ctx context.Context) bool { return s.reach(ctx, j, r) })
	case ProbeExec:
		s.probeCommand(j)
	}
}

// probe calls ready repeatedly, outside the loop, until it returns true.
func (s *Supervisor) probe(j *job, pause time.Duration, ready func(context.Context) bool) {
	ctx, cancel := context.WithCancel(context.Background())
	j.cancel = cancel
	life := j.life
	s.tending.Go(func() {
		for !ready(ctx) {
			wake := make(chan struct{})
			stop := s.opt.Host.AfterFunc(pause, func() { close(wake) })
			select {
			case <-wake:
			case <-ctx.Done():
				stop()
				return
			}
		}
		s.post(func() {
			if j.life == life {
				s.becomeReady(j)
			}
		})
	})
}

// probeCommand runs the readiness command repeatedly until it succeeds.
func (s *Supervisor) probeCommand(j *job) {
	j.cancel = s.runBeside(j, Command{Argv: j.Ready.Command, Env: j.Env}, 0, func(exit Exit, err error) {
		switch {
		case j.state != Starting:
		case err != nil:
			j.trouble = "its readiness check cannot run: " + err.Error()
			s.giveUp(j, 1)
		case !exit.Failed():
			j.cancel = nil
			s.becomeReady(j)
		default:
			j.cancel = nil
			s.after(j, commandPoll, func() {
				if j.state == Starting {
					s.probeCommand(j)
				}
			})
		}
	})
}

func (s *Supervisor) becomeReady(j *job) {
	if j.state != Starting {
		return
	}
	j.stopTimers()
	j.state, j.wasReady = Running, true
	if j.Kind == KindDaemon || j.Ready.Probe != ProbeNone {
		s.tell(j, state.Ready, fmt.Sprintf("%s `%s` is ready", j.Kind, j.ID))
	}
	s.considerDependents(j)
	s.watchHealth(j)
}

// considerDependents considers the jobs that wait for j.
func (s *Supervisor) considerDependents(j *job) {
	for _, d := range j.dependents {
		s.consider(d.job)
	}
}

func (s *Supervisor) notReady(j *job) {
	if j.state != Starting {
		return
	}
	j.trouble = fmt.Sprintf("not ready in %s: expected %s", j.Ready.timeout(), j.Ready)
	s.giveUp(j, 124)
}

// giveUp ends a running job that did not become ready in time.
func (s *Supervisor) giveUp(j *job, code int) {
	s.tell(j, state.Failed, fmt.Sprintf("%s `%s` failed: %s", j.Kind, j.ID, j.trouble))
	s.stopJob(j, j.trouble)
	s.fail(j, code)
}
