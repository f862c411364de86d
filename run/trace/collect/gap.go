//go:build linux

package collect

import (
	"encoding/binary"
	"time"
)

const (
	// maxStretches is the maximum number of a thread's stretches that are kept until they are reported. A window has far fewer.
	maxStretches = 1 << 10

	// The cost of recording is measured in turns. A turn has this many stretches, which are intervals of equal length, and time
	// outside of them. One stretch of each turn is a gap, in which executions that begin are not recorded.
	stretches = 4

	// The number of a stretch encodes its turn, its place and whether it is a gap.
	placeBits = 3
	turnAt    = 1 + placeBits
)

// alternate publishes the number of the current stretch, so that threads notice when stretches begin and end.
func (c *Collector) alternate(p *Program, now time.Duration) {
	if p.Gap > 0 {
		c.session.half(sessionStretch).Store(stretchAt(now, p.Gap, p.GapEvery))
	}
}

// stretchAt returns the number of the stretch at a time since 1970. Turns come at irregular times, so that they do not coincide
// with the steps of a program, but at the same times on all machines, because ranks wait for each other. The gap of a turn is
// chosen at random, so that anything else that slows down stretches affects gaps as often as other stretches.
func stretchAt(now, length, every time.Duration) uint32 {
	turn, lot, at := place(now, length, every)
	switch n := uint32(at/length) + 1; {
	case at < 0:
		return uint32(turn-1) << turnAt
	case n > stretches:
		return uint32(turn) << turnAt
	case n == uint32(lot%stretches)+1:
		return uint32(turn)<<turnAt | n<<1 | 1
	default:
		return uint32(turn)<<turnAt | n<<1
	}
}

// place returns the turn at a time, the turn's random number, and the time since its first stretch began, which is negative
// before it.
func place(now, length, every time.Duration) (turn, lot uint64, at time.Duration) {
	turn = uint64(now / every)
	lot = (turn ^ turn>>30) * 0xbf58476d1ce4e5b9
	lot = (lot ^ lot>>27) * 0x94d049bb133111eb
	lot ^= lot >> 31
	begin := time.Duration((lot >> 8) % uint64(every-(stretches+2)*length))
	return turn, lot, now%every - begin
}

// untilNext returns the time until the next stretch or turn begins.
func untilNext(now, length, every time.Duration) time.Duration {
	switch _, _, at := place(now, length, every); {
	case at < 0:
		return -at
	case at < stretches*length:
		return length - at%length
	default:
		return every - now%every
	}
}

// endStretch takes a thread's report about the stretch that has ended.
func (t *thread) endStretch(payload []byte) {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(payload[8*i:]) }
	events := t.taken - 1 - t.crossed // without the record of the report
	t.crossed = t.taken
	if t.spent != nil && len(t.stretches) < maxStretches {
		number := uint32(word(0))
		t.stretches = append(t.stretches, Stretch{
			Turn: number >> turnAt, Place: number >> 1 & (1<<placeBits - 1), Gap: number&1 == 1,
			Executions: word(1), Events: events, Time: time.Duration(word(2)),
		})
	}
}
