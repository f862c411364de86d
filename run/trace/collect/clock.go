//go:build linux

package collect

import (
	"math"
	"math/bits"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// clock relates the agents' time stamps to the time of day. It measures from the start of a
// session to the present, so it gets more accurate with time.
type clock struct {
	steady bool
	ticks  uint64
	at     time.Time
	passed time.Duration // from the start of the session to the last measurement
}

func newClock() clock {
	c := clock{steady: steady()}
	c.ticks, c.at = c.both()
	return c
}

// both reads both clocks at the same moment. It takes a few readings and keeps the one around which the counter moved
// least, so that no pause of a busy machine lies between them.
func (c *clock) both() (ticks uint64, at time.Time) {
	least := uint64(math.MaxUint64)
	for range 8 {
		before := c.now()
		now := time.Now()
		if between := c.now() - before; between < least {
			least, ticks, at = between, before+between/2, now
		}
	}
	return ticks, at
}

func (c *clock) now() uint64 {
	if c.steady {
		return counter()
	}
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // this clock always exists
	return uint64(t.Nano())
}

// measure waits until enough time has passed for a first estimate.
func (c *clock) measure() ctf.Clock {
	if wait := 20*time.Millisecond - time.Since(c.at); c.steady && wait > 0 {
		time.Sleep(wait)
	}
	frequency := 1e9
	if c.steady {
		ticks, at := c.both()
		c.passed = at.Sub(c.at)
		frequency = float64(ticks-c.ticks) / c.passed.Seconds()
	}
	found := ctf.Clock{Frequency: uint64(frequency)}
	high, low := bits.Mul64(c.ticks, 1e9)
	before, _ := bits.Div64(high, low, found.Frequency)
	found.Offset = c.at.UnixNano() - int64(before)
	return found
}

// better reports whether measuring again would halve the error.
func (c *clock) better() bool { return c.steady && time.Since(c.at) > 2*c.passed }
