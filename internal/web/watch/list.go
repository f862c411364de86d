package watch

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/registry"
)

// Options configure a List.
type Options struct {
	Root     string       // the folder of the page
	Fence    *guard.Fence // its first folder is Root
	StateDir string       // the folder where runs are registered; empty: nowhere
	// Pipeline and Plan start a file, and send its output to log; nil: the page starts no runs.
	Pipeline func(path string, log io.Writer) (Pipeline, error)
	Plan     func(path string, log io.Writer) (Plan, error)
}

// maxRuns is the number of ended runs that are remembered.
const maxRuns = 20

// List has the runs of the page.
type List struct {
	opt    Options
	traced tracedList
	visis  visis

	mu     sync.Mutex
	own    []*Run // the newest last
	count  int
	closed bool
	over   sync.WaitGroup
}

// New makes the list of a page, which has no runs yet. Close ends them.
func New(o Options) *List { return &List{opt: o} }

// Close stops the runs that the page has started.
func (l *List) Close() {
	l.mu.Lock()
	l.closed = true
	own := slices.Clone(l.own)
	l.mu.Unlock()
	for _, r := range own {
		r.leave()
	}
	l.over.Wait()
}

// Start starts a run of a file, or of the folder.
func (l *List) Start(path string) (*Run, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errors.New("the page is being closed")
	}
	for _, r := range l.own {
		if r.path == path && !r.ended() {
			return nil, guard.Conflict("`" + path + "` runs already")
		}
	}
	l.count++
	r := &Run{path: path, started: time.Now(), log: &lines{}, done: make(chan struct{}), state: flow.Running}
	var err error
	if filepath.Ext(path) == ".pipe" && l.opt.Pipeline != nil {
		r.id, r.kind = fmt.Sprintf("pipeline-%d", l.count), aPipeline
		r.pipeline, err = l.opt.Pipeline(path, r.log)
	} else if l.opt.Plan != nil {
		r.id, r.kind = fmt.Sprintf("plan-%d", l.count), aPlan
		r.plan, err = l.opt.Plan(path, r.log)
	} else {
		err = errors.New("this page cannot start runs")
	}
	if err != nil {
		return nil, err
	}
	l.add(r)
	l.over.Go(func() { r.watch(l.opt.StateDir) })
	return r, nil
}

// add remembers a run, and forgets the oldest ended one if there are too many.
func (l *List) add(r *Run) {
	l.own = append(l.own, r)
	if n := len(l.own) - maxRuns; n > 0 && l.own[0].ended() {
		l.own = l.own[1:]
	}
}

func (l *List) knows(id string) bool {
	return slices.ContainsFunc(l.own, func(r *Run) bool { return r.id == id })
}

// pipelines adds pipelines that other programs run from files of the folder.
func (l *List) pipelines(dirs []*state.Dir) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range dirs {
		if d.Run.Pipeline == "" || l.closed || d.Finished() || d.Run.Supervisor.Pid == os.Getpid() || l.knows(d.Run.ID) {
			continue
		}
		if _, err := os.Stat(d.Socket()); err != nil {
			continue // it is just starting, or has ended
		}
		name, ok := l.opt.Fence.Within(d.Run.Pipeline)
		if !ok {
			continue
		}
		followed := NewRemote(d.Socket())
		followed.lives = func() bool {
			_, err := os.Stat(d.Socket())
			return err == nil && !d.Finished()
		}
		r := &Run{
			id: d.Run.ID, path: filepath.Join(l.opt.Root, name), kind: aPipeline, started: d.Run.Started, log: &lines{}, done: make(chan struct{}),
			state: flow.Running, pipeline: followed, elsewhere: d,
		}
		l.add(r)
		l.over.Go(func() { r.watch("") })
	}
}

// Entries returns the runs of the page, and runs of its folder that other programs have started,
// the newest first.
func (l *List) Entries() []Entry {
	list := []Entry{}
	for _, r := range l.all() {
		list = append(list, r.Entry())
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID)) })
	return list
}

func (l *List) all() []*Run {
	var dirs []*state.Dir
	if base := l.opt.StateDir; base != "" {
		dirs, _ = registry.Registry{Dir: base}.Registered() // unreadable runs are not shown
	}
	l.pipelines(dirs)
	l.mu.Lock()
	all := slices.Clone(l.own)
	l.mu.Unlock()
	known := map[string]bool{}
	for _, r := range all {
		if r.plan != nil {
			r.register(l.opt.StateDir) // else the code below would take it for a run of another program
		}
		if dir := r.registered(); dir != nil {
			known[dir.Run.ID] = true
		}
	}
	full, _ := filepath.Abs(l.opt.Root)
	for _, d := range dirs[max(0, len(dirs)-maxRuns):] {
		if d.Run.Directory == full && d.Run.Pipeline == "" && !known[d.Run.ID] {
			all = append(all, found(d, l.opt.Root))
		}
	}
	return all
}

// found makes the run of a launch that another program has started.
func found(d *state.Dir, path string) *Run {
	r := &Run{id: d.Run.ID, path: path, kind: aPlan, started: d.Run.Started, dir: d, log: &lines{}, done: make(chan struct{}), state: flow.Running}
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

// Find returns the run with an id.
func (l *List) Find(id string) (*Run, error) {
	for _, r := range l.all() {
		if r.id == id {
			return r, nil
		}
	}
	return nil, guard.NotFound("there is no run `" + id + "`")
}
