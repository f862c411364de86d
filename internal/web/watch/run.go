// Package watch has the runs that the page has started or found, while they are live and for some time after.
//
//	List ──▶ Run ──▶ Pipeline: of this program, or a Remote: of another, through its socket
//	  │       │──▶ Programs of a plan, asked of its supervisor
//	  │       └──▶ Follower: news that one client has not seen yet
//	  └──▶ measurements of a plan: histograms and phases, for its visualisations
//
// One goroutine watches each run and keeps its newest figures, so that no client can slow down a run. Read the files in the
// order run, list, follow, steer; then measure, phases and visi.
package watch

import (
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/registry"
)

// Pipeline is a running pipeline, for example a *flow.Run.
type Pipeline interface {
	Stats() flow.Stats
	Pause() error
	Resume() error
	Picture(process string) (flow.Picture, error)
	Stop()
	Wait() error // nil: it finished, flow.ErrStopped: it was stopped
}

// Plan is a program that runs a launch plan and registers it in the state folder.
type Plan interface {
	Pid() int
	Stop()
	Wait() error
}

// Entry is a run in the list.
type Entry struct {
	ID      string     `json:"id"`
	Path    string     `json:"path"`
	Kind    string     `json:"kind"` // pipeline or plan
	State   flow.State `json:"state"`
	Message string     `json:"message,omitempty"`
	Started time.Time  `json:"started"`
	// Elsewhere means that another program runs the pipeline. Launch and Node are
	// the plan that it is a part of, and its name in the plan.
	Elsewhere bool   `json:"elsewhere,omitempty"`
	Launch    string `json:"launch,omitempty"`
	Node      string `json:"node,omitempty"`
}

// Kinds of runs.
const (
	aPipeline = "pipeline"
	aPlan     = "plan"
)

// abandoned is the state of a plan whose supervisor is gone while its programs still run.
const abandoned flow.State = "abandoned"

// Run is a run that the page has started, or that it has found.
type Run struct {
	id, path, kind string
	started        time.Time
	pipeline       Pipeline
	plan           Plan
	log            *lines
	done           chan struct{}
	elsewhere      *state.Dir // of a pipeline that another program runs

	watchers atomic.Int32
	sample   atomic.Pointer[sample] // the newest figures of a pipeline
	follower figures.Follower       // used only by the goroutine that watches the run
	seen     seen                   // likewise

	mu      sync.Mutex
	state   flow.State
	message string
	dir     *state.Dir // the state of a plan, once it is registered
	curve   []Point
	points  int       // number of points so far, including forgotten ones
	status  Programs  // of a plan
	asked   time.Time // when status was read
}

// sample is a set of figures as sent to clients, with a number by which a client recognises a new one.
type sample struct {
	number  int
	text    json.RawMessage
	figures figures.Figures
}

// slack is the number of bytes by which the text of figures may grow from one sample to the next before it is
// reallocated: a few counts get one more digit.
const slack = 256

// seen describes the last figures, and when they were read.
type seen struct {
	at      time.Time // when they were read
	early   time.Time // when a new image was the reason to read early
	viewers int
	images  uint64 // number of images that the viewers have shown
}

// The figures of a pipeline are read ten times a second while a client follows
// them, and earlier when a viewer gets an image after a pause, which is checked every LookEvery.
// The curves of the last minutes have a value for each second.
const (
	LookEvery   = 20 * time.Millisecond
	sampleEvery = 100 * time.Millisecond
	pointEvery  = time.Second
	maxPoints   = 300
)

// leave stops a run that the page has started, and only stops watching any other run.
func (r *Run) leave() {
	if p, ok := r.pipeline.(*Remote); ok {
		p.leave()
		return
	}
	r.end()
}

// end asks a run to stop.
func (r *Run) end() {
	switch {
	case r.pipeline != nil:
		r.pipeline.Stop()
	case r.plan != nil:
		r.plan.Stop()
	}
}

// Over is closed when the run has ended.
func (r *Run) Over() <-chan struct{} { return r.done }

func (r *Run) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// watch follows a run to its end.
func (r *Run) watch(stateDir string) {
	var err error
	over := make(chan struct{})
	go func() {
		defer close(over)
		if r.pipeline != nil {
			err = r.pipeline.Wait()
		} else {
			err = r.plan.Wait()
		}
	}()
	tick := time.NewTicker(LookEvery)
	defer tick.Stop()
	var drawn time.Time
	for ended := false; !ended; {
		select {
		case <-over:
			ended = true
		case <-tick.C:
		}
		switch now := time.Now(); {
		case r.plan != nil:
			if ended || now.Sub(r.seen.at) >= sampleEvery {
				r.seen.at = now
				r.register(stateDir)
			}
		case now.Sub(drawn) >= pointEvery:
			drawn = now
			r.draw(r.take(now, r.pipeline.Stats(), ended))
		case ended:
			r.take(now, r.pipeline.Stats(), ended)
		case r.watchers.Load() > 0:
			r.look(now)
		}
	}
	r.mu.Lock()
	if r.plan != nil && r.state == flow.Stopping { // its exit code only means that it was interrupted
		err = flow.ErrStopped
	}
	if r.state = flow.EndState(err); r.state == flow.Failed {
		r.message = err.Error()
	}
	r.asked = time.Time{}
	r.mu.Unlock()
	close(r.done)
}

// look reads the figures of a pipeline if it is time to. A new image is also a reason to read them, but at most as often as
// they are read without one.
func (r *Run) look(now time.Time) {
	due := now.Sub(r.seen.at) >= sampleEvery
	if !due && (r.seen.viewers == 0 || now.Sub(r.seen.early) < sampleEvery) {
		return
	}
	stats := r.pipeline.Stats()
	if _, images := viewed(stats); !due && images == r.seen.images {
		return
	}
	if !due {
		r.seen.early = now
	}
	r.take(now, stats, false)
}

// viewed counts viewers, and the images that they have shown.
func viewed(stats flow.Stats) (viewers int, images uint64) {
	for i := range stats.Processes {
		if p := &stats.Processes[i]; p.Type == "image_viewer" {
			viewers++
			images += p.Steps
		}
	}
	return viewers, images
}

// take stores the figures and the state of a pipeline, which others may control too. After its end
// they cover the whole run, even if its program is gone.
func (r *Run) take(now time.Time, stats flow.Stats, over bool) figures.Figures {
	r.seen.at = now
	r.seen.viewers, r.seen.images = viewed(stats)
	if over && !stats.State.Ended() {
		stats.State = flow.Failed
	}
	f := r.follower.Add(stats)
	number, size := 1, 0
	if before := r.sample.Load(); before != nil {
		number, size = before.number+1, len(before.text)+slack
	}
	r.sample.Store(&sample{number, f.AppendJSON(make([]byte, 0, size)), f})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = f.State
	return f
}

// draw adds a point to the curves.
func (r *Run) draw(f figures.Figures) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.curve = append(r.curve, pointOf(&f)); len(r.curve) > maxPoints {
		r.curve = r.curve[1:]
	}
	r.points++
}

// register looks for the state of a plan that this page has started.
func (r *Run) register(base string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir != nil || base == "" {
		return
	}
	all, err := registry.Registry{Dir: base}.Registered()
	if err != nil {
		return
	}
	for _, d := range slices.Backward(all) {
		if d.Run.Supervisor.Pid == r.plan.Pid() && d.Run.Started.After(r.started.Add(-time.Second)) {
			r.dir = d
			return
		}
	}
}

// registered returns the state of a plan; nil: it has none yet.
func (r *Run) registered() *state.Dir {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dir
}

// Entry returns the entry of the run in the list.
func (r *Run) Entry() Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := Entry{ID: r.id, Path: r.path, Kind: r.kind, State: r.state, Message: r.message, Started: r.started}
	if r.elsewhere != nil {
		e.Elsewhere, e.Launch, e.Node = true, r.elsewhere.Run.Launch, r.elsewhere.Run.Node
	}
	return e
}

// Point is one second of the curves of a pipeline.
type Point struct {
	Rate float64 `json:"rate"` // data a second over all edges
	Busy float64 `json:"busy"` // share of the time of the busiest process
	Fill float64 `json:"fill"` // fill of the fullest edge, as a share of its capacity
}

func pointOf(f *figures.Figures) Point { return Point{f.Rate, f.Busiest, f.Fullest} }
