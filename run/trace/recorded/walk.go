package recorded

import (
	"container/heap"
	"fmt"
	"math"

	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// Event is an event of a thread. It is overwritten by the next.
type Event struct {
	*ctf.Occurrence
	Thread *Thread
	Kind   *Kind
	Time   int64 // in nanoseconds since the epoch
	Region *Region
	Edge   *Edge // of a pipeline, that is waited for
	Room   bool  // for room in it, and not for data

	source *source
	site   *site
}

// Frame is something that a thread is in, from one event to another.
type Frame struct {
	Name   string // `MPI_Send`, `parallel relax`, `step`
	Kind   *Kind  // of the event that began it
	Region *Region
	Begin  int64
	Inside int64  // how long the thread was in frames within this one
	Task   uint64 // its number, of the frame of a task
	// ID is the same for frames of one thread that have the same name, kind and region, and small.
	ID int

	// Calls are what led to it, the outermost first, as far as they are recorded. Via are those
	// of them that lie within the frame around it.
	Calls, Via []*Region

	call *call // of MPI, where messages are asked for
}

// Place is what executions of the frame are added up by: a construct by its place in the source,
// anything else by its name alone.
func (f *Frame) Place() (name, where string) {
	where = f.Region.Where()
	if where != "" && f.Kind.Provider != FlowProvider { // a process of a pipeline has a name of its own
		return f.Kind.Call, where
	}
	return f.Name, where
}

// Handler hears what happened. Any of its functions may be nil.
type Handler struct {
	// Any hears every event first, also those that begin and end frames.
	Any func(e *Event) error
	// Enter and Leave hear of frames, which lie in each other. The end of a frame
	// that is not whole is not in the trace: it is where the frame around it ends.
	Enter func(e *Event, f *Frame) error
	Leave func(t *Thread, f *Frame, end int64, whole bool, e *Event) error
	// Instant hears of the other events.
	Instant func(e *Event) error
	// Message hears that a message was sent or has come.
	Message func(e *Event, m Message) error
	// Collective hears, before Leave, of a call that all ranks of a communicator make.
	Collective func(t *Thread, f *Frame, end int64, c Collective) error
	// Value hears from when to when a counter had a value, those of each in order, when it has heard all else.
	Value func(c *Counter, begin, end int64, value uint32) error
	// Done hears that a thread has ended that is read apart.
	Done func() error
	// Unordered: only the events of each thread are in order. That is quicker.
	Unordered bool
	// Sparse: of the members of events' own only those are read that frames and messages are made of. That is quicker.
	Sparse bool
}

// source is a stream that is read.
type source struct {
	*ctf.Cursor
	part   *part
	time   int64
	thread *Thread
	rank   int                  // as far as its events say; -1: they do not
	eras   []uint64             // by kind: in which it was identified
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

// next is the time of the first event of another stream.
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
	apart bool // others walk through the other threads
	trace *Trace
	comms communicators
	ids   map[identity]int
	event Event
	last  int64
	plain bool // nothing but Any is asked for, so that frames need not be known
}

type taskKey struct {
	process *Process
	id      uint64
}

func newWalker(t *Trace, h Handler) *walker {
	plain := h.Enter == nil && h.Leave == nil && h.Instant == nil && h.Message == nil && h.Collective == nil
	return &walker{Handler: h, trace: t, comms: newCommunicators(), ids: map[identity]int{}, plain: plain}
}

// reset forgets what threads were in.
func (t *Trace) reset() {
	for _, th := range t.Threads {
		th.stack, th.tasks, th.ended, th.calls = nil, nil, 0, nil
	}
}

// Walk reads the events of all threads in the order of their times. An error,
// of a handler too, ends it.
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

// merge reads streams by time.
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

// take hands on one event.
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
	err := w.hand(e)
	t.calls = nil
	return err
}

// identify finds the thread of an event, and takes what the event says of it. Where others read other
// threads meanwhile, and not together with this one, the process gets to know its rank at the end.
func (t *Trace) identify(s *source, k *Kind, together bool) error {
	if k.steady && s.eras[s.Event] == s.Era {
		return nil // the one before said it all
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
	// A process that has no part in MPI is of rank 0 in our traces.
	if v := k.value(k.rank, &s.Occurrence); v != nil && (v.Number != 0 || k.mpi) {
		if s.rank = int(v.Number); together {
			s.tell()
		}
	}
	if v := k.value(k.number, &s.Occurrence); v != nil {
		th.Number = int(v.Number)
	}
	return nil
}

// is says whose the next events are.
func (s *source) is(th *Thread) { s.thread, s.rank = th, th.Rank }

// tell hands the rank on to the process.
func (s *source) tell() {
	if s.rank >= 0 {
		s.thread.Rank = s.rank
	}
}

// hand hands on an event by what it is of a frame.
func (w *walker) hand(e *Event) error {
	switch e.Kind.Phase {
	case Begin:
		return w.enter(e)
	case End:
		return w.end(e)
	case Schedule:
		return w.schedule(e)
	case Whole:
		return w.whole(e)
	case Instant:
		return w.instant(e)
	}
	return nil
}

// Label is the name that the event has in its program, or empty.
func (e *Event) Label() string {
	if e.Kind.label < 0 {
		return ""
	}
	return e.Fields[e.Kind.label].Text
}

// Bytes is the size of the message that an event of MPI names. ok reports whether it does.
func (e *Event) Bytes() (n uint64, ok bool) {
	if e.Kind.bytes < 0 {
		return 0, false
	}
	return e.Fields[e.Kind.bytes].Number, true
}

// Site is what stands at the address in a field, or nil.
func (e *Event) Site(field string) *Region {
	address, _ := e.Field(field)
	return e.source.part.regions.At(address)
}

// Title is what an event that is no frame is called: a mark by its text, another by its kind.
func (e *Event) Title() string {
	if e.Kind.Provider == ownProvider && e.Kind.Call == markEvent {
		return e.Label()
	}
	return e.Kind.Call
}

// name is what the frame of an event is called.
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
	case k.Call == "func": // of LTTng's tracing of functions
		return fmt.Sprintf("%#x", e.Fields[k.code].Number)
	}
	return k.Call
}

// joined is a name of two words, which is made once.
func (e *Event) joined(call, of string) string {
	key := [2]string{call, of}
	name, ok := e.source.names[key]
	if !ok {
		name = call + " " + of
		e.source.names[key] = name
	}
	return name
}
