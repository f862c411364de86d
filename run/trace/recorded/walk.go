package recorded

import (
	"container/heap"
	"fmt"
	"math"

	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// Event is an event of a thread. The next event overwrites it.
type Event struct {
	*ctf.Occurrence
	Thread *Thread
	Kind   *Kind
	Time   int64 // in nanoseconds since the epoch
	Region *Region
	Edge   *Edge // the edge of a pipeline that is waited for
	Room   bool  // whether the wait is for room, not for data

	source *source
	site   *site
}

// Frame is an activity of a thread, from one event to another.
type Frame struct {
	Name   string // `MPI_Send`, `parallel relax`, `step`
	Kind   *Kind  // the kind of the event that began it
	Region *Region
	Begin  int64
	Inside int64  // the time in frames within it
	Task   uint64 // the number of a task
	// ID is a small number, the same for frames of one thread with the same name, kind and region.
	ID int

	// Calls are the calls that led to the frame, the outermost first, as far as they are recorded. Via are the calls
	// among them that are within the enclosing frame.
	Calls, Via []*Region

	call *call // of MPI, if messages are wanted
}

// Place returns the name and place under which executions of the frame are summed up: a construct has a place in the
// source, anything else only a name.
func (f *Frame) Place() (name, where string) {
	where = f.Region.Where()
	if where != "" && f.Kind.Provider != FlowProvider { // the name of a pipeline's process is enough
		return f.Kind.Call, where
	}
	return f.Name, where
}

// Handler holds the functions that a walk calls. Any of them may be nil.
type Handler struct {
	// Any is called first, for every event, including those that begin and end frames.
	Any func(e *Event) error
	// Enter and Leave are called for frames, which are nested. If a frame is not whole, its end is not in the trace,
	// and it ends where the enclosing frame does.
	Enter func(e *Event, f *Frame) error
	Leave func(t *Thread, f *Frame, end int64, whole bool, e *Event) error
	// Instant is called for the other events.
	Instant func(e *Event) error
	// Message is called when a message was sent or has arrived.
	Message func(e *Event, m Message) error
	// Collective is called before Leave for a call that all ranks of a communicator make.
	Collective func(t *Thread, f *Frame, end int64, c Collective) error
	// Value is called after everything else, with the times between which a counter had a value; the values of each counter are in order.
	Value func(c *Counter, begin, end int64, value uint32) error
	// Done is called when a separately read thread has ended.
	Done func() error
	// Unordered means that only the events of each thread need to be in order, which is faster.
	Unordered bool
	// Sparse means that only the members needed for frames and messages are read, which is faster.
	Sparse bool
}

// source is a stream being read.
type source struct {
	*ctf.Cursor
	part   *part
	time   int64
	thread *Thread
	rank   int                  // the rank, if an event has shown it; -1: unknown
	eras   []uint64             // by kind: the era in which its thread was identified
	names  map[[2]string]string // of frames, by their two words
	sites  sites
}

func (p *part) source(stream string, sparse bool) *source {
	s := &source{Cursor: p.Cursor(stream), part: p, rank: -1, eras: make([]uint64, len(p.kinds)), names: map[[2]string]string{}, sites: newSites()}
	if sparse {
		s.Only(p.sparse)
	}
	return s
}

func (s *source) next() bool {
	if !s.Cursor.Next() {
		return false
	}
	s.time = s.Kind().Clock.Nanoseconds(s.Time)
	return true
}

type byTime []*source

func (h byTime) Len() int           { return len(h) }
func (h byTime) Less(i, j int) bool { return h[i].time < h[j].time }
func (h byTime) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byTime) Push(x any)        { *h = append(*h, x.(*source)) }

// next returns the time of the first event of the other streams.
func (h byTime) next() int64 {
	first := int64(math.MaxInt64)
	for _, s := range h[min(1, len(h)):min(3, len(h))] {
		first = min(first, s.time)
	}
	return first
}

func (h *byTime) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// walker is one walk through a trace, or through the events of a thread.
type walker struct {
	Handler
	apart bool // whether this walker reads one thread while others read the other threads
	trace *Trace
	comms communicators
	ids   map[identity]int
	event Event
	last  int64
	plain bool // whether only Any is set, so that frames are not needed
}

type taskKey struct {
	process *Process
	id      uint64
}

func newWalker(t *Trace, h Handler) *walker {
	plain := h.Enter == nil && h.Leave == nil && h.Instant == nil && h.Message == nil && h.Collective == nil
	return &walker{Handler: h, trace: t, comms: newCommunicators(), ids: map[identity]int{}, plain: plain}
}

// reset clears the state of threads.
func (t *Trace) reset() {
	for _, th := range t.Threads {
		th.stack, th.tasks, th.ended, th.calls = nil, nil, 0, nil
	}
}

// Walk reads the events of all threads in the order of time. An error, including a handler's, ends it.
func (t *Trace) Walk(h Handler) error {
	w := newWalker(t, h)
	t.reset()
	if t.timeline != nil {
		return w.timeline(t.timeline)
	}
	var all []*source
	for _, p := range t.parts {
		alone := h.Unordered && p.StreamIsThread()
		var own []*source
		for _, stream := range p.Streams {
			s := p.source(stream, h.Sparse)
			if !alone {
				own = append(own, s)
			} else if err := w.merge([]*source{s}); err != nil {
				return err
			}
		}
		if !h.Unordered {
			all = append(all, own...)
		} else if err := w.merge(own); err != nil {
			return err
		}
	}
	if err := w.merge(all); err != nil {
		return err
	}
	return w.finish()
}

// merge reads streams in the order of time.
func (w *walker) merge(list []*source) error {
	var h byTime
	defer func() {
		for _, s := range list {
			s.Close()
		}
	}()
	for _, s := range list {
		if s.next() {
			h = append(h, s)
		} else if s.Err() != nil {
			return s.Err()
		}
	}
	heap.Init(&h)
	for len(h) > 0 {
		s, until := h[0], h.next()
		for {
			if err := w.take(s); err != nil {
				return err
			}
			if !s.next() {
				if s.Err() != nil {
					return s.Err()
				}
				heap.Pop(&h)
				break
			}
			if s.time > until {
				heap.Fix(&h, 0)
				break
			}
		}
	}
	return nil
}

// take handles one event.
func (w *walker) take(s *source) error {
	k := s.part.kinds[s.Event]
	if err := w.trace.identify(s, k, !w.apart); err != nil {
		return err
	}
	t, e := s.thread, &w.event
	e.Occurrence, e.Thread, e.Kind, e.Time = &s.Occurrence, t, k, s.time
	e.source, e.site = s, s.site(k)
	e.Region = e.site.region
	w.last = max(w.last, s.time)
	if w.Any != nil {
		if err := w.Any(e); err != nil || w.plain {
			return err
		}
	}
	if k.Phase == Calls {
		t.calls = s.part.calls(s.Fields[k.calls].List)
		return nil
	}
	err := w.dispatch(e)
	t.calls = nil
	return err
}

// identify finds the thread of an event, and the rank if the event has it. If other threads are read at the same time,
// the process gets its rank only at the end.
func (t *Trace) identify(s *source, k *Kind, together bool) error {
	if k.steady && s.eras[s.Event] == s.Era {
		return nil // the same as for the previous event
	}
	s.eras[s.Event] = s.Era
	if s.thread == nil || s.thread.PID != s.PID || s.thread.TID != s.TID {
		if !together {
			return errMixed
		}
		s.is(t.thread(k, &s.Occurrence, s.Stream(), s.part.Env))
	}
	th := s.thread
	th.Lost = max(th.Lost, s.Discarded)
	// Our traces give rank 0 to a process without MPI, which is ignored here.
	if v := k.value(k.rank, &s.Occurrence); v != nil && (v.Number != 0 || k.mpi) {
		if s.rank = int(v.Number); together {
			s.setRank()
		}
	}
	if v := k.value(k.number, &s.Occurrence); v != nil {
		th.Number = int(v.Number)
	}
	return nil
}

// is sets the thread of the next events.
func (s *source) is(th *Thread) { s.thread, s.rank = th, th.Rank }

// setRank sets the rank of the process.
func (s *source) setRank() {
	if s.rank >= 0 {
		s.thread.Rank = s.rank
	}
}

// dispatch handles an event according to its phase.
func (w *walker) dispatch(e *Event) error {
	switch e.Kind.Phase {
	case Begin:
		return w.enter(e)
	case End:
		return w.end(e)
	case Schedule:
		return w.schedule(e)
	case Whole:
		return w.wholeFrame(e)
	case Instant:
		return w.instant(e)
	}
	return nil
}

// Label returns the name that the program gave the event, or "".
func (e *Event) Label() string {
	if e.Kind.label < 0 {
		return ""
	}
	return e.Fields[e.Kind.label].Text
}

// Bytes returns the size of the message in an MPI event. ok reports whether it has one.
func (e *Event) Bytes() (n uint64, ok bool) {
	if e.Kind.bytes < 0 {
		return 0, false
	}
	return e.Fields[e.Kind.bytes].Number, true
}

// Site returns the region at the address in a field, or nil.
func (e *Event) Site(field string) *Region {
	address, _ := e.Field(field)
	return e.source.part.regions.At(address)
}

// Title returns the name of an event that is not a frame: the text of a mark, or the kind of another event.
func (e *Event) Title() string {
	if e.Kind.Provider == ownProvider && e.Kind.Call == markEvent {
		return e.Label()
	}
	return e.Kind.Call
}

// name returns the name of an event's frame.
func (e *Event) name() string {
	k := e.Kind
	switch {
	case k.Call == launchCall && k.label >= 0: // the kernel itself has that name too
		return e.joined("launch", e.Fields[k.label].Text)
	case k.label >= 0:
		return e.Fields[k.label].Text
	case k.mpi:
		return k.Call
	case e.Region != nil && e.Region.Function != "":
		return e.joined(k.Call, e.Region.Function)
	case k.Call == "func": // from LTTng's tracing of functions
		return fmt.Sprintf("%#x", e.Fields[k.code].Number)
	}
	return k.Call
}

// joined returns a name of two words, which is made once.
func (e *Event) joined(call, of string) string {
	key := [2]string{call, of}
	name, ok := e.source.names[key]
	if !ok {
		name = call + " " + of
		e.source.names[key] = name
	}
	return name
}
