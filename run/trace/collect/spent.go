//go:build linux

package collect

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/trace/agent"
)

// spending holds what threads have recorded since a window began.
type spending struct {
	begun time.Time
	ended []Spent // of ended threads
}

// regionKey identifies a region in records.
type regionKey struct {
	family  agent.Family
	address uint64
}

// spend counts a record for its region, unless records are not counted.
func (t *thread) spend(family agent.Family, address uint64) {
	if t.spent != nil {
		t.spent[regionKey{family, address}]++
	}
}

// spent returns what a thread has recorded in this window.
func (c *Collector) spent(t *thread) Spent {
	s := Spent{PID: t.pid, Thread: t.number, Lost: t.dropped - max(t.base, t.told), Stretches: t.stretches}
	for at, n := range t.spent {
		r := Recorded{Domain: at.family.Domain(), Events: n}
		switch at.family {
		case agent.OpenMP, agent.MPI:
			r.Address = at.address
		default:
			r.Region, r.File = c.names[at.address], c.functions[at.address].file
		}
		s.Regions = append(s.Regions, r)
	}
	return s
}

// queue returns how long a thread has waited for a processor since the last call, from the system's schedstat, or 0 if that has no such number.
func (t *thread) queue(schedstat []byte) time.Duration {
	fields := strings.Fields(string(schedstat))
	if len(fields) < 2 {
		return 0
	}
	all, err := strconv.ParseInt(fields[1], 10, 64)
	was := t.queued
	if err != nil || all < int64(was) {
		return 0
	}
	t.queued = time.Duration(all)
	return t.queued - was
}

// reportSpent reports, at the end of each window, what the threads have recorded in it.
func (c *Collector) reportSpent(p *Program) {
	if c.spending == nil || time.Since(c.spending.begun) < p.Window || c.session.half(sessionClosed).Load() != 0 {
		return
	}
	list := c.spending.ended
	for _, t := range c.threads {
		if t.spent == nil {
			continue
		}
		s := c.spent(t)
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/schedstat", t.pid, t.tid)) // without the file the time is 0
		s.Queued = t.queue(stat)
		list = append(list, s)
		clear(t.spent)
		t.told, t.stretches = t.dropped, nil
	}
	length := time.Since(c.spending.begun)
	c.spending.begun, c.spending.ended = time.Now(), nil
	p.Spent(c.session, length, list)
}
