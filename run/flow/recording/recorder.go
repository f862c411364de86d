// Package recording writes what the processes of a pipeline do while it runs: to a trace for Chrome
// and Perfetto, a log, a table of times, or a program's own provider.
//
//	process ─▶ Recorder ─┬─▶ track ─▶ Trace ─▶ file, or ring of the newest events
//	edge ────▶ Edge ─────┘
//	                     └─▶ observers
//
// It does not import the engine. The engine passes it the processes and edges to record.
package recording

import (
	"cmp"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A Filter decides which events are written to a trace. Region is called once
// for each process before it runs.
type Filter interface {
	Region(Region) RegionFilter
}

// A Region is a process as a tracing policy sees it. The process is a region of the domain Flow, whose
// punits (levels of parallelism) are process and thread.
type Region struct {
	Process string
	Type    string
	Index   int    // its index in the punit Flow.process
	Thread  int    // its index in the punit Flow.thread
	Policy  string // value of the key _instrumentation:trace:policy
}

// A RegionFilter decides which events of one process are written. It is called by one goroutine at a
// time.
type RegionFilter interface {
	Traced(pipe.Event) bool
}

// A Process has the information about a process that its recorder needs.
type Process struct {
	ID         int
	Name, Type string
	Span       source.Span
	Link       bool    // the process is one end of an edge between sites
	Steps      *uint64 // the number of the current step; only the process itself may read it
	Start      time.Time
	Busy       func(now time.Duration) time.Duration // returns for how long the process has worked until now, without the time it waited for others
}

// Options configure what a run records.
type Options struct {
	Name     string // name of the pipeline
	Trace    *Trace // trace of the whole run; nil: none
	Size     int64  // limit for the events in the trace of a single process, in bytes; 0: no limit
	Filter   Filter // decides which events are written; nil: all
	Provider func(name string) *pipe.Provider
}

// At is the edge to which an event refers. It is zero if there is none.
type At struct {
	Edge     string
	Producer bool // the process is the producer of the edge
}

// A Recorder records the actions of one process in its traces and observers.
type Recorder struct {
	p      *Process
	whole  *track // the process's row in the trace of the run; nil: none
	tracks []*track
	list   []pipe.Observer
	from   [pipe.EventCount]time.Duration // busy time at the beginning of each kind of action
	last   time.Duration
}

// now returns a time that is later than all earlier ones, even if the clock is coarse. Thus the events
// of a step lie within the step in the trace.
func (r *Recorder) now() time.Duration { return r.after(0) }

// after returns the current time, but at least a little more than `other`, a time recorded by another
// process.
func (r *Recorder) after(other time.Duration) time.Duration {
	r.last = max(time.Since(r.p.Start), r.last+1, other+1)
	return r.last
}

// Begin records that an action begins, and returns the time.
func (r *Recorder) Begin(ev pipe.Event) time.Duration {
	now := r.now()
	r.from[ev] = r.p.Busy(now)
	for _, t := range r.tracks {
		t.began(ev, now)
	}
	for _, o := range r.list {
		o.Began(ev, now)
	}
	return now
}

// End records the end of an action that began at the given time.
func (r *Recorder) End(ev pipe.Event, begin time.Duration, at At) {
	now := r.now()
	for _, t := range r.tracks {
		t.ended(ev, begin, now, at)
	}
	for _, o := range r.list {
		o.Ended(ev, begin, now-begin, r.p.Busy(now)-r.from[ev], at.Edge)
	}
}

// BeginPass records the beginning of a step that the engine makes in place of the process, because an
// input has an empty datum or an error. Only traces show it.
func (r *Recorder) BeginPass(failed bool) {
	now := r.now()
	for _, t := range r.tracks {
		t.began(pipe.EventStep, now)
		if t.note = " (passes on an empty datum)"; failed {
			t.note = " (passes on an error)"
		}
	}
}

// EndPass records the end of a step that BeginPass began.
func (r *Recorder) EndPass() {
	now := r.now()
	for _, t := range r.tracks {
		t.ended(pipe.EventStep, 0, now, At{})
	}
}

// Push records that the process pushes a datum at a port.
func (r *Recorder) Push(port string) {
	now := r.now()
	for _, t := range r.tracks {
		t.push(now, port)
	}
	for _, o := range r.list {
		o.Ended(pipe.EventPush, now, 0, 0, port)
	}
}

// Close closes the traces and observers that record only this process.
func (r *Recorder) Close() (err error) {
	for _, t := range r.tracks {
		err = cmp.Or(err, t.close())
	}
	for _, o := range r.list {
		err = cmp.Or(err, o.Close())
	}
	return err
}

// New returns a recorder for a process according to its configuration and the options. It returns nil
// if nothing is to be recorded.
func New(env *pipe.Env, p *Process, opt Options) (*Recorder, error) {
	r := &Recorder{p: p}
	value := func(key string) string { return env.Value(pipe.InstrumentPrefix + key) }
	create := func(key, what, name string) (*outfile.File, error) {
		f, err := env.Results().Create(name)
		if err != nil {
			err = env.Errorf(pipe.InstrumentPrefix+key, "the %s `%s` cannot be written: %w", what, name, problem.Reason(err))
		}
		return f, err
	}
	region := Region{Process: p.Name, Type: p.Type, Index: p.ID, Thread: p.ID, Policy: value("trace:policy")}
	var filter RegionFilter
	if opt.Filter != nil {
		filter = opt.Filter.Region(region)
	}
	if opt.Trace != nil {
		r.whole = newTrack(p, opt.Trace, filter)
		r.tracks = append(r.tracks, r.whole)
	}
	switch kind := env.Value(pipe.InstrumentKey); kind {
	case "", "none":
	case "logger":
		r.list = append(r.list, &logObserver{env.Log(), logLevel(value("logger:level"))})
	case "timer":
		name := cmp.Or(value("timer:output_file"), ownFile(p.Name, "_timing.csv"))
		f, err := create("timer:output_file", "timing table", name)
		if err != nil {
			return nil, err
		}
		r.list = append(r.list, &timer{name: name, file: f, cpu: value("timer:type") == "cpu"})
	case "trace":
		name := value("trace:output_file")
		if name == "" && opt.Trace != nil {
			break // the trace of the whole run already includes the process
		}
		name = cmp.Or(name, ownFile(p.Name, "_trace.json"))
		f, err := create("trace:output_file", "trace", name)
		if err != nil {
			return nil, err
		}
		own := newTrack(p, NewTrace(f, opt.Size, opt.Name, p.Start), filter)
		own.trace.owned, own.alone = f, true
		r.tracks = append(r.tracks, own)
	default:
		if provider := opt.Provider(kind); provider != nil {
			o, err := provider.New(env, provider.Settings(env.Config()))
			if err != nil {
				return nil, err
			}
			r.list = append(r.list, o)
		}
	}
	if len(r.tracks)+len(r.list) == 0 {
		return nil, nil
	}
	return r, nil
}
