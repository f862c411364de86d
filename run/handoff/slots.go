package handoff

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// Slots are shared memory that two processes use: first words that both read and write, then the slots for steps.
//
//	│ sleeping │ waiting │ ended │ bells │ state 0 │ state 1 │ …  │ slot 0 │ slot 1 │ …
//
// A state says who owns the slot. Free and writing slots belong to the giver, reading slots to the taker. A
// full slot goes to the side that changes the state first. The state also contains the number of the step, so
// that steps are read in order.
type slots struct {
	memory []byte
	size   int // the size of a slot in bytes
	count  int
}

// States of a slot. They are in the low bits of the state word; the high bits are the number of the step in the
// slot.
const (
	free uint64 = iota
	writing
	full
	reading

	stateBits = 2
	stateMask = 1<<stateBits - 1
)

// Offsets of the words in the memory. Each word has its own cache line.
const (
	line        = 64
	sleepingAt  = 0 * line // not 0 while the taker sleeps until its bell rings
	waitingAt   = 1 * line // not 0 while the giver sleeps until its bell rings
	endedAt     = 2 * line // not 0 after the giver has said that no more data follows
	takerBellAt = 3 * line
	giverBellAt = 4 * line
	statesAt    = 5 * line

	page     = 4096
	maxSlots = 32
)

// MaxStep is the largest number of bytes that the data of a step may take.
const MaxStep = tensor.MaxBytes

// bytes returns the size of the shared memory that these slots need.
func (s *slots) bytes() int { return page + s.count*s.size }

// check returns an error if the sizes are invalid. They come from the other process, which is not trusted.
func (s *slots) check() error {
	if s.count < 1 || s.count > maxSlots || s.size < page || s.size > MaxStep+page || s.size%page != 0 {
		return fmt.Errorf("%d slots of %d bytes are not valid", s.count, s.size)
	}
	return nil
}

// roundUp returns the size of a slot that can hold steps of n bytes: the next multiple of a page.
func roundUp(n int) int { return (max(n, 1) + page - 1) / page * page }

func (s *slots) word(at int) *atomic.Uint64 { return (*atomic.Uint64)(unsafe.Pointer(&s.memory[at])) }

func (s *slots) bell(at int) *bell { return (*bell)(unsafe.Pointer(&s.memory[at])) }

func (s *slots) state(i int) *atomic.Uint64 { return s.word(statesAt + i*line) }

func (s *slots) slot(i int) []byte {
	at := page + i*s.size
	return s.memory[at : at+s.size : at+s.size]
}

// Policy says what happens to a step if no slot is free.
type Policy string

const (
	Block  Policy = "block"  // the program waits
	Drop   Policy = "drop"   // the step is lost
	Latest Policy = "latest" // older unread steps are lost, so that the pipeline sees the newest
)

// Policies returns all policies.
func Policies() []string { return []string{string(Latest), string(Block), string(Drop)} }

// ErrGone means that the other side has ended.
var ErrGone = errors.New("the other side has ended")

// A giver is the side of the slots that writes steps.
type giver struct {
	slots
	policy Policy
	wake   func()
	wait   func() error // waits for the giver's bell
	last   uint64       // the number of the last step
	at     int          // the index of the slot that is being written
	called bool         // the giver has woken the taker, which has not taken a step since
	lost   uint64       // steps that were not written because no slot was free
	forgot uint64       // number of steps that were handed over but replaced by newer ones before they were read
}

// begin returns a slot for the next step, or nil if the step is dropped because no slot is free.
func (g *giver) begin() ([]byte, error) {
	if g.policy == Latest && g.takeBack() {
		return g.slot(g.at), nil
	}
	for {
		if i := g.find(); i >= 0 {
			g.at = i
			g.state(i).Store(writing)
			return g.slot(i), nil
		}
		switch g.policy {
		case Block:
			if err := g.await(); err != nil {
				return nil, err
			}
			continue
		case Latest:
			if g.forget(g.last) > 0 {
				continue
			}
		}
		g.lost++
		return nil, nil
	}
}

// find returns the lowest free slot, or -1. It prefers low slots because their memory was used recently and is in
// the processor's cache.
func (g *giver) find() int {
	for i := range g.count {
		if g.state(i).Load()&stateMask == free {
			return i
		}
	}
	return -1
}

// takeBack replaces the last step if it has not been read yet: its slot is reused for the next step, because its
// memory is still in the processor's cache. After the giver has woken the taker, no step is taken back until the
// taker has read one. Otherwise the taker might never find a step if the program is fast.
func (g *giver) takeBack() bool {
	last := g.last<<stateBits | full
	state := g.state(g.at)
	if state.Load() != last {
		g.called = false
		return false
	}
	if g.called || !state.CompareAndSwap(last, writing) {
		return false
	}
	g.forgot++
	return true
}

// await sleeps until the taker has freed a slot.
func (g *giver) await() error {
	waiting := g.word(waitingAt)
	waiting.Store(1)
	if g.find() >= 0 {
		waiting.Store(0)
		return nil
	}
	err := g.wait()
	waiting.Store(0)
	return err
}

// forget frees the slots of unread steps up to the given step number, and returns how many there were.
func (g *giver) forget(upTo uint64) (n int) {
	for i := range g.count {
		if s := g.state(i).Load(); s&stateMask == full && s>>stateBits <= upTo && g.state(i).CompareAndSwap(s, free) {
			g.forgot++
			n++
		}
	}
	return n
}

// commit hands over the step that was started with begin.
func (g *giver) commit() {
	before := g.last
	g.last++
	g.state(g.at).Store(g.last<<stateBits | full)
	if g.policy == Latest {
		g.forget(before)
	}
	if w := g.word(sleepingAt); w.Load() != 0 && w.CompareAndSwap(1, 0) {
		g.called = true
		g.wake()
	}
}

// A taker is the side of the slots that reads steps.
type taker struct {
	slots
	wake func()
	at   int
}

// maxTries limits how often take starts again because the giver has dropped the step that take was about to read.
const maxTries = 1 << 10

// take returns the oldest step, or nil if there is none. The taker owns the slot until it calls free.
func (t *taker) take() []byte {
	for range maxTries {
		best, least := -1, uint64(0)
		for i := range t.count {
			if s := t.state(i).Load(); s&stateMask == full && (best < 0 || s < least) {
				best, least = i, s
			}
		}
		if best < 0 {
			return nil
		}
		if t.state(best).CompareAndSwap(least, least&^stateMask|reading) {
			t.at = best
			return t.slot(best)
		}
	}
	return nil
}

// any reports whether there is a step to take.
func (t *taker) any() bool {
	for i := range t.count {
		if t.state(i).Load()&stateMask == full {
			return true
		}
	}
	return false
}

// free frees the slot of the step that take has returned.
func (t *taker) free() {
	t.state(t.at).Store(free)
	if w := t.word(waitingAt); w.Load() != 0 && w.CompareAndSwap(1, 0) {
		t.wake()
	}
}
