//go:build linux

package collect

import (
	"time"

	"github.com/pentode-dev/pentode/run/trace/agent"
)

// spending is what threads have recorded since a window began.
type spending struct {
	begun time.Time
	ended []Spent // of threads that are gone
}

// regionKey is a region as records have it.
type regionKey struct {
	family  agent.Family
	address uint64
}

// spend counts a record, where that is asked for.
func (t *thread) spend(family agent.Family, address uint64) {
	if t.spent != nil {
		t.spent[regionKey{family, address}]++
	}
}

// spent is what a thread has recorded in this window.
func (c *Collector) spent(t *thread) Spent {
	s := Spent{PID: t.pid, Thread: t.number, Lost: t.dropped - max(t.base, t.told), Stretches: t.stretches}
	for at, n := range t.spent {
		r := Recorded{Domain: at.family.Domain(), Events: n}
		switch at.family {
		case agent.OpenMP, agent.MPI:
			r.Address = at.address
		default:
			r.Region = c.names[at.address]
		}
		s.Regions = append(s.Regions, r)
	}
	return s
}

// spendings tells what threads have recorded, when a window is over.
func (c *Collector) spendings(p *Program) {
	if c.spending == nil || time.Since(c.spending.begun) < p.Window || c.session.half(sessionClosed).Load() != 0 {
		return
	}
	list := c.spending.ended
	for _, t := range c.threads {
		if t.spent == nil {
			continue
		}
		list = append(list, c.spent(t))
		clear(t.spent)
		t.told, t.stretches = t.dropped, nil
	}
	length := time.Since(c.spending.begun)
	c.spending.begun, c.spending.ended = time.Now(), nil
	p.Spent(c.session, length, list)
}
