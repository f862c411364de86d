package launch

import (
	"fmt"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// State is the state of a node in its life.
type State string

const (
	Declared State = "declared" // a visualisation that was not requested
	Waiting  State = "waiting"  // for the nodes it comes after, or for its turn
	Starting State = "starting" // started, not ready yet
	Running  State = "running"  // started and ready
	Stopping State = "stopping" // asked to end
	Pausing  State = "backing off"
	Ended    State = "ended"
	Skipped  State = "skipped" // never started, and will not be
)

// JSONValues returns all states, for the JSON Schema of answers.
func (State) JSONValues() []string {
	return []string{string(Declared), string(Waiting), string(Starting), string(Running), string(Stopping), string(Pausing), string(Ended), string(Skipped)}
}

// job is a node of a live run. Only the supervisor's own goroutine touches it.
type job struct {
	*Node
	limit      time.Duration // how long it may take to end, if a stop set that; 0: the grace of the run
	index      int
	after      []link              // what it waits for
	early      bool                // a daemon that comes after a node that is not a daemon, and so ends before that node
	dependents []link              // what waits for it
	logs       [2]*state.LogWriter // for its two outputs; nil if the run has no folder

	state     State
	life      int // counts starts, so that events of an earlier life can be recognised
	queued    bool
	proc      Proc
	remote    int            // process ID on its own host, if a wrapper reported one
	clock     *time.Duration // how far the clock of that host is ahead; nil: not known
	streams   []*stream
	timers    []func() bool // timers of this life
	cancel    func()        // ends the probe
	health    func() bool   // stops the timer of the next health check; nil: none is due
	heard     bool          // a line that matches Alive.Line has come since the last check
	sick      int           // failed checks in a row
	next      time.Time     // when it is started again, while it is backing off
	deadline  func() bool   // stops the timer that ends this life; nil: it has none
	paused    bool
	again     bool   // start again once it has ended
	idle      string // why it will be stopped once no live node needs it; empty: it will not
	wasReady  bool   // in this life or the last
	stopping  bool   // it was live when the run began to end
	holders   int    // number of nodes directly after this one that have not ended, or have nodes after them that have not ended
	why       string // why it was stopped
	condemned int    // exit code of a life that was ended as a failure; 0: it was not
	restarts  int
	streak    int // restarts since the last life that was long enough to reset the pause
	started   time.Time
	ended     time.Time
	killed    time.Time
	exit      Exit
	trouble   string // explains a failure that an exit code cannot explain
}

// live reports whether the job may have a process.
func (j *job) live() bool {
	return j.state == Starting || j.state == Running || j.state == Stopping
}

// settled reports whether the job has reached its final state, unless a request starts it again.
func (j *job) settled() bool {
	return j.state == Ended || j.state == Skipped || j.state == Declared
}

// link is a job that another job waits for, or a job that waits for another one.
type link struct {
	*job
	until Until
}

// holds reports whether the linked job has reached the state that the nodes after it need.
func (l link) holds() bool {
	up := l.state == Running && l.idle == ""
	gone := l.Kind != KindDaemon && (l.state == Ended || l.state == Pausing)
	switch l.until {
	case UntilStarted:
		return up || l.state == Starting && l.idle == "" || gone && l.proc != nil
	case UntilReady:
		return up || gone && l.wasReady
	case UntilFinished:
		return l.state == Ended && l.proc != nil
	case UntilSucceeded:
		return l.state == Ended && l.proc != nil && !l.exit.Failed() && l.condemned == 0
	}
	return up || l.Kind != KindDaemon && (l.state == Ended || l.state == Skipped)
}

// never reports whether the link will not hold any more, unless on request.
func (l link) never() bool { return l.settled() && !l.holds() }

// serves reports whether the linked job lives only as long as the daemon.
func (l link) serves(daemon *job) bool {
	return daemon.Kind == KindDaemon && l.until != UntilFinished && l.until != UntilSucceeded
}

// lacks says in words which state the linked job has not reached.
func (l link) lacks() string {
	switch l.until {
	case UntilFinished, UntilSucceeded, UntilStarted:
		return fmt.Sprintf("`%s` has not %s", l.ID, l.until)
	}
	return fmt.Sprintf("`%s` is not ready", l.ID)
}

// waits says what a waiting job waits for.
func (j *job) waits() string {
	for _, before := range j.after {
		if !before.holds() {
			return before.lacks()
		}
	}
	return ""
}

// foreground reports whether the node decides when the run is over: processes
// and requested visualisations do, daemons only serve them.
func (j *job) foreground() bool { return j.Kind != KindDaemon }

func (j *job) stopTimers() {
	for _, stop := range j.timers {
		stop()
	}
	j.timers = nil
	if j.health != nil {
		j.health()
		j.health = nil
	}
	if j.cancel != nil {
		j.cancel()
		j.cancel = nil
	}
	for _, s := range j.streams {
		s.want.Store(nil)
	}
}
