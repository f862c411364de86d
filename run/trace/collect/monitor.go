//go:build linux

package collect

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// monitoredKey is a region on a thread.
type monitoredKey struct {
	pid, rank, thread uint32
	key               uint64
}

// monitoredTimes holds the number of executions, and their times on the agents' clock.
type monitoredTimes struct{ count, total, longest uint64 }

const (
	monitoredSize = int(unsafe.Sizeof(layout.Monitored{}))
	keyBits       = 56 // an address or the hash of a name; the domain is in the bits above
)

func (s *Session) monitoredAt(slot int) int64 {
	return ringsAt + int64(layout.MaxSlots)*int64(s.bytes) + int64(slot)*layout.MonitoredBytes
}

// rows reads the counts of a slot's thread. It reads them with the file, because touching
// unused mapped memory would allocate it.
func (s *Session) rows(slot int) []layout.Monitored {
	head := make([]byte, monitoredSize)
	var first [1]layout.Monitored
	if n, err := unix.Pread(int(s.file.Fd()), head, s.monitoredAt(slot)); err != nil || n < len(head) {
		return nil // the file was truncated
	}
	if _, err := binary.Decode(head, binary.LittleEndian, first[:]); err != nil || first[0].Count < 2 || first[0].Count > layout.MonitoredBytes/uint64(monitoredSize) {
		return nil
	}
	list, text := make([]layout.Monitored, first[0].Count), make([]byte, int(first[0].Count)*monitoredSize)
	if n, err := unix.Pread(int(s.file.Fd()), text, s.monitoredAt(slot)); err != nil || n < len(text) {
		return nil
	}
	if _, err := binary.Decode(text, binary.LittleEndian, list); err != nil {
		return nil
	}
	return list[1:]
}

// forget clears the rows of a slot for the next thread.
func (s *Session) forget(slot int) {
	if len(s.rows(slot)) > 0 {
		_, _ = unix.Pwrite(int(s.file.Fd()), make([]byte, monitoredSize), s.monitoredAt(slot)) // a truncated file has no rows
	}
}

// monitor adds the counts of a slot's thread.
func (c *Collector) monitor(slot int, t *thread, to map[monitoredKey]monitoredTimes) {
	rank := c.session.half(processAt(t.process) + processRank).Load()
	for _, row := range c.session.rows(slot) {
		if row.Count == 0 {
			continue
		}
		key := monitoredKey{t.pid, rank, t.number, row.Key}
		sum := to[key]
		to[key] = monitoredTimes{sum.count + row.Count, sum.total + row.Total, max(sum.longest, row.Longest)}
	}
}

// report returns the counts of all threads, the largest time first.
func (c *Collector) report() []Monitored {
	all := maps.Clone(c.monitored)
	for i, t := range c.threads {
		c.monitor(i, t, all)
	}
	if len(all) == 0 {
		return nil
	}
	frequency := float64(c.clock.measure().Frequency)
	took := func(ticks uint64) time.Duration {
		return time.Duration(min(float64(ticks)/frequency*1e9, math.MaxInt64/2))
	}
	var list []Monitored
	for key, times := range all {
		domain := int(key.key >> keyBits)
		if domain >= len(layout.DomainNames) {
			continue // a program has overwritten the table
		}
		m := Monitored{
			PID: key.pid, Rank: key.rank, Thread: key.thread, Domain: layout.DomainNames[domain],
			Count: times.count, Total: took(times.total), Longest: took(times.longest),
		}
		if at := key.key & (1<<keyBits - 1); m.Domain == "User" || m.Domain == "CUDA" || m.Domain == trace.Python {
			m.Region = c.names[at]
		} else {
			m.Address = at
			c.regions[at] = true
		}
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b Monitored) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Region, b.Region), cmp.Compare(a.Address, b.Address),
			cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Thread, b.Thread))
	})
	return list
}

// Monitored returns what is currently known of the regions in MONITORING. The collector answers between two turns.
func (s *Session) Monitored(ctx context.Context) ([]Monitored, error) {
	answer := make(chan []Monitored, 1)
	select {
	case s.asks <- answer:
		return <-answer, nil
	case <-ctx.Done():
		return nil, errors.New("the program is no longer traced")
	}
}

// answer answers a waiting call of Monitored.
func (c *Collector) answer() {
	select {
	case to := <-c.session.asks:
		var list []Monitored
		if err := c.session.guard(func() { list = c.report() }); err != nil {
			c.fail(err)
		}
		to <- list
	default:
	}
}
