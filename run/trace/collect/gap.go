//go:build linux

package collect

import (
	"encoding/binary"
	"time"
)

const (
	// maxStretches is how many stretches of a thread are kept until they are told: far more than a window has.
	maxStretches = 1 << 10

	// A turn has so many stretches of one length, and time that is in none of them.
	stretches = 4

	// The number of a stretch is its turn, its place and whether it is a gap.
	placeBits = 3
	turnAt    = 1 + placeBits
)

// alternate begins and ends stretches at their times.
func (c *Collector) alternate(p *Program, now time.Duration) {
	if p.Gap > 0 {
		c.session.half(sessionStretch).Store(stretchAt(now, p.Gap, p.GapEvery))
	}
}

// stretchAt is the number of the stretch at a time since 1970. Turns come at irregular times, so that they do not go with the steps
// of a program, and at the same times on all machines: ranks wait for each other. Which stretch of a turn is the gap is drawn by
// lot: whatever else makes one stretch slower than another then does so for gaps as often as for the others.
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

// place is the turn of a time, its lot, and how far the time is behind the beginning of its first stretch.
func place(now, length, every time.Duration) (turn, lot uint64, at time.Duration) {
	turn = uint64(now / every)
	lot = (turn ^ turn>>30) * 0xbf58476d1ce4e5b9
	lot = (lot ^ lot>>27) * 0x94d049bb133111eb
	lot ^= lot >> 31
	begin := time.Duration((lot >> 8) % uint64(every-(stretches+2)*length))
	return turn, lot, now%every - begin
}

// untilNext is how long it is until the number of the stretch changes, or the turn.
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

// cross takes what a thread says of the stretch that has ended.
func (t *thread) cross(payload []byte) {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(payload[8*i:]) }
	events := t.taken - 1 - t.crossed // without what says so
	t.crossed = t.taken
	if t.spent != nil && len(t.stretches) < maxStretches {
		number := uint32(word(0))
		t.stretches = append(t.stretches, Stretch{
			Turn: number >> turnAt, Place: number >> 1 & (1<<placeBits - 1), Gap: number&1 == 1,
			Executions: word(1), Events: events, Time: time.Duration(word(2)),
		})
	}
}
