package recorded

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// TimelineFile is the trace of a pipeline, or of all processes of a run, in its folder of results.
const TimelineFile = "trace.json"

// A timeline is a trace in the format of Chrome and Perfetto, as `pentode run` writes it: a row for each
// process of a pipeline and for each thread of a traced program. For events of programs it has names and
// places, but not their members.
type timeline struct {
	title     string // of the first process
	rows      []*timelineRow
	byTrack   map[[2]int64]*timelineRow
	processes map[int64]*Process
	labels    map[label]*label
	kinds     map[string]*Kind
	places    map[string]*Region
	edges     map[edgeKey]*Edge
	counters  []*Counter
	counted   map[edgeKey]*Counter // the same counters, by name
	last      int64                // the time of the last value of a counter
}

type edgeKey struct {
	pid  int64
	name string
}

// Edge is a connection of a pipeline.
type Edge struct {
	Name     string  // both ends
	Region   *Region // its place; nil: unknown
	From, To *Thread // nil: not in the trace
}

// label describes what begins, ends or happens at a mark.
type label struct {
	kind   *Kind
	name   string
	region *Region
	edge   *Edge
	room   bool // whether it waits for room, not for data
	id     int
}

// mark is a begin, an end, or an instant.
type mark struct {
	at    int64
	of    *label
	phase Phase
	whole bool // whether the end was recorded
}

// timelineRow is a row with its marks in order.
type timelineRow struct {
	thread *Thread
	pid    int64
	marks  []mark
	pieces []piece
	flows  map[string]*label // by category: the label of slices that are not waits for an edge
	next   int               // position in a walk
}

// openTimeline reads a file, which may be cut off if the run was killed.
func (t *Trace) openTimeline(files fs.FS, name, title string) error {
	f, err := files.Open(name)
	if err != nil {
		return fmt.Errorf("`%s` cannot be read: %w", title, err)
	}
	defer f.Close()
	l := &timeline{
		byTrack: map[[2]int64]*timelineRow{}, processes: map[int64]*Process{}, labels: map[label]*label{}, kinds: map[string]*Kind{},
		places: map[string]*Region{}, edges: map[edgeKey]*Edge{}, counted: map[edgeKey]*Counter{},
	}
	found, damaged := readEvents(f, l.add)
	switch {
	case !found:
		return &ctf.NoTrace{Path: title, Why: "it is neither a folder nor a list of events as `pentode run --trace` writes it"}
	case damaged >= 0:
		return fmt.Errorf("`%s` is damaged: at byte %d it is not JSON", title, damaged)
	}
	l.finish(t)
	t.timeline = l
	return nil
}

func (l *timeline) process(pid int64) *Process {
	p := l.processes[pid]
	if p == nil {
		p = &Process{PID: uint32(pid), Rank: -1}
		l.processes[pid] = p
	}
	return p
}

func (l *timeline) row(pid, tid int64) *timelineRow {
	r := l.byTrack[[2]int64{pid, tid}]
	if r == nil {
		r = &timelineRow{pid: pid, flows: map[string]*label{}, thread: &Thread{Process: l.process(pid), TID: uint32(tid), Number: -1}}
		l.byTrack[[2]int64{pid, tid}] = r
		l.rows = append(l.rows, r)
	}
	return r
}

func (l *timeline) add(e *chromeEvent) {
	switch e.Ph {
	case "M":
		l.named(e)
	case "X":
		l.slice(e)
	case "C":
		l.count(e)
	case "B", "E", "i":
		r := l.row(e.Pid, e.Tid)
		if e.Args.MPIRank != nil {
			r.thread.Rank = *e.Args.MPIRank
		}
		m := mark{at: int64(e.Ts), of: l.label(label{kind: l.kind(e), name: e.Name, region: l.place(e.Args.Place)})}
		switch e.Ph {
		case "B":
			m.phase = Begin
		case "E": // an end that was not recorded has no category, except for a task
			m.phase, m.whole = End, e.Cat != "" || strings.HasPrefix(e.Name, "task")
		}
		r.marks = append(r.marks, m)
	}
}

// named takes the name of a process, of a row or of an edge.
func (l *timeline) named(e *chromeEvent) {
	switch e.Name {
	case "process_name":
		p := l.process(e.Pid)
		p.Title = e.Args.Name
		if l.title == "" {
			l.title = e.Args.Name
		}
		if _, text, ok := strings.Cut(e.Args.Name, " (rank "); ok { // from a launch plan
			text, _, _ = strings.Cut(text, ")")
			if n, err := strconv.Atoi(text); err == nil {
				p.Rank = n
			}
		}
	case "thread_name":
		r := l.row(e.Pid, e.Tid)
		r.thread.Device, r.thread.Place = e.Args.Name, l.place(e.Args.Place)
		clear(r.flows)
	case "edge":
		l.edge(e.Pid, e.Args.Name).Region = l.place(e.Args.Place)
	}
}

func (l *timeline) edge(pid int64, name string) *Edge {
	key := edgeKey{pid, name}
	found := l.edges[key]
	if found == nil {
		found = &Edge{Name: name}
		l.edges[key] = found
	}
	return found
}

// place parses a place: `heat.pipe:7`, or "heat.c:12 in `relax`".
func (l *timeline) place(text string) *Region {
	r, known := l.places[text]
	if known {
		return r
	}
	at, function, _ := strings.Cut(text, " in `")
	if rest, only := strings.CutPrefix(text, "in `"); only {
		at, function = "", rest
	}
	colon := strings.LastIndexByte(at, ':')
	if line, err := strconv.Atoi(at[colon+1:]); colon > 0 && err == nil {
		r = &Region{File: at[:colon], Line: line, Function: strings.TrimSuffix(function, "`")}
	} else if function != "" {
		r = &Region{Function: strings.TrimSuffix(function, "`")}
	}
	l.places[text] = r
	return r
}

// kind returns the kind of an event. The file does not have the names of a program's kinds of events, so the names are made from category and name.
func (l *timeline) kind(e *chromeEvent) *Kind {
	name := e.Cat
	if e.Ph != "X" && !strings.HasPrefix(name, flowPrefix) {
		call, _, _ := strings.Cut(e.Name, " ")
		if e.Cat == ownProvider {
			call = regionEvent
		}
		name = e.Cat + ":" + call
	}
	k := l.kinds[name]
	if k == nil {
		k = newKind(&ctf.Kind{Name: name})
		k.Phase = Instant
		if strings.HasPrefix(name, flowPrefix) {
			k.Provider = FlowProvider
		}
		l.kinds[name] = k
	}
	return k
}

func (l *timeline) label(of label) *label {
	found := l.labels[of]
	if found == nil {
		key := of
		of.id = len(l.labels)
		found = &of
		l.labels[key] = found
	}
	return found
}

// finish ends all rows, and finds the processes at the ends of edges.
func (l *timeline) finish(t *Trace) {
	byName := map[edgeKey]*Thread{}
	for _, r := range l.rows {
		r.end()
		byName[edgeKey{r.pid, r.thread.Device}] = r.thread
		if len(r.marks) > 0 {
			t.began(r.marks[0].at)
			t.Threads = append(t.Threads, r.thread)
		}
	}
	// An end is a process and its port; both names may contain dots.
	end := func(pid int64, text string) *Thread {
		for i := len(text) - 1; i > 0; i-- {
			if th := byName[edgeKey{pid, text[:i]}]; text[i] == '.' && th != nil {
				return th
			}
		}
		return nil
	}
	for key, e := range l.edges {
		from, to, _ := strings.Cut(e.Name, " → ")
		e.From, e.To = end(key.pid, from), end(key.pid, to)
	}
	l.endCounters(t)
}

// timelineIn returns the file in a folder of results, or "" if the folder belongs to one traced program.
func timelineIn(files fs.FS, dir string) string {
	name := path.Join(dir, TimelineFile)
	if info, err := fs.Stat(files, name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	for _, own := range []string{"ctf", "metadata"} {
		if _, err := fs.Stat(files, path.Join(dir, own)); err == nil {
			return ""
		}
	}
	return name
}
