package traced

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/trace/forecast"
)

// discarded is a log that need not be closed.
type discarded struct{ bytes.Buffer }

func (*discarded) Close() error { return nil }

// The cost of an event is corrected once by what gaps show, with a line in the log; before rates change, the log also gets the cost of recording.
func TestOverheadCorrects(t *testing.T) {
	log := &discarded{}
	cost := forecast.Cost{Recorded: 35, Against: 5, Measured: true}
	o := &overhead{begun: time.Now(), log: log, cost: cost, governor: forecast.Governor{Share: 0.01, Cost: cost}, gaps: &forecast.Gaps{Extra: 30}}
	play := func(from, to uint32) {
		for n := from; n < to; n++ { // an execution takes 1 µs, and its event 60 ns more
			o.gaps.Add("thread 0", forecast.Stretch{Turn: n, Place: 1, Executions: 4000, Events: 4000, Time: 4000 * 1060})
			o.gaps.Add("thread 0", forecast.Stretch{Turn: n, Place: 2, Gap: true, Executions: 4000, Time: 4000 * 1000})
		}
	}
	play(1, 10)
	o.correct()
	if log.Len() > 0 || o.governor.Cost != cost {
		t.Errorf("%d gaps are few: %s; want log.Len() at most 0 and o.governor.Cost = %v", 9, log, cost)
	}
	play(10, 40)
	for range 3 {
		o.correct()
	}
	if got := o.governor.Cost; got.Recorded < 64 || got.Recorded > 66 || got.Against != 5 || o.cost != cost {
		t.Errorf("%+v, want got.Recorded at least 64, got.Recorded at most 66, got.Against = 5 and o.cost = %v", got, cost)
	}
	o.measured()
	o.measured()
	text := log.String()
	if strings.Count(text, "\n") != 2 || !strings.Contains(text, "the assumed cost of a recorded event is now 65 ns, was 35 ns: gaps without recording show 2 ± 0 times the cost before the run\n") ||
		!strings.Contains(text, "recording took 6 % ± 0 points of the time, measured with 39 gaps; by counts and costs 3 %\n") {
		t.Errorf("the log is %s; want strings.Count(text, \"\\n\") = 2, %q in text and %q in text", text, "the assumed cost of a recorded event is now 65 ns, was 35 ns: gaps without recording show 2 ± 0 times the cost before the run\n", "recording took 6 % ± 0 points of the time, measured with 39 gaps; by counts and costs 3 %\n")
	}
}
