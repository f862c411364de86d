package flow

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A transit is a change of settings on its way through the pipeline.
type transit struct {
	run      *Run
	settings map[*proc]pipe.Config // the new configuration of those that change
	watch    *watch                // nil: the old settings do not come back
	loose    atomic.Bool           // every process waits: markers hold nobody any more
	held     chan struct{}         // closed when all sources have said how far they are
	done     chan struct{}         // closed when all processes have changed or ended

	mu      sync.Mutex
	left    int // processes that have not changed
	clocks  map[int]*clock
	silent  int      // clocks with sources that have not said how far they are
	decided bool     // sources may put the marker
	unexact []string // processes that crossed a marker
	taken   []*proc  // those that took their new settings
	refusal error    // of the first one that did not
}

// A clock is what the sources have in common whose data meet: their steps
// stand in a fixed proportion.
type clock struct {
	waiting map[*proc]bool // sources that have not said how far they are
	period  uint64         // after which all put the marker, when it is decided
}

// begin lets every process of the given parts take part that has not ended.
func (t *transit) begin(parts map[int]bool) {
	layout := t.run.layout()
	t.mu.Lock()
	t.clocks = map[int]*clock{}
	for _, p := range t.run.procs {
		if !parts[layout.Part[p.id]] || !p.join(t) {
			continue
		}
		t.left++
		if p.source {
			c := t.clocks[layout.Clock[p.id]]
			if c == nil {
				c = &clock{waiting: map[*proc]bool{}}
				t.clocks[layout.Clock[p.id]] = c
				t.silent++
			}
			c.waiting[p] = true
		}
	}
	if t.left == 0 {
		close(t.done)
	}
	if t.silent == 0 {
		close(t.held)
	}
	t.mu.Unlock()
	// A source in the middle of a step may wait there for what the others do.
	for _, p := range t.run.procs {
		switch {
		case p.amidst.Load():
			t.propose(p, p.stepsPub.Load())
		case p.waiter != nil: // between two steps, where it waits
			t.run.poke(p)
		}
	}
}

// join lets a process take part; false when it has ended.
func (p *proc) join(t *transit) bool {
	p.mail.mu.Lock()
	defer p.mail.mu.Unlock()
	if p.mail.closed {
		return false
	}
	p.transit = t
	p.ctl.Or(askChange)
	return true
}

// propose notes how many steps a source has made, with the one under way. It
// gives the number of steps after which it puts the marker, which may still grow until
// it is decided.
func (t *transit) propose(p *proc, steps uint64) (at uint64, decided bool) {
	layout := t.run.layout()
	t.mu.Lock()
	defer t.mu.Unlock()
	c, each := t.clocks[layout.Clock[p.id]], layout.Steps[p.id]
	if c == nil {
		return steps, true
	}
	if c.waiting[p] {
		c.period = max(c.period, (steps+each-1)/each)
		t.heard(c, p)
	}
	return c.period * each, t.decided
}

// heard is called with mu held.
func (t *transit) heard(c *clock, p *proc) {
	if delete(c.waiting, p); len(c.waiting) > 0 {
		return
	}
	if t.silent--; t.silent == 0 {
		close(t.held)
	}
}

// periods are how far the sources of each clock are.
func (t *transit) periods() map[int]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	periods := map[int]uint64{}
	for i, c := range t.clocks {
		periods[i] = c.period
	}
	return periods
}

// decide lets the sources of each clock put the marker after so many periods.
func (t *transit) decide(periods map[int]uint64) {
	t.mu.Lock()
	for i, c := range t.clocks {
		c.period = max(c.period, periods[i])
	}
	t.decided = true
	t.mu.Unlock()
	t.run.pokeAll()
}

// leave notes that a process has changed, or has ended.
func (t *transit) leave(p *proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.clocks[t.run.layout().Clock[p.id]]; c != nil && c.waiting[p] {
		t.heard(c, p)
	}
	if t.left--; t.left == 0 {
		close(t.done)
	}
}

// took notes whether a process took its new settings.
func (t *transit) took(p *proc, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err == nil:
		t.taken = append(t.taken, p)
	case t.refusal == nil:
		t.refusal = fmt.Errorf("process `%s` refuses: %w", p.node.Name, err)
	}
}

// crossed notes a process that could not stop at a marker.
func (t *transit) crossed(p *proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.unexact, p.node.Name) {
		t.unexact = append(t.unexact, p.node.Name)
	}
}

// loosen lets no marker hold a process any more; false when that was so before.
func (t *transit) loosen() bool { return !t.loose.Swap(true) }
