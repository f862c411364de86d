//go:build linux

package collect

import (
	"encoding/binary"
	"time"
)

// maxStretches is how many stretches of a thread are kept until they are told: far more than a window has.
const maxStretches = 1 << 10

// alternate begins and ends gaps at their times.
func (c *Collector) alternate(p *Program, now time.Duration) {
	if p.Gap == 0 {
		return
	}
	gaps := c.session.half(sessionGaps)
	if n := gaps.Load(); (n&1 == 1) != inGap(now, p.Gap, p.GapEvery) {
		gaps.Store(n + 1)
	}
}

// inGap reports whether a time since 1970 lies in a gap. Gaps come at irregular times, so that they do not go with the steps
// of a program, and at the same times on all machines: ranks wait for each other.
func inGap(now, length, every time.Duration) bool {
	turn := uint64(now / every)
	turn = (turn ^ turn>>30) * 0xbf58476d1ce4e5b9
	turn = (turn ^ turn>>27) * 0x94d049bb133111eb
	begin := time.Duration((turn ^ turn>>31) % uint64(every-2*length))
	at := now % every
	return at >= begin && at < begin+length
}

// cross takes what a thread says of the stretch that has ended.
func (t *thread) cross(payload []byte) {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(payload[8*i:]) }
	events := t.taken - 1 - t.crossed // without what says so
	t.crossed = t.taken
	if t.spent != nil && len(t.stretches) < maxStretches {
		t.stretches = append(t.stretches, Stretch{uint32(word(0)), word(1), events, time.Duration(word(2))})
	}
}
