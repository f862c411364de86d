package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/registry"
)

// Pipeline is a pipeline that runs. A *flow.Run is one.
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

// runEntry is a run in the list.
type runEntry struct {
	ID      string     `json:"id"`
	Path    string     `json:"path"`
	Kind    string     `json:"kind"` // pipeline or plan
	State   flow.State `json:"state"`
	Message string     `json:"message,omitempty"`
	Started time.Time  `json:"started"`
	// Elsewhere says that another program runs the pipeline. Launch and Node are
	// the plan that it is a part of, and its name there.
	Elsewhere bool   `json:"elsewhere,omitempty"`
	Launch    string `json:"launch,omitempty"`
	Node      string `json:"node,omitempty"`
}

// Kinds of runs.
const (
	aPipeline = "pipeline"
	aPlan     = "plan"
)

// abandoned is the state of a plan whose program is gone while it still runs.
const abandoned flow.State = "abandoned"

// run is one that the page has started, or that it has found.
type run struct {
	id, path, kind string
	started        time.Time
	pipeline       Pipeline
	plan           Plan
	log            *lines
	done           chan struct{}
	elsewhere      *state.Dir // of a pipeline that another program runs

	watchers atomic.Int32
	sample   atomic.Pointer[sample] // the newest figures of a pipeline
	follower figures.Follower       // of the goroutine that watches the run
	seen     seen                   // of the same

	mu      sync.Mutex
	state   flow.State
	message string
	dir     *state.Dir // of a plan, once it is registered
	curve   []point
	points  int          // that there were, also those that are forgotten
	status  statusAnswer // of a plan
	asked   time.Time    // when that was
}

// sample is figures as they are sent, numbered so that a client sees what is new.
type sample struct {
	number  int
	text    json.RawMessage
	figures figures.Figures
}

// slack is what the text of figures may grow by from one sample to the next before it is
// moved: a few counts get a digit more.
const slack = 256

// seen is what the last figures were, and when.
type seen struct {
	at      time.Time // when they were read
	early   time.Time // when an image was the reason
	viewers int
	images  uint64 // that the viewers have had
}

// The figures of a pipeline are read ten times a second while a client looks at
// them, and earlier when a viewer has an image after a pause: it is looked for every lookEvery.
// The curves of the last minutes have a value for each second.
const (
	lookEvery   = 20 * time.Millisecond
	sampleEvery = 100 * time.Millisecond
	pointEvery  = time.Second
	maxPoints   = 300
	maxRuns     = 20 // that have ended and are remembered
)

// runList is the runs of the page.
type runList struct {
	server *Server
	mu     sync.Mutex
	own    []*run // the newest last
	count  int
	closed bool
	over   sync.WaitGroup
}

func newRuns(s *Server) *runList { return &runList{server: s} }

// close ends what the page has started.
func (l *runList) close() {
	l.mu.Lock()
	l.closed = true
	own := slices.Clone(l.own)
	l.mu.Unlock()
	for _, r := range own {
		r.leave()
	}
	l.over.Wait()
}

// leave ends a run that the page has started, and the watching of another.
func (r *run) leave() {
	if p, ok := r.pipeline.(*remote); ok {
		p.leave()
		return
	}
	r.end()
}

// end asks a run to stop.
func (r *run) end() {
	switch {
	case r.pipeline != nil:
		r.pipeline.Stop()
	case r.plan != nil:
		r.plan.Stop()
	}
}

// start begins a run of a file, or of the folder.
func (l *runList) start(path string) (*run, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errors.New("the page is being closed")
	}
	for _, r := range l.own {
		if r.path == path && !r.ended() {
			return nil, &refusal{http.StatusConflict, "`" + path + "` runs already"}
		}
	}
	l.count++
	r := &run{path: path, started: time.Now(), log: &lines{}, done: make(chan struct{}), state: flow.Running}
	opt, err := &l.server.opt, error(nil)
	if filepath.Ext(path) == ".pipe" && opt.pipeline != nil {
		r.id, r.kind = fmt.Sprintf("pipeline-%d", l.count), aPipeline
		r.pipeline, err = opt.pipeline(path, r.log)
	} else if opt.plan != nil {
		r.id, r.kind = fmt.Sprintf("plan-%d", l.count), aPlan
		r.plan, err = opt.plan(path, r.log)
	} else {
		err = errors.New("this page starts nothing")
	}
	if err != nil {
		return nil, err
	}
	l.add(r)
	l.over.Go(func() { r.watch(opt.StateDir) })
	return r, nil
}

// add remembers a run, and forgets the oldest that has ended where there are many.
func (l *runList) add(r *run) {
	l.own = append(l.own, r)
	if n := len(l.own) - maxRuns; n > 0 && l.own[0].ended() {
		l.own = l.own[1:]
	}
}

func (l *runList) knows(id string) bool {
	return slices.ContainsFunc(l.own, func(r *run) bool { return r.id == id })
}

func (r *run) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// watch follows a run to its end.
func (r *run) watch(stateDir string) {
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
	tick := time.NewTicker(lookEvery)
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
	if r.plan != nil && r.state == flow.Stopping { // its code says that it was interrupted
		err = flow.ErrStopped
	}
	if r.state = flow.EndState(err); r.state == flow.Failed {
		r.message = err.Error()
	}
	r.asked = time.Time{}
	r.mu.Unlock()
	close(r.done)
}

// look reads the figures of a pipeline if it is time for them. An image that came is a reason as often as
// figures are read without one.
func (r *run) look(now time.Time) {
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

// viewed counts viewers, and the images that they have had.
func viewed(stats flow.Stats) (viewers int, images uint64) {
	for i := range stats.Processes {
		if p := &stats.Processes[i]; p.Type == "image_viewer" {
			viewers++
			images += p.Steps
		}
	}
	return viewers, images
}

// take keeps the figures and the state of a pipeline, which others steer too. Of one
// that is over they are those of the whole run, also where its program is gone.
func (r *run) take(now time.Time, stats flow.Stats, over bool) figures.Figures {
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
func (r *run) draw(f figures.Figures) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.curve = append(r.curve, pointOf(&f)); len(r.curve) > maxPoints {
		r.curve = r.curve[1:]
	}
	r.points++
}

// register looks for the state of a plan that this page has started.
func (r *run) register(base string) {
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

func (r *run) entry() runEntry {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := runEntry{ID: r.id, Path: r.path, Kind: r.kind, State: r.state, Message: r.message, Started: r.started}
	if r.elsewhere != nil {
		e.Elsewhere, e.Launch, e.Node = true, r.elsewhere.Run.Launch, r.elsewhere.Run.Node
	}
	return e
}

// list is the runs of the page, and those of its folder that others have started,
// the newest first.
func (l *runList) list() []runEntry {
	list := []runEntry{}
	for _, r := range l.all() {
		list = append(list, r.entry())
	}
	slices.SortStableFunc(list, func(a, b runEntry) int { return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID)) })
	return list
}

func (l *runList) all() []*run {
	var dirs []*state.Dir
	if base := l.server.opt.StateDir; base != "" {
		dirs, _ = registry.Registry{Dir: base}.Registered() // what cannot be read is not shown
	}
	l.pipelines(dirs)
	l.mu.Lock()
	all := slices.Clone(l.own)
	l.mu.Unlock()
	known := map[string]bool{}
	for _, r := range all {
		if r.plan != nil {
			r.register(l.server.opt.StateDir) // else it would be found below as one of another program
		}
		r.mu.Lock()
		if r.dir != nil {
			known[r.dir.Run.ID] = true
		}
		r.mu.Unlock()
	}
	full, _ := filepath.Abs(l.server.root)
	for _, d := range dirs[max(0, len(dirs)-maxRuns):] {
		if d.Run.Directory == full && d.Run.Pipeline == "" && !known[d.Run.ID] {
			all = append(all, found(d, l.server.root))
		}
	}
	return all
}

// found is a launch that another program has started.
func found(d *state.Dir, path string) *run {
	r := &run{id: d.Run.ID, path: path, kind: aPlan, started: d.Run.Started, dir: d, log: &lines{}, done: make(chan struct{}), state: flow.Running}
	switch result, err := launch.ReadResult(d); {
	case err == nil && result.Code == 0:
		r.state = flow.Finished
	case err == nil:
		r.state, r.message = flow.Failed, fmt.Sprintf("it ended with code %d", result.Code)
	case !d.Supervised():
		r.state = abandoned
	}
	if r.state != flow.Running {
		close(r.done)
	}
	return r
}

// find is the run of an id.
func (l *runList) find(id string) (*run, error) {
	for _, r := range l.all() {
		if r.id == id {
			return r, nil
		}
	}
	return nil, &refusal{http.StatusNotFound, "there is no run `" + id + "`"}
}
