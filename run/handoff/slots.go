package handoff

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// Slots are a memory as two processes use it: words that both read and write, then
// places for steps.
//
//	│ sleeping │ waiting │ ended │ bells │ state 0 │ state 1 │ …  │ slot 0 │ slot 1 │ …
//
// A state says whose the slot is. Free and writing ones are the giver's, reading ones the
// taker's; of a full one whoever changes the state first. It also has the number of the
// step, so that steps are read in order.
type slots struct {
	memory []byte
	size   int // of a slot
	count  int
}

// States of a slot; the bits above them are the number of its step.
const (
	free uint64 = iota
	writing
	full
	reading

	stateBits = 2
	stateMask = 1<<stateBits - 1
)

// Words of the memory, each in a cache line of its own.
const (
	line        = 64
	sleepingAt  = 0 * line // the taker waits for its bell
	waitingAt   = 1 * line // the giver does
	endedAt     = 2 * line // the giver has said that nothing follows
	takerBellAt = 3 * line
	giverBellAt = 4 * line
	statesAt    = 5 * line

	page     = 4096
	maxSlots = 32
)

// MaxStep is the largest number of bytes that the data of a step may take.
const MaxStep = tensor.MaxBytes

// bytes is how large the memory of such slots is.
func (s *slots) bytes() int { return page + s.count*s.size }

// check reports slots that cannot be: the other side may have said anything.
func (s *slots) check() error {
	if s.count < 1 || s.count > maxSlots || s.size < page || s.size > MaxStep+page || s.size%page != 0 {
		return fmt.Errorf("%d slots of %d bytes cannot be", s.count, s.size)
	}
	return nil
}

// roundUp is the size of a slot for steps of n bytes.
func roundUp(n int) int { return (max(n, 1) + page - 1) / page * page }

func (s *slots) word(at int) *atomic.Uint64 { return (*atomic.Uint64)(unsafe.Pointer(&s.memory[at])) }

func (s *slots) bell(at int) *bell { return (*bell)(unsafe.Pointer(&s.memory[at])) }

func (s *slots) state(i int) *atomic.Uint64 { return s.word(statesAt + i*line) }

func (s *slots) slot(i int) []byte {
	at := page + i*s.size
	return s.memory[at : at+s.size : at+s.size]
}

// Policy is what happens to a step for which no slot is free.
type Policy string

const (
	Block  Policy = "block"  // the program waits
	Drop   Policy = "drop"   // the step is lost
	Latest Policy = "latest" // older ones that were not read are lost: the pipeline sees the newest
)

// Policies are all of them.
func Policies() []string { return []string{string(Latest), string(Block), string(Drop)} }

// ErrGone is the error of a step that nobody takes any more.
var ErrGone = errors.New("the other side has ended")

// A giver writes steps.
type giver struct {
	slots
	policy Policy
	wake   func()
	wait   func() error // for the bell
	last   uint64       // number of the last step
	at     int          // the slot that is written
	called bool         // the taker was woken and has not taken anything since
	lost   uint64       // steps that were never begun
	forgot uint64       // steps that were handed over and taken back
}

// begin takes a slot to write the next step into; nil where the step is lost.
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

// find is the lowest free slot, or -1: memory that was used before is in the processor's cache.
func (g *giver) find() int {
	for i := range g.count {
		if g.state(i).Load()&stateMask == free {
			return i
		}
	}
	return -1
}

// takeBack takes the slot of the last step again, if that was not read: its memory is in the processor's cache.
// Until a taker that was woken has a step, none is taken back, so that it finds one however fast they come.
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

// forget frees the full slots with steps up to a number, and counts them.
func (g *giver) forget(upTo uint64) (n int) {
	for i := range g.count {
		if s := g.state(i).Load(); s&stateMask == full && s>>stateBits <= upTo && g.state(i).CompareAndSwap(s, free) {
			g.forgot++
			n++
		}
	}
	return n
}

// commit hands the step over that begin began.
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

// A taker reads steps.
type taker struct {
	slots
	wake func()
	at   int
}

// maxTries bounds how often a giver that throws old steps away can be faster than the taker.
const maxTries = 1 << 10

// take gives the oldest step; nil where there is none. It belongs to the taker until free.
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

// any reports whether there is a step.
func (t *taker) any() bool {
	for i := range t.count {
		if t.state(i).Load()&stateMask == full {
			return true
		}
	}
	return false
}

// free gives the slot back that take took.
func (t *taker) free() {
	t.state(t.at).Store(free)
	if w := t.word(waitingAt); w.Load() != 0 && w.CompareAndSwap(1, 0) {
		t.wake()
	}
}
