package trace

import (
	"math"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Mode is how closely a domain is watched.
type Mode uint8

// The modes in rising order. NoMode means that no mode is set; Tracing applies.
const (
	NoMode     Mode = layout.NoMode
	Off        Mode = layout.Off        // nothing happens
	Standby    Mode = layout.Standby    // nothing happens, but the domain may be switched on again
	Monitoring Mode = layout.Monitoring // executions are counted
	Tracing    Mode = layout.Tracing    // executions are counted and traced
)

func (m Mode) String() string {
	if int(m) < len(layout.ModeNames) {
		return layout.ModeNames[m]
	}
	return "mode " + strconv.Itoa(int(m))
}

// ParseMode returns the mode with a name, ignoring case, or Tracing if the name is unknown. MONITOR is MONITORING.
func ParseMode(name string) (m Mode, known bool) {
	for m := Off; m <= Tracing; m++ {
		if strings.EqualFold(name, m.String()) || m == Monitoring && strings.EqualFold(name, "MONITOR") {
			return m, true
		}
	}
	return Tracing, false
}

// Unlimited is the Max of a rate without a limit.
const Unlimited = math.MaxUint32

// Rate selects the executions of a region that are traced: from number Start on (counted
// from 0), one in Every, at most Max of them. "One in ten" means the tenth, the twentieth
// and so on; executions before Start count towards the first ten.
type Rate struct{ Start, Max, Every uint32 }

// line holds the counters of a region on a unit, and everything that the current policy
// says about the region there. It is one cache line.
type line struct {
	counter uint32 // executions begun
	traced  uint32 // executions traced
	since   uint32 // executions begun since the end of the last traced one
	rate    Rate

	stamp   uint32 // the unit's stamp when rate, mode, ends and allowed were computed
	mode    Mode
	chosen  bool // this execution is traced
	ends    bool // whether reaching rate.Max is reported
	_       byte
	allowed Mask // events that pass mode, layers and unit sets
}

// due follows the arithmetic of the original program, which uses unsigned 32-bit numbers.
func (l *line) due() bool {
	return l.since >= l.rate.Every && l.rate.Start <= l.counter-1 &&
		(l.rate.Max == Unlimited || l.traced < l.rate.Max)
}
