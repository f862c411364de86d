package flow

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/recording"
)

// An edge is a queue with one producer and one consumer. Each side has its
// own counters and publishes them; neither ever takes a lock. A side that cannot
// go on stores the count it waits for, looks once more, and parks; the other
// side wakes it when the count is reached. A producer waits until half of the
// edge is free, so that one wake-up pays for many data.
type edge struct {
	from, to *proc
	plan     *pipe.PlanEdge
	name     string // both ends, for people
	blocking bool
	lazy     bool            // both sides run on one worker: publish only where they take turns
	unmarked bool            // the consumer does not wait for this input: markers do not stop it
	trace    *recording.Edge // nil: nothing is recorded

	_         [64]byte // the producer's own
	tail      uint64
	stopAt    uint64 // tail at which the producer must look again
	limit     uint64 // capacity
	headSeen  uint64
	wbuf      []entry // that of wseg
	wseg      *segment
	statAt    uint64 // tail at which to look at the fill
	highSeen  uint64
	fillSum   atomic.Uint64
	fillCount atomic.Uint64
	high      atomic.Uint64
	words     atomic.Uint64 // flush and complete, which are no data
	dropped   atomic.Uint64
	fullFor   atomic.Int64 // ns the producer waited
	grown     atomic.Uint64

	_         [64]byte // the consumer's own
	head      uint64
	tailSeen  uint64
	readTo    uint64  // count up to which data are known to be in rbuf
	rbuf      []entry // that of rseg
	rseg      *segment
	publishAt uint64 // head at which to publish
	lag       uint64
	markAt    atomic.Uint64 // tail at which the marker of a change stands, which the producer stores; open: there is none
	over      bool          // complete was taken
	crossed   bool          // the marker of the change under way was given up
	wordsTook atomic.Uint64
	emptyFor  atomic.Int64

	_        [64]byte // what the producer publishes
	tailPub  atomic.Uint64
	waitHead atomic.Uint64 // head the producer waits for, or 0

	_        [64]byte // what the consumer publishes
	headPub  atomic.Uint64
	waitTail atomic.Uint64 // tail the consumer waits for, or 0
	aside    atomic.Uint32 // what a push has to see first; 0: nothing
	_        [64]byte

	tap     atomic.Pointer[tapped] // what is kept while somebody looks at the data
	looking atomic.Bool            // the consumer is asked for what waits here
}

// Bits of what a push has to see first.
const (
	hasRefused uint32 = 1 << iota // the consumer wants no more
	hasTap                        // somebody looks at the newest datum
)

// An entry is one place of the queue.
type entry struct {
	datum Datum
	stamp Stamp
}

// A segment is a ring. An edge that must hold more gets a larger segment
// behind the one in use.
type segment struct {
	buf   []entry
	start uint64        // count of the first entry
	end   atomic.Uint64 // count after the last entry; open is the largest number
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

// slot is the place of the i-th entry of an edge in the buffer it is in.
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

// record follows every datum in the trace of the run: each is noted and published
// at once, so that an edge without a trace need not ask for it.
func (e *edge) record(t *recording.Trace) {
	e.trace = recording.NewEdge(t, e.name, e.plan)
	e.lazy, e.lag, e.publishAt, e.statAt = false, 0, 0, 0
}

// at names the edge in what a process at one of its ends records.
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
	if d.value != nil { // it is nil in a free place, and numbers need no write barrier
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

// announce publishes how much was pushed, and wakes the consumer if that is
// what it waits for.
func (e *edge) announce(t uint64) {
	e.tailPub.Store(t)
	if w := e.waitTail.Load(); w != 0 && t >= w && e.waitTail.CompareAndSwap(w, 0) {
		e.from.run.wake(e.to)
	}
}

// makeRoom looks at the consumer's progress and, if that does not help, makes
// the edge larger, drops the datum, or waits. False: the datum does not go in.
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
	p.mustGoOn()
}

// note counts what was pushed: every word, the data now and then, and in the
// trace of the run all of them, before the consumer can take them.
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

// measure keeps the fill's maximum and its mean. A flush that is still inside
// is no datum.
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

// has reports whether n data are there before a marker, without waiting.
func (e *edge) has(n uint64) bool {
	if e.tailSeen-e.head >= n {
		return true
	}
	e.tailSeen = e.tailPub.Load() // before the marker, which is stored before what follows it
	e.tailSeen = min(e.tailSeen, e.markAt.Load())
	e.readTo = min(e.tailSeen, e.rseg.end.Load())
	return e.tailSeen-e.head >= n
}

// wait waits until n data are there. Outside a step it gives up, with false,
// when the process is asked for something else or a marker is in the way.
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
			p.mustGoOn()
		} else if p.ctl.Load() != 0 {
			return false
		}
	}
	return true
}

// more waits for a datum within a step; false when the end was taken already.
func (e *edge) more() bool { return !e.over && e.wait(1, true) }

// peek is the i-th datum, which must be there.
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

// first is the first datum, which must be there.
func (e *edge) first() *entry {
	if e.head == e.readTo { // the rest is in the next segment
		e.rseg = e.rseg.next
		e.rbuf = e.rseg.buf
		e.readTo = min(e.tailSeen, e.rseg.end.Load())
	}
	return slot(e.rbuf, e.head)
}

// drop removes the first datum after it was looked at.
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
		if e.trace != nil { // before the producer can fill the place
			e.trace.Take(e.to.trace)
		}
		e.publish(h)
	}
	if w := e.waitHead.Load(); w != 0 && h >= w {
		e.release()
	}
}

// publish stores how much was taken, for the producer. The store is costly and
// may come a few data late: a producer that finds the edge full sets waitHead.
func (e *edge) publish(h uint64) {
	e.publishAt = h + e.lag
	e.headPub.Store(h)
}

// release publishes the room there is, and wakes a producer that waits for it.
func (e *edge) release() {
	e.publish(e.head)
	if w := e.waitHead.Load(); w != 0 && e.waitHead.CompareAndSwap(w, 0) {
		e.to.run.wake(e.from)
	}
}

func (e *edge) refused() bool { return e.aside.Load()&hasRefused != 0 }

// refuse ends the edge from the consumer's side: what is pushed from now on is gone.
func (e *edge) refuse() {
	if e.aside.Or(hasRefused)&hasRefused != 0 {
		return
	}
	e.from.readerLeft(e)
	e.release()
}
