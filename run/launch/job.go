package launch

import (
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

// job is a node of a run that goes on. Only the supervisor's own
// goroutine touches it.
type job struct {
	*Node
	index      int
	after      []*job
	dependents []*job
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
	deadline  func() bool   // stops the timer that ends this life; nil: it has none
	paused    bool
	again     bool   // start anew once it has ended
	idle      bool   // to be stopped when no dependent lives any more
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

// satisfies reports whether what comes after j may start.
func (j *job) satisfies() bool {
	return j.state == Running && !j.idle || j.Kind != KindDaemon && (j.state == Ended || j.state == Skipped)
}

// foreground reports whether the node decides when the run is over: processes
// and requested visualisations do, daemons only serve them.
func (j *job) foreground() bool { return j.Kind != KindDaemon }

func (j *job) stopTimers() {
	for _, stop := range j.timers {
		stop()
	}
	j.timers = nil
	if j.cancel != nil {
		j.cancel()
		j.cancel = nil
	}
	for _, s := range j.streams {
		s.want.Store(nil)
	}
}
