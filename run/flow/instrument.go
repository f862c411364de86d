package flow

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A Filter decides which events are written to a trace. Region is called once
// for each process before it runs.
type Filter interface {
	Region(Region) RegionFilter
}

// A Region is a process as a tracing policy sees it: a named piece of the
// domain Flow with the units process and thread.
type Region struct {
	Process string
	Type    string
	Index   int    // unit Flow.process
	Thread  int    // unit Flow.thread
	Policy  string // value of _instrumentation:trace:policy
}

// A RegionFilter decides about the events of one process. It is called by one
// goroutine at a time.
type RegionFilter interface {
	Traced(pipe.Event) bool
}

// A recorder tells the traces and observers of one process what it does.
type recorder struct {
	p      *proc
	whole  *track // in the trace of the run, or nil
	tracks []*track
	list   []pipe.Observer
	from   [pipe.EventCount]time.Duration // busy time when a part began
	last   time.Duration
}

// now is later than any time before, also where the clock is coarse: what
// happens within a step lies within it in a trace.
func (r *recorder) now() time.Duration { return r.after(0) }

// after is now, and later than a time of another process.
func (r *recorder) after(other time.Duration) time.Duration {
	r.last = max(time.Since(r.p.run.start), r.last+1, other+1)
	return r.last
}

func (r *recorder) begin(ev pipe.Event) time.Duration {
	now := r.now()
	r.from[ev] = r.busy(now)
	for _, t := range r.tracks {
		t.began(ev, now)
	}
	for _, o := range r.list {
		o.Began(ev, now)
	}
	return now
}

func (r *recorder) end(ev pipe.Event, begin time.Duration, e *edge) {
	now := r.now()
	for _, t := range r.tracks {
		t.ended(ev, begin, now, e)
	}
	where := ""
	if e != nil {
		where = e.name
	}
	for _, o := range r.list {
		o.Ended(ev, begin, now-begin, r.busy(now)-r.from[ev], where)
	}
}

// beginPass shows in traces a step in which the process itself has nothing to do.
func (r *recorder) beginPass(kind DatumKind) {
	now := r.now()
	for _, t := range r.tracks {
		t.began(pipe.EventStep, now)
		if t.note = " (passes on an empty datum)"; kind == ErrorKind {
			t.note = " (passes on an error)"
		}
	}
}

func (r *recorder) endPass() {
	now := r.now()
	for _, t := range r.tracks {
		t.ended(pipe.EventStep, 0, now, nil)
	}
}

// push records that a port sends a datum.
func (r *recorder) push(port string) {
	now := r.now()
	for _, t := range r.tracks {
		t.push(now, port)
	}
	for _, o := range r.list {
		o.Ended(pipe.EventPush, now, 0, 0, port)
	}
}

// busy is how long the process has worked, without waiting for others.
func (r *recorder) busy(now time.Duration) time.Duration {
	return time.Duration(r.p.busy.Load()) + now - r.p.since
}

func (r *recorder) close() (err error) {
	for _, t := range r.tracks {
		err = cmp.Or(err, t.close())
	}
	for _, o := range r.list {
		err = cmp.Or(err, o.Close())
	}
	return err
}

// instrument makes the observers that configuration and options ask for.
func (p *proc) instrument() error {
	r := &recorder{p: p}
	setup := p.setup()
	value := func(key string) string { return setup.Value(pipe.InstrumentPrefix + key) }
	region := Region{Process: p.node.Name, Type: p.node.Type.Name, Index: p.id, Thread: p.id, Policy: value("trace:policy")}
	var filter RegionFilter
	if p.run.opt.Filter != nil {
		filter = p.run.opt.Filter.Region(region)
	}
	if p.run.chrome != nil {
		r.whole = newTrack(p, p.run.chrome, filter)
		r.tracks = append(r.tracks, r.whole)
	}
	switch kind := setup.Value(pipe.InstrumentKey); kind {
	case "", "none":
	case "logger":
		r.list = append(r.list, &logObserver{p.env.Log(), logLevel(value("logger:level"))})
	case "timer":
		name := cmp.Or(value("timer:output_file"), ownFile(p.node.Name, "_timing.csv"))
		f, err := setup.Results().Create(name)
		if err != nil {
			return setup.Errorf(pipe.InstrumentPrefix+"timer:output_file", "the timing table `%s` cannot be written: %w", name, problem.Reason(err))
		}
		r.list = append(r.list, &timer{name: name, file: f, cpu: value("timer:type") == "cpu"})
	case "trace":
		name := value("trace:output_file")
		if name == "" && p.run.chrome != nil {
			break // it is in the trace of the whole run
		}
		name = cmp.Or(name, ownFile(p.node.Name, "_trace.json"))
		f, err := setup.Results().Create(name)
		if err != nil {
			return setup.Errorf(pipe.InstrumentPrefix+"trace:output_file", "the trace `%s` cannot be written: %w", name, problem.Reason(err))
		}
		own := newTrack(p, newChromeTrace(f, p.run.opt.TraceSize, p.run.opt.name(), p.run.start), filter)
		own.trace.owned, own.alone = f, true
		r.tracks = append(r.tracks, own)
	default:
		if provider := p.run.plan.Provider(kind); provider != nil {
			o, err := provider.New(setup.Env, provider.Settings(p.node.Config))
			if err != nil {
				return err
			}
			r.list = append(r.list, o)
		}
	}
	if len(r.tracks)+len(r.list) == 0 {
		return nil
	}
	p.trace = r
	for _, o := range p.outs {
		o.trace = p.trace
	}
	return nil
}

// ownFile names a file after a process; one inside a cluster needs no folder.
func ownFile(process, ending string) string { return strings.ReplaceAll(process, "/", ".") + ending }

// A logObserver writes a line when a part begins and when it ends.
type logObserver struct {
	log   *slog.Logger
	level slog.Level
}

func logLevel(name string) slog.Level {
	switch name {
	case "trace":
		return slog.LevelDebug - 4
	case "debug":
		return slog.LevelDebug
	case "warn":
		return slog.LevelWarn
	case "error":
		return slog.LevelError
	}
	return slog.LevelInfo
}

func (o *logObserver) Began(ev pipe.Event, _ time.Duration) {
	o.log.Log(context.Background(), o.level, "begins "+ev.Part())
}

func (o *logObserver) Ended(ev pipe.Event, _, took, _ time.Duration, where string) {
	args := []any{"took", took}
	if where != "" {
		args = append(args, "at", where)
	}
	o.log.Log(context.Background(), o.level, "ends "+ev.Part(), args...)
}

func (o *logObserver) Close() error { return nil }

// A timer adds up how long the parts of a process take and writes a table at
// the end.
type timer struct {
	name string
	file *outfile.File
	cpu  bool
	rows [pipe.EventCount]struct {
		count            int64
		total, low, high time.Duration
	}
}

func (o *timer) Began(pipe.Event, time.Duration) {}

func (o *timer) Ended(ev pipe.Event, _, took, busy time.Duration, _ string) {
	if o.cpu {
		took = busy
	}
	r := &o.rows[ev]
	if r.count == 0 || took < r.low {
		r.low = took
	}
	r.high = max(r.high, took)
	r.total += took
	r.count++
}

func (o *timer) Close() error {
	w := csv.NewWriter(o.file)
	seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 9, 64) }
	w.Write([]string{"part", "count", "total_s", "mean_s", "min_s", "max_s"})
	for ev, r := range o.rows {
		if r.count > 0 {
			w.Write([]string{pipe.Event(ev).Part(), strconv.FormatInt(r.count, 10), seconds(r.total), seconds(r.total / time.Duration(r.count)), seconds(r.low), seconds(r.high)})
		}
	}
	w.Flush()
	err := w.Error()
	if e := o.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("the timing table `%s` cannot be written: %w", o.name, problem.Reason(err))
	}
	return nil
}
