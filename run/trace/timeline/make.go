package timeline

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// errDisorder means that threads cannot be read separately: the events of one are in several streams that overlap in time.
var errDisorder = errors.New("the streams of a thread overlap")

// Make reads a trace and writes its index. If done is not nil, it counts the spans written so far. The bytes are
// written in order; if Make fails, the output is not an index.
func Make(ctx context.Context, t *recorded.Trace, w io.Writer, done *atomic.Int64) error {
	if done == nil {
		done = new(atomic.Int64)
	}
	m := &maker{ctx: ctx, out: &writer{to: bufio.NewWriterSize(w, 1<<20)}, start: t.Start, done: done}
	ok, err := m.apart(t)
	if !ok && err == nil && t.HasTasks() {
		if err = t.Survey(); err == nil { // tasks may be created by other threads
			ok, err = m.apart(t)
		}
	}
	if !ok && err == nil {
		err = m.together(t)
	}
	if err != nil {
		return err
	}
	return m.finish(t)
}

// maker makes an index.
type maker struct {
	ctx    context.Context
	out    *writer
	start  int64
	done   *atomic.Int64
	labels *labels
	tracks []*trackMaker
}

// restart discards what was made. Leaves already written stay in the file without references to them.
func (m *maker) restart() {
	m.tracks, m.labels = nil, &labels{ids: map[Label]uint32{}}
	m.done.Store(0)
}

// apart reads the threads separately, several at the same time. ok is false if all events must be read in one
// common order of time.
func (m *maker) apart(t *recorded.Trace) (ok bool, err error) {
	m.restart()
	ok, err = t.WalkApart(func(threads int) { m.tracks = make([]*trackMaker, threads) }, func(thread int) recorded.Handler {
		k := &trackMaker{maker: m, apart: true}
		m.tracks[thread] = k
		return recorded.Handler{Enter: k.enter, Leave: k.leave, Instant: k.instant, Message: k.message, Done: k.flush}
	})
	if errors.Is(err, errDisorder) {
		return false, nil
	}
	// A separately read thread does not know a communicator that another thread has made.
	if ok && len(m.tracks) > 1 && slices.ContainsFunc(m.tracks, func(k *trackMaker) bool { return k.unknown > 0 }) {
		return false, nil
	}
	return ok, err
}

// together reads all threads in the order of time.
func (m *maker) together(t *recorded.Trace) error {
	m.restart()
	of := map[*recorded.Thread]*trackMaker{}
	var last *trackMaker
	track := func(th *recorded.Thread) *trackMaker {
		if last != nil && last.thread == th {
			return last
		}
		k := of[th]
		if k == nil {
			k = &trackMaker{maker: m, thread: th}
			of[th] = k
			m.tracks = append(m.tracks, k)
		}
		last = k
		return k
	}
	var counter *recorded.Counter
	err := t.Walk(recorded.Handler{
		Enter: func(e *recorded.Event, f *recorded.Frame) error { return track(e.Thread).enter(e, f) },
		Leave: func(th *recorded.Thread, f *recorded.Frame, end int64, whole bool, e *recorded.Event) error {
			return track(th).leave(th, f, end, whole, e)
		},
		Instant: func(e *recorded.Event) error { return track(e.Thread).instant(e) },
		Message: func(e *recorded.Event, msg recorded.Message) error { return track(e.Thread).message(e, msg) },
		Value: func(c *recorded.Counter, begin, end int64, value uint32) error {
			if c != counter {
				counter = c
				m.tracks = append(m.tracks, m.counter(c))
			}
			k := m.tracks[len(m.tracks)-1]
			return k.add(k.lanes[0], Span{begin - m.start, end - m.start, value})
		},
	})
	for i := 0; err == nil && i < len(m.tracks); i++ {
		err = m.tracks[i].flush()
	}
	return err
}

// finish writes what is known only after everything was read.
func (m *maker) finish(t *recorded.Trace) error {
	m.tracks = slices.DeleteFunc(m.tracks, func(k *trackMaker) bool { return k.thread == nil }) // without events
	slices.SortStableFunc(m.tracks, func(a, b *trackMaker) int {
		x, y := a.thread, b.thread
		return cmp.Or(cmp.Compare(x.Rank, y.Rank), cmp.Compare(x.Host, y.Host), cmp.Compare(x.PID, y.PID), cmp.Compare(b2i(a.counts), b2i(b.counts)), cmp.Compare(b2i(x.Device != ""), b2i(y.Device != "")), cmp.Compare(x.Number, y.Number), cmp.Compare(x.TID, y.TID), cmp.Compare(x.Device, y.Device))
	})
	h := &Head{Program: t.Program(), Start: m.start, Labels: m.labels.list, Tracks: []*Track{}}
	for _, k := range m.tracks {
		th := k.thread
		track := &Track{Process: th.Process.Name(), Name: th.Name(), Rank: th.Rank, PID: th.PID, TID: th.TID, Lost: th.Lost, Deeper: k.deeper, Lanes: []*Lane{}}
		for _, l := range k.lanes {
			track.Lanes = append(track.Lanes, l.lane(false))
		}
		if k.instants != nil {
			track.Lanes = append(track.Lanes, k.instants.lane(true))
		}
		for _, l := range track.Lanes {
			if !k.counts {
				h.Spans += l.Spans
			}
			h.Length = max(h.Length, l.levels[0][len(l.levels[0])-1].end)
		}
		h.Tracks = append(h.Tracks, track)
	}
	arrows, left := m.arrows()
	h.Messages = Messages{len(arrows), left}
	return m.out.end(h, arrows)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// counter begins the track of a counter.
func (m *maker) counter(c *recorded.Counter) *trackMaker {
	label := m.labels.id(labelOf(c.Name, c.Kind, c.Region))
	return &trackMaker{maker: m, thread: &recorded.Thread{Process: c.Process, Device: c.Name}, counts: true, lanes: []*laneMaker{{counter: &Counter{Label: label}}}}
}

// labels numbers the labels of spans.
type labels struct {
	mu   sync.Mutex
	ids  map[Label]uint32
	list []Label
}

// id returns the number of a label. Labels above the limit share the last number.
func (l *labels) id(of Label) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id, ok := l.ids[of]; ok {
		return id
	}
	if len(l.list) >= maxLabels-1 {
		of = Label{Name: "(more names than a time line has)"}
		if id, ok := l.ids[of]; ok {
			return id
		}
	}
	id := uint32(len(l.list))
	l.ids[of], l.list = id, append(l.list, of)
	return id
}

func labelOf(name string, k *recorded.Kind, r *recorded.Region) Label {
	l := Label{Name: name, Event: k.Name, Where: r.Where()}
	if r != nil {
		l.File, l.Line = r.File, r.Line
	}
	return l
}

// trackMaker makes the lanes of a thread.
type trackMaker struct {
	*maker
	thread   *recorded.Thread
	apart    bool
	counts   bool // whether it is a counter
	depth    int
	lanes    []*laneMaker
	instants *laneMaker
	deeper   uint64
	frames   []uint32 // 1 + the label of each frame, by the frame's ID; 0: unknown
	moments  map[moment]uint32
	ends     []end
	lostEnds uint64 // ends above the limit
	unknown  uint64 // messages whose other rank is unknown

	lastKind   *recorded.Kind
	lastMember int
}

type moment struct {
	kind   *recorded.Kind
	region *recorded.Region
	title  string
}

func (k *trackMaker) enter(e *recorded.Event, f *recorded.Frame) error {
	k.thread = e.Thread
	k.depth++
	k.begins(e, f)
	return nil
}

func (k *trackMaker) leave(t *recorded.Thread, f *recorded.Frame, at int64, _ bool, _ *recorded.Event) error {
	k.depth--
	if k.depth >= maxLanes {
		k.deeper++
		return nil
	}
	for f.ID >= len(k.frames) {
		k.frames = append(k.frames, 0)
	}
	if k.frames[f.ID] == 0 {
		k.frames[f.ID] = 1 + k.labels.id(labelOf(f.Name, f.Kind, f.Region))
	}
	for len(k.lanes) <= k.depth {
		k.lanes = append(k.lanes, &laneMaker{})
	}
	return k.add(k.lanes[k.depth], Span{f.Begin - k.start, at - k.start, k.frames[f.ID] - 1})
}

func (k *trackMaker) instant(e *recorded.Event) error {
	k.thread = e.Thread
	k.happens(e)
	key := moment{e.Kind, e.Region, e.Title()}
	id, ok := k.moments[key]
	if !ok {
		if k.moments == nil || len(k.moments) > maxLabels {
			k.moments = map[moment]uint32{}
		}
		id = k.labels.id(labelOf(key.title, e.Kind, e.Region))
		k.moments[key] = id
	}
	if k.instants == nil {
		k.instants = &laneMaker{}
	}
	return k.add(k.instants, Span{e.Time - k.start, e.Time - k.start, id})
}

// laneMaker makes the leaves of a lane.
type laneMaker struct {
	spans  []Span // of the next leaf
	last   int64  // end of the last span
	leaves []node
	count  uint64
	room   []byte

	counter *Counter
}

// add adds a span after the last one.
func (k *trackMaker) add(l *laneMaker, s Span) error {
	if s.Begin < l.last {
		if k.apart {
			return errDisorder
		}
		s.Begin = l.last // the clocks of two machines, or of a device, may differ by this much
		s.End = max(s.End, s.Begin)
	}
	l.last = s.End
	l.count++
	l.spans = append(l.spans, s)
	if len(l.spans) == leafSize {
		return k.write(l)
	}
	return nil
}

// write ends a leaf.
func (k *trackMaker) write(l *laneMaker) error {
	if len(l.spans) == 0 {
		return nil
	}
	if err := k.ctx.Err(); err != nil {
		return err
	}
	n, room, err := k.out.leaf(l.spans, l.counter != nil, l.room)
	if l.counter != nil {
		l.counter.Most = max(l.counter.Most, n.label)
	}
	l.leaves, l.room = append(l.leaves, n), room
	k.done.Add(int64(len(l.spans)))
	l.spans = l.spans[:0]
	return err
}

// flush writes the remaining leaves when the thread has ended.
func (k *trackMaker) flush() error {
	for _, l := range k.lanes {
		if err := k.write(l); err != nil {
			return err
		}
		l.spans, l.room = nil, nil
	}
	if k.instants == nil {
		return nil
	}
	return k.write(k.instants)
}

func (l *laneMaker) lane(instants bool) *Lane {
	return &Lane{Instants: instants, Counter: l.counter, Spans: l.count, Leaves: len(l.leaves), levels: [][]node{l.leaves}}
}
