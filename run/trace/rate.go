package trace

import (
	"math"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Mode says how far a domain is watched.
type Mode uint8

// The modes in rising order. NoMode is no statement, which means Tracing.
const (
	NoMode     Mode = layout.NoMode
	Off        Mode = layout.Off        // nothing happens
	Standby    Mode = layout.Standby    // nothing happens, but it may be switched on again
	Monitoring Mode = layout.Monitoring // executions are counted
	Tracing    Mode = layout.Tracing    // executions are counted and traced
)

func (m Mode) String() string {
	if int(m) < len(layout.ModeNames) {
		return layout.ModeNames[m]
	}
	return "mode " + strconv.Itoa(int(m))
}

// ParseMode returns the mode of a name in any case, and Tracing for a name that
// is not known. MONITOR is MONITORING.
func ParseMode(name string) (m Mode, known bool) {
	for m := Off; m <= Tracing; m++ {
		if strings.EqualFold(name, m.String()) || m == Monitoring && strings.EqualFold(name, "MONITOR") {
			return m, true
		}
	}
	return Tracing, false
}

// Unlimited is the Max of a rate that never ends.
const Unlimited = math.MaxUint32

// Rate says which executions of a region are traced: from number Start on
// (counted from 0), one in Every, at most Max of them. "One in ten" is the
// tenth, the twentieth and so on, and the executions before Start count towards
// the first ten.
type Rate struct{ Start, Max, Every uint32 }

// line is one region's counters on one unit and all that the current policy
// says about it there: one cache line.
type line struct {
	counter uint32 // executions begun
	traced  uint32 // executions traced
	since   uint32 // executions begun since the last traced one ended
	rate    Rate

	stamp   uint32 // the unit's stamp when rate, mode, ends and events were folded in
	mode    Mode
	chosen  bool // this execution is traced
	ends    bool // reaching rate.Max is to be reported
	_       byte
	allowed Mask // events that pass mode, layers and unit sets
}

// due is the arithmetic of the original program, in its unsigned 32 bits.
func (l *line) due() bool {
	return l.since >= l.rate.Every && l.rate.Start <= l.counter-1 &&
		(l.rate.Max == Unlimited || l.traced < l.rate.Max)
}
