package flow

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/recording"
)

// An edge is a queue with one producer and one consumer. Each side has its own counters and publishes them;
// neither ever takes a lock. A side that cannot continue stores the count it waits for, looks once more, and
// parks; the other side wakes it when the count is reached. A producer that finds the edge full waits until
// half of it is free, so that one wake-up serves many data.
type edge struct {
	from, to *proc
	plan     *pipe.PlanEdge
	name     string // `from.port → to.port`, for messages
	blocking bool
	lazy     bool            // both processes run on one worker, so counters are published only when the worker switches processes
	unmarked bool            // the consumer steps without waiting for this input, so the edge gets no markers
	trace    *recording.Edge // nil if the edge is not traced

	_         [64]byte // the fields below are written by the producer only
	tail      uint64
	stopAt    uint64 // value of tail at which the producer must check limits again
	limit     uint64 // number of data the edge may hold
	headSeen  uint64
	wbuf      []entry // the buffer of wseg
	wseg      *segment
	statAt    uint64 // value of tail at which the fill is measured next
	highSeen  uint64
	fillSum   atomic.Uint64
	fillCount atomic.Uint64
	high      atomic.Uint64
	words     atomic.Uint64 // number of flushes and completes pushed
	dropped   atomic.Uint64
	fullFor   atomic.Int64 // nanoseconds that the producer has waited for room
	grown     atomic.Uint64

	_         [64]byte // the fields below are written by the consumer only
	head      uint64
	tailSeen  uint64
	readTo    uint64  // the entries before this count can be read from rbuf
	rbuf      []entry // the buffer of rseg
	rseg      *segment
	publishAt uint64 // value of head at which headPub is stored next
	lag       uint64
	markAt    atomic.Uint64 // value of tail at the marker of a change, stored by the producer; open: no marker
	over      bool          // the consumer has taken the complete
	crossed   bool          // the consumer ignores the marker of the pending change
	wordsTook atomic.Uint64
	emptyFor  atomic.Int64

	_        [64]byte // the fields below are published by the producer for the consumer
	tailPub  atomic.Uint64
	waitHead atomic.Uint64 // the producer waits until head reaches this value; 0: it does not wait

	_        [64]byte // the fields below are published by the consumer for the producer
	headPub  atomic.Uint64
	waitTail atomic.Uint64 // the consumer waits until tail reaches this value; 0: it does not wait
	aside    atomic.Uint32 // bits for special cases that each push must check; 0: none
	_        [64]byte

	tap     atomic.Pointer[tapped] // keeps the newest datum while a Tap is open; nil: no Tap
	looking atomic.Bool            // asks the consumer to give a new Tap the newest waiting datum
}

// Bits of aside, one for each special case.
const (
	hasRefused uint32 = 1 << iota // the consumer takes no more data
	hasTap                        // a Tap keeps the newest datum
)

// An entry is one slot of the queue.
type entry struct {
	datum Datum
	stamp Stamp
}

// A segment is a ring buffer. An edge that needs more room gets a larger segment after the current one.
type segment struct {
	buf   []entry
	start uint64        // number of entries pushed before this segment was added
	end   atomic.Uint64 // number of entries pushed before the next segment was added; open while this is the last one
	next  *segment
}

const (
	open         = math.MaxUint64
	firstSegment = 16
	sampleEvery  = 64
	maxLag       = 8
)

func newSegment(start uint64, size int) *segment {
	s := &segment{buf: make([]entry, size), start: start}
	s.end.Store(open)
	return s
}

// slot returns the slot of the edge's i-th entry in buf.
func slot(buf []entry, i uint64) *entry { return &buf[i&uint64(len(buf)-1)] }

func (e *edge) init(from, to *proc, plan *pipe.PlanEdge, lazy bool) {
	e.from, e.to, e.plan, e.name, e.blocking, e.lazy, e.limit = from, to, plan, plan.String(), plan.Blocking, lazy, uint64(plan.Capacity)
	if plan.Inner {
		e.name = from.node.Name + "." + from.node.Out[plan.FromPort].Name + " → " + to.node.Name + "." + to.node.In[plan.ToPort].Name
	}
	size := firstSegment
	if plan.Capacity == 0 {
		e.limit = open
	} else if plan.Capacity < size {
		size = ceilPow2(plan.Capacity)
	}
	e.wseg = newSegment(0, size)
	e.rseg = e.wseg
	e.wbuf, e.rbuf = e.wseg.buf, e.wseg.buf
	e.stopAt = min(e.limit, uint64(size))
	e.statAt = 1
	e.lag = 1
	if lazy {
		e.lag = pipe.MaxCapacity
	} else if e.blocking && plan.Capacity != 0 {
		e.lag = min(maxLag, max(1, uint64(plan.Capacity)/4))
	}
	e.publishAt = e.lag
	e.unmarked = to.node.In[plan.ToPort].Flags&pipe.NoDep != 0
	e.markAt.Store(open)
}

// record makes the edge write every datum to the trace of the run. It does so by noting and publishing each
// datum at once, so that an edge without a trace need not check for one.
func (e *edge) record(t *recording.Trace) {
	e.trace = recording.NewEdge(t, e.name, e.plan)
	e.lazy, e.lag, e.publishAt, e.statAt = false, 0, 0, 0
}

// at returns how the edge appears in the trace of p, one of its two processes.
func (e *edge) at(p *proc) recording.At { return recording.At{Edge: e.name, Producer: e.from == p} }

func ceilPow2(n int) int { return 1 << bits.Len(uint(n-1)) }

// push appends a datum, waiting for room if it must.
func (e *edge) push(d Datum, stamp Stamp) {
	if e.aside.Load() != 0 && !e.stillWanted(d, stamp) {
		return
	}
	t := e.tail
	if t == e.stopAt && !e.makeRoom(d.kind) {
		return
	}
	en := slot(e.wbuf, t)
	en.datum.bits, en.datum.kind, en.datum.form, en.stamp = d.bits, d.kind, d.form, stamp
	if d.value != nil { // a free slot has a nil value already, so numbers need no write barrier
		en.datum.value = d.value
	}
	t++
	e.tail = t
	if d.kind >= FlushKind || t >= e.statAt {
		e.note(t)
	}
	if !e.lazy {
		e.announce(t)
	}
}

// announce publishes that t data have been pushed, and wakes the consumer if it waits for them.
func (e *edge) announce(t uint64) {
	e.tailPub.Store(t)
	if w := e.waitTail.Load(); w != 0 && t >= w && e.waitTail.CompareAndSwap(w, 0) {
		e.from.run.wake(e.to)
	}
}

// makeRoom is called when the edge looks full. It reads how far the consumer is. If this frees no slot, it adds
// a larger segment; if the capacity is reached, it drops the datum or waits. It returns false if the datum must
// not be pushed.
func (e *edge) makeRoom(kind DatumKind) bool {
	for {
		t, h := e.tail, e.headPub.Load()
		e.headSeen = h
		if t-h < e.limit {
			if s := e.wseg; t-max(h, s.start) == uint64(len(s.buf)) {
				next := newSegment(t, 2*len(s.buf))
				s.next = next
				s.end.Store(t)
				e.wseg, e.wbuf = next, next.buf
			}
			s := e.wseg
			e.stopAt = max(h, s.start) + uint64(len(s.buf))
			if e.limit != open {
				e.stopAt = min(e.stopAt, h+e.limit)
			}
			return true
		}
		if e.refused() {
			return false
		}
		if !e.blocking && kind == DataKind {
			e.dropped.Store(e.dropped.Load() + 1)
			e.from.event(pipe.EventDrop, e)
			return false
		}
		e.waitForRoom(t)
	}
}

func (e *edge) waitForRoom(t uint64) {
	p := e.from
	want := t - e.limit + (e.limit+1)/2
	e.waitHead.Store(want)
	if e.headPub.Load() >= want || e.refused() {
		e.waitHead.Store(0)
		return
	}
	p.waitsOn(e, pipe.EventBlock, &e.fullFor)
	e.waitHead.Store(0)
	p.leaveIfAborted()
}

// note updates the figures of the edge: at every flush and complete, and from time to time for data. With a
// trace it records every datum, before the consumer can take it.
func (e *edge) note(t uint64) {
	kind := slot(e.wbuf, t-1).datum.kind
	if kind >= FlushKind {
		e.words.Store(e.words.Load() + 1)
	} else {
		e.measure(t)
	}
	if e.trace != nil {
		e.trace.Push(e.from.trace, kind >= FlushKind)
		e.statAt = 0
	}
}

// measure updates the maximum and the mean number of data in the edge. A flush in the edge does not count.
func (e *edge) measure(t uint64) {
	words := e.words.Load()
	inside := words - min(words, e.wordsTook.Load())
	h := e.headPub.Load()
	fill := t - h - min(inside, t-h)
	if fill > e.highSeen {
		e.highSeen = fill
		e.high.Store(fill)
	}
	if t%sampleEvery == 0 || t < sampleEvery {
		e.fillSum.Store(e.fillSum.Load() + fill)
		e.fillCount.Store(e.fillCount.Load() + 1)
	}
	e.statAt = min(t+sampleEvery-t%sampleEvery, h+e.highSeen+1)
}

// has reports, without waiting, whether at least n data can be taken before the next marker.
func (e *edge) has(n uint64) bool {
	if e.tailSeen-e.head >= n {
		return true
	}
	e.tailSeen = e.tailPub.Load() // before markAt is read: the producer stores the marker before the data that follow it
	e.tailSeen = min(e.tailSeen, e.markAt.Load())
	e.readTo = min(e.tailSeen, e.rseg.end.Load())
	return e.tailSeen-e.head >= n
}

// wait waits until n data can be taken. Between steps it returns false if the process has another request to
// handle first, or if a marker comes before the n-th datum.
func (e *edge) wait(n uint64, inStep bool) bool {
	p := e.to
	for !e.has(n) {
		want := e.head + n
		switch marked := e.markAt.Load() < want; {
		case !inStep && (marked || p.ctl.Load()&^askChange != 0):
			return false
		case marked:
			p.meet(e)
			continue
		}
		e.waitTail.Store(want)
		if e.tailPub.Load() >= want {
			e.waitTail.Store(0)
			continue
		}
		p.waitsOn(e, pipe.EventBlock, &e.emptyFor)
		e.waitTail.Store(0)
		if inStep {
			p.leaveIfAborted()
		} else if p.ctl.Load() != 0 {
			return false
		}
	}
	return true
}

// more waits for a datum during a step. It returns false if the data have ended.
func (e *edge) more() bool { return !e.over && e.wait(1, true) }

// peek returns the i-th datum, which must be there.
func (e *edge) peek(i uint64) *entry {
	at := e.head + i
	if at < e.readTo {
		return slot(e.rbuf, at)
	}
	s := e.rseg
	for at >= s.end.Load() {
		s = s.next
	}
	return slot(s.buf, at)
}

// first returns the first datum, which must be there.
func (e *edge) first() *entry {
	if e.head == e.readTo { // the rest of the data is in the next segment
		e.rseg = e.rseg.next
		e.rbuf = e.rseg.buf
		e.readTo = min(e.tailSeen, e.rseg.end.Load())
	}
	return slot(e.rbuf, e.head)
}

// drop removes the first datum once the caller is done with it.
func (e *edge) drop(en *entry) {
	if en.datum.value != nil {
		en.datum.value = nil
	}
	if en.datum.kind >= FlushKind {
		e.wordsTook.Store(e.wordsTook.Load() + 1)
		e.over = en.datum.kind == CompleteKind
	}
	h := e.head + 1
	e.head = h
	if h >= e.publishAt {
		if e.trace != nil { // record the datum before the producer can overwrite its slot
			e.trace.Take(e.to.trace)
		}
		e.publish(h)
	}
	if w := e.waitHead.Load(); w != 0 && h >= w {
		e.release()
	}
}

// publish tells the producer that h data have been taken. Storing this is costly, so it may come a few data
// late; a producer that finds the edge full sets waitHead and is told when half of the edge is free.
func (e *edge) publish(h uint64) {
	e.publishAt = h + e.lag
	e.headPub.Store(h)
}

// release publishes how many data have been taken, and wakes a producer that waits for room.
func (e *edge) release() {
	e.publish(e.head)
	if w := e.waitHead.Load(); w != 0 && e.waitHead.CompareAndSwap(w, 0) {
		e.to.run.wake(e.from)
	}
}

func (e *edge) refused() bool { return e.aside.Load()&hasRefused != 0 }

// refuse closes the edge for its consumer: from now on, pushed data are dropped.
func (e *edge) refuse() {
	if e.aside.Or(hasRefused)&hasRefused != 0 {
		return
	}
	e.from.readerLeft(e)
	e.release()
}
