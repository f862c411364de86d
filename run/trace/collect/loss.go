//go:build linux

package collect

import "slices"

// maxLosses is the number of threads with lost events that are named.
const maxLosses = 4

// countLosses counts the events that a thread lost to its full ring, and keeps the threads that lost the most.
func (c *Collector) countLosses(t *thread) {
	l := Loss{PID: t.pid, TID: t.tid, Thread: t.number, Devices: t.ofDevices(), Events: t.dropped - t.base, Region: c.names[t.lostAt]}
	if l.Events == 0 {
		return
	}
	if l.Region == "" {
		l.Address = t.lostAt
	}
	c.Counts.Dropped += l.Events
	c.Counts.Losing++
	at := 0
	for at < len(c.Losses) && c.Losses[at].Events >= l.Events {
		at++
	}
	c.Losses = slices.Insert(c.Losses, at, l)
	c.Losses = c.Losses[:min(len(c.Losses), maxLosses)]
}
