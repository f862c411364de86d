package launch

import (
	"fmt"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// State is where a node is in its life.
type State string

const (
	Declared State = "declared" // a visualisation that was not asked for
	Waiting  State = "waiting"  // for what it comes after, or for its turn
	Starting State = "starting" // started, not ready yet
	Running  State = "running"  // started and ready
	Stopping State = "stopping" // told to end
	Pausing  State = "backing off"
	Ended    State = "ended"
	Skipped  State = "skipped" // never started, and will not be
)

// JSONValues returns all of them, for the JSON Schema of answers.
func (State) JSONValues() []string {
	return []string{string(Declared), string(Waiting), string(Starting), string(Running), string(Stopping), string(Pausing), string(Ended), string(Skipped)}
}

// job is a node of a run that goes on. Only the supervisor's own
// goroutine touches it.
type job struct {
	*Node
	limit      time.Duration // that it has to end, if a stop named one; 0: as the run was started
	index      int
	after      []link              // what it waits for
	early      bool                // a daemon that comes after something that is none, and so ends before it
	dependents []link              // what waits for it
	logs       [2]*state.LogWriter // of its two outputs; nil where the run has no folder

	state     State
	life      int // counts starts, so that events of an earlier life are recognised
	queued    bool
	proc      Proc
	remote    int            // process id on its own host, where a wrapper reported one
	clock     *time.Duration // how far the clock of that host is ahead; nil: not known
	streams   []*stream
	timers    []func() bool // of this life
	cancel    func()        // ends the probe
	health    func() bool   // stops the timer of the next look at it; nil: none is due
	heard     bool          // the line that shows that it is well, since the last look
	sick      int           // looks in a row that failed
	next      time.Time     // when it is started again, while it is backing off
	deadline  func() bool   // stops the timer that ends this life; nil: it has none
	paused    bool
	again     bool   // start anew once it has ended
	idle      string // why it is stopped when nothing that needs it lives any more; empty: it is not
	wasReady  bool   // in this life or the last
	stopping  bool   // it lived when the run began to end
	holders   int    // what comes directly after it and has not ended, or has something behind it that has not
	why       string // it was stopped, because
	condemned int    // the code of a life that was ended as a failure; 0: it was not
	restarts  int
	streak    int // restarts since it last lived long
	started   time.Time
	ended     time.Time
	killed    time.Time
	exit      Exit
	trouble   string // what a code does not say
}

// live reports whether a process of it may exist.
func (j *job) live() bool {
	return j.state == Starting || j.state == Running || j.state == Stopping
}

// settled reports whether nothing happens to it any more, unless on request.
func (j *job) settled() bool {
	return j.state == Ended || j.state == Skipped || j.state == Declared
}

// link is what a job waits for, or what waits for it.
type link struct {
	*job
	until Until
}

// holds reports whether the job at the end of the link is as far as what comes after it needs.
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

// never reports whether it will not hold any more, unless on request.
func (l link) never() bool { return l.settled() && !l.holds() }

// serves reports whether the job at the end of the link lives only as long as the daemon.
func (l link) serves(daemon *job) bool {
	return daemon.Kind == KindDaemon && l.until != UntilFinished && l.until != UntilSucceeded
}

// lacks is what the job at the end of the link is not yet, for people.
func (l link) lacks() string {
	switch l.until {
	case UntilFinished, UntilSucceeded, UntilStarted:
		return fmt.Sprintf("`%s` has not %s", l.ID, l.until)
	}
	return fmt.Sprintf("`%s` is not ready", l.ID)
}

// waits is what a waiting job waits for.
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
