// Package report sums up a recorded trace: the count and the duration of each activity, the messages
// between ranks, and how evenly the work was shared.
//
//	recorded.Trace ──Make──▶ Report: rows of durations, messages, what was lost
//
// A duration is the time from the begin of a frame to its end. If the end is not in the trace, the
// frame is only counted as unfinished.
package report

import (
	"cmp"
	"slices"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// By selects the rows of a report.
type By string

const (
	Region   By = "region"   // a region of the program, or a construct at its place in the source
	Function By = "function" // a function of the source
	Rank     By = "rank"     // a process
	Thread   By = "thread"
	Call     By = "call"   // an MPI call
	Event    By = "event"  // a kind of event, with counts only
	Kernel   By = "kernel" // a device kernel
)

// Bys are all values of By.
var Bys = []string{string(Region), string(Function), string(Rank), string(Thread), string(Call), string(Event), string(Kernel)}

// JSONValues returns all values, for the JSON Schema of answers.
func (By) JSONValues() []string { return Bys }

// Report is the summary of a trace. Times are in nanoseconds.
type Report struct {
	Program    string    `json:"program,omitempty"`
	By         By        `json:"by"`
	Elapsed    int64     `json:"elapsed_ns"` // from the first event to the last
	Processes  int       `json:"processes"`
	Threads    int       `json:"threads"`
	Events     uint64    `json:"events"`
	Lost       uint64    `json:"lost"`       // events for which there was no room
	Unfinished uint64    `json:"unfinished"` // frames whose end is not in the trace
	Rows       []Row     `json:"rows"`
	Messages   []Traffic `json:"messages,omitempty"`
	Unknown    uint64    `json:"messages_to_unknown_ranks,omitempty"` // the communicator is not in the trace
	Sizes      []Size    `json:"sizes,omitempty"`                     // in a report by calls
}

// Row sums up the durations of one activity.
type Row struct {
	Name    string `json:"name"`
	Count   uint64 `json:"count"`
	Total   int64  `json:"total_ns"`
	Self    int64  `json:"self_ns"` // without the frames within
	Mean    int64  `json:"mean_ns"`
	Median  int64  `json:"median_ns"` // within 1 %, like P99
	P99     int64  `json:"p99_ns"`
	Longest int64  `json:"longest_ns"`
	Spread  int64  `json:"spread_ns"` // the standard deviation
	Wait    int64  `json:"wait_ns"`   // the part of the total that is waiting for others
	Threads int    `json:"threads"`
	// Imbalance is how much the total of the slowest thread exceeds the mean of the threads; 0.5 means half as much again.
	Imbalance float64 `json:"imbalance"`
	// Waste is the cost of the imbalance: the time that the other threads do not spend in this row while the slowest one does.
	Waste int64 `json:"waste_ns"`
	// Slowest is the thread with the largest total, for which the others wait.
	Slowest string `json:"slowest,omitempty"`
}

// Traffic holds the messages that one rank of MPI_COMM_WORLD sent to another.
type Traffic struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Count uint64 `json:"count"`
	Bytes uint64 `json:"bytes"`
}

// Make sums up a trace.
func Make(t *recorded.Trace, by By) (*Report, error) {
	m, err := add(t, by)
	if err != nil {
		return nil, err
	}
	return m.report(t), nil
}

func (m *maker) report(t *recorded.Trace) *Report {
	r := &Report{
		Program: t.Program(), By: m.by, Threads: len(t.Threads), Events: m.events, Unfinished: m.unfinished, Unknown: m.unknown,
		Rows: []Row{},
	}
	if m.events > 0 {
		r.Elapsed = m.last - m.first
	}
	processes := map[*recorded.Process]bool{}
	for _, th := range t.Threads {
		processes[th.Process] = true
		r.Lost += th.Lost
	}
	r.Processes = len(processes)
	for k, row := range m.rows {
		r.Rows = append(r.Rows, row.finish(k))
	}
	slices.SortFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	for _, traffic := range m.traffic {
		r.Messages = append(r.Messages, *traffic)
	}
	slices.SortFunc(r.Messages, func(a, b Traffic) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	r.Sizes = sizesOf(m.sizes)
	return r
}

// add reads a trace, its threads at the same time if possible.
func add(t *recorded.Trace, by By) (*maker, error) {
	m, err := addApart(t, by)
	if m == nil && err == nil && t.HasTasks() {
		if err := t.Survey(); err != nil { // tasks may be created by other threads
			return nil, err
		}
		m, err = addApart(t, by)
	}
	if m != nil || err != nil {
		return m, err
	}
	m = newMaker(by)
	return m, t.Walk(m.handler())
}

// addApart reads the threads separately. It returns nil if one thread depends on another: on a task
// that it created, or on a communicator that it made.
func addApart(t *recorded.Trace, by By) (*maker, error) {
	var list []*maker
	ok, err := t.WalkApart(func(threads int) { list = make([]*maker, threads) }, func(thread int) recorded.Handler {
		list[thread] = newMaker(by)
		return list[thread].handler()
	})
	if !ok {
		return nil, err
	}
	m := newMaker(by)
	for _, o := range list {
		m.include(o)
	}
	if m.unknown > 0 && len(list) > 1 {
		return nil, nil
	}
	return m, nil
}

func newMaker(by By) *maker {
	return &maker{by: by, rows: map[key]*row{}, threads: map[*recorded.Thread]*thread{}, traffic: map[[2]int]*Traffic{}, sizes: map[sizeKey]*Size{}}
}

func (m *maker) handler() recorded.Handler {
	h := recorded.Handler{Unordered: true, Sparse: true, Any: m.any, Message: m.message}
	if m.by != Event {
		h.Enter, h.Leave = m.enter, m.leave
	}
	return h
}

// maker sums up while the trace is read.
type maker struct {
	by          By
	rows        map[key]*row
	threads     map[*recorded.Thread]*thread
	last, first int64
	events      uint64
	unfinished  uint64
	unknown     uint64
	traffic     map[[2]int]*Traffic
	sizes       map[sizeKey]*Size
	current     *thread
}

// thread is a thread and the rows of the frames that it is in.
type thread struct {
	of    *recorded.Thread
	stack []level
	// shares has the thread's part of each row. byID has the same parts by the ID of frames, and
	// noRow for frames that are in no row.
	shares map[key]*share
	byID   []*share
}

var noRow = &share{}

// level is a frame that a thread is in.
type level struct {
	share  *share // nil: the frame is in no row
	waited int64
	bytes  uint64
}

// share is a thread's part of a row.
type share struct {
	row   *row
	of    *recorded.Thread
	total int64
	ended bool // at least once
	depth int  // the number of its frames that the thread is in
}

// row collects the sums for a Row.
type row struct {
	count  uint64
	total  int64
	self   int64
	wait   int64
	long   int64
	hist   histogram
	shares []*share
}

func (m *maker) thread(t *recorded.Thread) *thread {
	if m.current == nil || m.current.of != t {
		if m.current = m.threads[t]; m.current == nil {
			m.current = &thread{of: t, shares: map[key]*share{}}
			m.threads[t] = m.current
		}
	}
	return m.current
}

func (m *maker) any(e *recorded.Event) error {
	if e.Kind.Phase == recorded.Internal || e.Kind.Phase == recorded.Calls {
		return nil
	}
	if m.events == 0 {
		m.first, m.last = e.Time, e.Time
	}
	m.events++
	m.first, m.last = min(m.first, e.Time), max(m.last, e.Time)
	if m.by == Event {
		m.row(key{name: e.Kind.Name}).count++
	}
	return nil
}

func (m *maker) row(k key) *row {
	r := m.rows[k]
	if r == nil {
		r = &row{}
		m.rows[k] = r
	}
	return r
}

// key identifies the row of a frame.
type key struct {
	name    string // of an event, call, function, or region
	where   string // its place in the source
	process *recorded.Process
	thread  *recorded.Thread
}

// of returns the row of a frame. ok reports whether the frame has a row.
func (m *maker) of(t *recorded.Thread, f *recorded.Frame) (k key, ok bool) {
	switch m.by {
	case Rank:
		return key{process: t.Process}, true
	case Thread:
		return key{thread: t}, true
	case Call:
		return key{name: f.Name}, f.Kind.MPI()
	case Kernel:
		return key{name: f.Name}, f.Kind.Kernel()
	case Function:
		if f.Region == nil {
			return key{}, false
		}
		return key{name: f.Region.Function}, f.Region.Function != ""
	}
	name, where := f.Place()
	return key{name: name, where: where}, true
}

func (k key) String() string {
	switch {
	case k.process != nil:
		return k.process.Name()
	case k.thread != nil:
		return k.thread.Process.Name() + ", " + k.thread.Name()
	case k.where != "":
		return k.name + " " + k.where
	}
	return k.name
}

func (m *maker) enter(e *recorded.Event, f *recorded.Frame) error {
	t := m.thread(e.Thread)
	bytes, _ := e.Bytes()
	for f.ID >= len(t.byID) {
		t.byID = append(t.byID, nil)
	}
	s := t.byID[f.ID]
	if s == nil {
		s = m.share(t, f)
		t.byID[f.ID] = s
	}
	if s == noRow {
		t.stack = append(t.stack, level{bytes: bytes})
		return nil
	}
	s.depth++
	t.stack = append(t.stack, level{share: s, bytes: bytes})
	return nil
}

// share returns the thread's part of the row of a frame.
func (m *maker) share(t *thread, f *recorded.Frame) *share {
	k, ok := m.of(t.of, f)
	if !ok {
		return noRow
	}
	s := t.shares[k]
	if s == nil {
		r := m.row(k)
		s = &share{row: r, of: t.of}
		r.shares = append(r.shares, s)
		t.shares[k] = s
	}
	return s
}

func (m *maker) leave(th *recorded.Thread, f *recorded.Frame, end int64, whole bool, e *recorded.Event) error {
	t := m.thread(th)
	last := len(t.stack) - 1
	l := t.stack[last]
	t.stack = t.stack[:last]
	took := end - f.Begin
	if f.Kind.Waits() {
		l.waited = took
	}
	if last > 0 {
		t.stack[last-1].waited += l.waited
	}
	if !whole {
		m.unfinished++
	}
	s := l.share
	if s == nil {
		return nil
	}
	s.depth--
	if !whole {
		return nil
	}
	r := s.row
	s.ended = true
	r.count++
	r.self += took - f.Inside
	if s.depth == 0 { // the total already includes a frame within itself
		r.total += took
		r.wait += l.waited
		s.total += took
	}
	r.long = max(r.long, took)
	r.hist.add(took)
	if m.by == Call {
		m.size(f, e, l.bytes, took)
	}
	return nil
}

func (m *maker) message(_ *recorded.Event, msg recorded.Message) error {
	switch {
	case !msg.Sent:
	case msg.From < 0 || msg.To < 0:
		m.unknown++
	default:
		key := [2]int{msg.From, msg.To}
		t := m.traffic[key]
		if t == nil {
			t = &Traffic{From: msg.From, To: msg.To}
			m.traffic[key] = t
		}
		t.Count++
		t.Bytes += msg.Bytes
	}
	return nil
}

func (r *row) finish(k key) Row {
	row := Row{Name: k.String(), Count: r.count, Total: r.total, Self: r.self, Wait: r.wait, Longest: r.long}
	if r.hist.count == 0 { // of events
		return row
	}
	row.Mean = r.hist.sum / int64(r.count)
	row.Spread = r.hist.spread()
	row.Median, row.P99 = min(r.hist.quantile(0.5), r.long), min(r.hist.quantile(0.99), r.long)
	most, sum := int64(0), int64(0)
	for _, s := range r.shares {
		if s.ended {
			row.Threads++
		}
		if s.total > most && k.thread == nil {
			row.Slowest = key{thread: s.of}.String()
		}
		most, sum = max(most, s.total), sum+s.total
	}
	if row.Threads < 2 {
		row.Slowest = ""
	}
	if sum > 0 {
		row.Imbalance = float64(most)*float64(row.Threads)/float64(sum) - 1
		row.Waste = most*int64(row.Threads) - sum
	}
	return row
}
