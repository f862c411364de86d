package launch

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// Stop is how a node is asked to end. The zero value is SIGTERM.
type Stop struct {
	Signal  syscall.Signal
	Command []string // run on this machine instead of a signal
}

// ParseStop reads the name of a signal, or `exec:COMMAND`.
func ParseStop(s string) (Stop, error) {
	if command, ok := strings.CutPrefix(s, "exec:"); ok {
		words, err := splitCommand(command)
		return Stop{Command: words}, err
	}
	sig, err := ParseSignal(s)
	return Stop{Signal: sig}, err
}

func (s Stop) String() string {
	if len(s.Command) > 0 {
		return "exec:" + QuoteAll(s.Command)
	}
	return SignalName(cmp.Or(s.Signal, syscall.SIGTERM))
}

// stopKeys are the settings of how a program ends.
func stopKeys() []Key {
	return []Key{
		{
			Name: "grace", Takes: "a duration such as `30s`", Doc: "how long it has to end before it is killed, instead of `--grace`",
			set: text(func(s *Settings, text string) (err error) { s.Grace, err = ParseWithin(text); return err }),
		},
		{
			Name: "stop", Takes: "a signal such as `INT`, or `exec:COMMAND`", Doc: "how it is asked to end, by default `TERM`; a command runs here, with the variables of the program and its process in `PENTODE_PID`",
			set: text(func(s *Settings, text string) error {
				stop, err := ParseStop(text)
				s.Stop = &stop
				return err
			}),
		},
	}
}

// grace is how long a job has between being asked to end and being killed.
func (s *Supervisor) grace(j *job) time.Duration { return cmp.Or(j.Grace, s.opt.Grace) }

// ask asks a job to end.
func (s *Supervisor) ask(j *job) {
	if len(j.Stop.Command) > 0 {
		s.stopCommand(j)
		return
	}
	s.signal(j, cmp.Or(j.Stop.Signal, syscall.SIGTERM))
}

// stopCommand runs the command that ends a job. Where that fails, the job is asked as any other.
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
		s.tell(j, state.Log, fmt.Sprintf("the command that ends `%s` has failed, it gets TERM: %s", j.ID, why))
		s.signal(j, syscall.SIGTERM)
	})
}

// runBeside runs a command for a job, kills it after a time unless that is 0, and calls done in the loop, unless the job has
// begun another life. What the command writes is read and dropped. cancel ends it early.
func (s *Supervisor) runBeside(j *job, c Command, limit time.Duration, done func(Exit, error)) (cancel func()) {
	proc, err := s.opt.Host.Start(c)
	if err != nil {
		done(Exit{}, err)
		return func() {}
	}
	kill := func() { _ = proc.Signal(syscall.SIGKILL) } // it may have ended
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
