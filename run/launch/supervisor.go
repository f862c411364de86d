package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// RunOptions are the options of a run that are not in its plan.
type RunOptions struct {
	Host      Host
	State     *state.Dir        // the folder for logs, journal and socket; nil: none
	Output    io.Writer         // gets every line of every node, with its name; nil: not written
	Colour    bool              // names in colour
	Report    func(state.Event) // called for each event, one at a time; must not call the supervisor
	Grace     time.Duration     // between asking to end and killing; 0: ten seconds
	Logs      state.Rotation    // when a log is rotated and compressed
	Hangup    Hangup            // what SIGHUP does; empty: HangupForward
	KeepGoing bool              // a failure ends only the nodes that depend on the failed node
	Began     func(*Supervisor) // called by Run once everything has started; may be nil
}

// Supervisor runs a plan.
type Supervisor struct {
	opt     RunOptions
	plan    *Plan
	events  chan func()
	ended   chan struct{} // the loop has ended: it takes no more events
	known   chan struct{} // the result is known
	done    chan struct{} // everything has ended, the socket is closed
	result  Result
	tending sync.WaitGroup
	release func()
	unbind  func() bool // detaches the supervisor from the context of Start
	journal *state.Journal
	allLog  *state.LogWriter
	group   *state.Group // nil: not needed, or not allowed
	server  *control.Server
	feed    control.Feed[state.Event]
	untold  bool // events are missing in the journal, and this has been reported

	// The fields below belong to the loop.
	mux      *mux
	labels   []label
	jobs     []*job
	byID     map[string]*job
	queue    []*job
	open     map[Proc]bool
	began    time.Time
	failed   string // the first node that failed
	code     int
	phase    phase
	stopped  time.Time // when stopping began
	left     int       // jobs that were live then and still are
	decisive int       // those among left that are foreground
	killing  bool
	strayEnd time.Time
	cleared  bool // the last check found no stray
}

// phase is the phase of a run.
type phase int

const (
	running   phase = iota
	ending          // unneeded nodes are being stopped
	endStrays       // processes that left their groups are being ended
	over
)

// stoppedCode is the exit code of a run whose context has ended: the code that shells use for SIGINT.
const stoppedCode = 130

// Start starts a plan and returns at once. The end of the context stops the run in order, as Supervisor.Stop does with code 130.
func Start(ctx context.Context, p *Plan, o RunOptions) (*Supervisor, error) {
	o.Host = o.Host.orSystem()
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	if o.Report == nil {
		o.Report = func(state.Event) {}
	}
	if len(p.Nodes) == 0 {
		return nil, errors.New("the plan has no node: there is nothing to start")
	}
	s := &Supervisor{
		opt:    o,
		plan:   p,
		events: make(chan func(), 64),
		ended:  make(chan struct{}),
		known:  make(chan struct{}),
		done:   make(chan struct{}),
		mux:    &mux{now: o.Host.Now},
		labels: newLabels(p.Nodes),
		byID:   map[string]*job{},
		open:   map[Proc]bool{},
		began:  o.Host.Now(),
	}
	if err := s.link(); err != nil {
		return nil, err
	}
	if o.Output != nil {
		s.mux.to = append(s.mux.to, &sink{w: o.Output, colour: o.Colour})
	}
	release, err := o.Host.Adopt(p.Run)
	if err != nil {
		return nil, fmt.Errorf("become the parent of orphaned processes: %w", err)
	}
	s.release = release
	if err := s.openState(); err != nil {
		s.closeState()
		s.release()
		return nil, err
	}
	s.unbind = context.AfterFunc(ctx, func() { s.Stop(stoppedCode) })
	go s.loop()
	return s, nil
}

// link makes a job for each node.
func (s *Supervisor) link() error {
	for i, n := range s.plan.Nodes {
		if s.byID[n.ID] != nil {
			return fmt.Errorf("two nodes of the plan are called `%s`", n.ID)
		}
		j := &job{Node: n, index: i, state: Waiting}
		if n.OnRequest {
			j.state = Declared
		}
		if d := s.opt.State; d != nil {
			j.logs = [2]*state.LogWriter{state.NewLog(d.LogFile(n.ID, "out"), s.opt.Logs), state.NewLog(d.LogFile(n.ID, "err"), s.opt.Logs)}
		}
		for _, e := range n.After {
			before := s.byID[e.ID]
			if before == nil {
				return fmt.Errorf("node `%s` comes after `%s`, which is not before it in the plan", n.ID, e.ID)
			}
			j.after = append(j.after, link{before, e.Until})
			j.early = j.early || before.foreground() || before.early
			before.dependents = append(before.dependents, link{j, e.Until})
		}
		s.jobs = append(s.jobs, j)
		s.byID[n.ID] = j
	}
	return nil
}

// openState creates the run's files and opens its socket.
func (s *Supervisor) openState() (err error) {
	if s.opt.State == nil {
		return nil
	}
	if err := s.opt.State.WriteFile("tunables.json", s.plan.TunablesJSON()); err != nil {
		return err
	}
	if s.journal, err = s.opt.State.Journal(); err != nil {
		return err
	}
	if slices.ContainsFunc(s.plan.Nodes, func(n *Node) bool { return n.Around.Limits.Memory > 0 }) {
		s.group = s.opt.State.NewGroup()
	}
	s.allLog, err = state.OpenLog(s.opt.State.LogFile("", ""), s.opt.Logs)
	if err != nil {
		return fmt.Errorf("open the log of the run: %w", err)
	}
	s.mux.to = append(s.mux.to, &sink{w: s.allLog, stamped: true, failed: func() {
		s.post(func() { s.tell(nil, state.Log, "the common log of all programs can no longer be written") })
	}})
	s.server, err = control.Listen(s.opt.State.Socket(), s.methods())
	return err
}

func (s *Supervisor) closeState() {
	s.feed.Close()
	if s.server != nil {
		s.server.Close()
	}
	if s.journal != nil {
		s.journal.Close()
	}
	if s.allLog != nil {
		s.allLog.Close()
	}
	if s.group != nil {
		s.opt.State.RemoveGroup()
	}
}

// loop is the only goroutine that touches jobs, and its thread is the only thread that starts processes. It starts one process at a time, so that a
// request never waits for a thousand starts.
func (s *Supervisor) loop() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, j := range s.jobs {
		s.consider(j)
	}
	s.settle()
	for s.phase != over {
		if len(s.queue) == 0 {
			(<-s.events)()
			continue
		}
		select {
		case f := <-s.events:
			f()
		default:
			s.startNext()
		}
	}
	close(s.ended)
	s.unbind()
	s.drain()
	s.release()
	s.result = s.makeResult()
	s.saveResult()
	close(s.known)
	s.closeState()
	close(s.done)
}

// drain waits for the last lines of the logs. All processes are gone, so this is short, unless a reader is slow, such as a person with a pager. If
// another process keeps a pipe open, reading ends after a while with what the pipe contains.
func (s *Supervisor) drain() {
	finished := make(chan struct{})
	go func() {
		s.tending.Wait()
		close(finished)
	}()
	const patience = time.Second
	for passed, idle := int64(-1), 0; idle < 5; {
		timeout := make(chan struct{})
		stop := s.opt.Host.AfterFunc(patience, func() { close(timeout) })
		select {
		case <-finished:
			stop()
			return
		case <-timeout:
		}
		now := s.mux.passed.Load()
		if idle++; now != passed || s.mux.writing.Load() {
			passed, idle = now, 0
		}
		for p := range s.open {
			p.Drain()
		}
	}
}

// post passes f to the loop; after the end of the loop, f is dropped.
func (s *Supervisor) post(f func()) {
	select {
	case s.events <- f:
	case <-s.ended:
	}
}

// call runs f in the loop and waits until it has run; false: the run is over.
func (s *Supervisor) call(f func()) bool {
	finished := make(chan struct{})
	s.post(func() {
		f()
		close(finished)
	})
	select {
	case <-finished:
		return true
	case <-s.ended:
		select {
		case <-finished: // it was the last thing the loop did
			return true
		default:
			return false
		}
	}
}

// after calls f in the loop after d, if j is still in the same life.
func (s *Supervisor) after(j *job, d time.Duration, f func()) {
	j.timers = append(j.timers, s.later(j, d, f))
}

// later is like after, but its caller can stop the timer.
func (s *Supervisor) later(j *job, d time.Duration, f func()) (stop func() bool) {
	life := j.life
	return s.opt.Host.AfterFunc(d, func() {
		s.post(func() {
			if j.life == life {
				f()
			}
		})
	})
}

// Wait returns when the run is over and all its processes have ended.
func (s *Supervisor) Wait() Result {
	<-s.done
	return s.result
}

// tell reports an event, writes it to the journal and publishes it.
func (s *Supervisor) tell(j *job, what state.What, text string) {
	e := state.Event{Time: s.opt.Host.Now(), What: what, Text: text}
	if j != nil {
		e.Node = j.ID
		if j.proc != nil && (what == state.Started || what == state.Background) {
			e.Process = state.Identify(j.proc.Pid())
		}
		if j.state == Ended {
			e.Code, e.Again = j.exit.Status(), j.again
		}
	}
	untold := s.journal != nil && s.journal.Append(e) != nil && !s.untold
	s.feed.Publish(e)
	s.opt.Report(e)
	if untold { // a full disk must not end the run
		s.untold = true
		s.tell(nil, state.Log, "the journal of the run can no longer be written; `ps` will be incomplete")
	}
}

// Hangup is the reaction of a run to the closing of its terminal.
type Hangup string

const (
	HangupForward Hangup = "forward" // every node gets the signal
	HangupStop    Hangup = "stop"    // the run stops in order
	HangupIgnore  Hangup = "ignore"  // the run continues
)

// Run starts a plan, lets the signals of this program control it, and returns when it is over. INT and TERM stop the run, and a
// second INT or TERM kills it. USR1 and USR2 are passed to every node, and so is HUP unless RunOptions.Hangup says otherwise. TSTP
// pauses every node and then this program, until CONT. PIPE is ignored: if the output is no longer read, the logs continue.
// Signals are caught before anything is started, so that none is missed. The end of the context also stops the run.
func Run(ctx context.Context, p *Plan, o RunOptions) (Result, error) {
	news := make(chan os.Signal, 16)
	signal.Notify(news, steering()...)
	defer signal.Stop(news)
	s, err := Start(ctx, p, o)
	if err != nil {
		return Result{}, err
	}
	if o.Began != nil {
		o.Began(s)
	}
	return s.forward(news), nil
}

// forward turns signals into requests until the run is over.
func (s *Supervisor) forward(news <-chan os.Signal) Result {
	asked := false
	for {
		select {
		case <-s.done:
			return s.Wait()
		case n := <-news:
			switch sig := n.(syscall.Signal); sig {
			case syscall.SIGINT, syscall.SIGTERM:
				if asked {
					s.Kill()
				} else {
					s.Stop(128 + int(sig))
				}
				asked = true
			case sigUserPause:
				_ = s.Pause("")
				pauseSelf()
			case syscall.SIGHUP:
				switch s.opt.Hangup {
				case HangupStop:
					s.Stop(128 + int(sig))
				case HangupIgnore:
				default:
					_ = s.Signal("", sig) // the run may already be over
				}
			case syscall.SIGPIPE:
			case sigContinue:
				_ = s.Continue("")
			default:
				_ = s.Signal("", sig) // the run may already be over
			}
		}
	}
}
