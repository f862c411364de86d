package watch

import (
	"runtime"
	"time"

	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/launch"
)

// metric is a quantity measured for programs of a plan, or for processes of their pipelines.
type metric struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Unit  string `json:"unit"`
	Total string `json:"total"` // the unit of the sum over time; empty: it has no sum
}

// The metrics, with names as in Paradyn.
var (
	metricCPU    = metric{"cpu", "processor time", "CPUs", "CPU seconds"}
	metricMemory = metric{"memory", "memory", "bytes", ""}
	metricData   = metric{"data", "data over all edges", "data/s", "data"}
	metricSteps  = metric{"steps", "steps of processes", "steps/s", "steps"}
	metricBusy   = metric{"busy", "share of the time at work", "share", ""}
	metrics      = []metric{metricCPU, metricMemory, metricData, metricSteps, metricBusy}
)

const (
	maxSeries = 1000            // of a plan; further ones are only counted
	lookStand = 2 * time.Second // a sample of a varying value counts for the time since the last sample, but at most for this long
)

// pair is a metric at a focus: a program of the plan, or a process of its pipeline.
type pair struct{ metric, focus string }

// series has the measurements of a pair.
type series struct {
	pair
	*histogram
	now  float64
	live bool // now is a current value
}

// counter is a count that only grows, and when it was last read.
type counter struct {
	begun time.Time // start time of the counting program; a new one counts from 0
	at    time.Duration
	value float64
}

// measured has the measurements of a plan over time. Measuring only uses figures that the programs of the plan are asked for anyway,
// and happens only while a page shows it.
type measured struct {
	timeAxis
	began    time.Time
	looked   time.Time
	first    time.Duration // of the first sample of the live run; 0: none
	series   []*series
	of       map[pair]*series
	counters map[pair]*counter
	leftOut  map[pair]bool
}

func newMeasured(began time.Time) *measured {
	return &measured{
		timeAxis: timeAxis{width: firstBin}, began: began,
		of: map[pair]*series{}, counters: map[pair]*counter{}, leftOut: map[pair]bool{},
	}
}

// at returns the series of a pair; nil: there are too many.
func (m *measured) at(metric metric, focus string) *series {
	p := pair{metric.Name, focus}
	s := m.of[p]
	switch {
	case s != nil:
	case len(m.series) == maxSeries:
		m.leftOut[p] = true
	default:
		s = &series{pair: p, histogram: m.histogram()}
		m.series, m.of[p] = append(m.series, s), s
	}
	return s
}

// since returns the counter of a pair. It starts from 0 if the counting program has restarted.
func (m *measured) since(p pair, begun time.Time) *counter {
	c := m.counters[p]
	if c == nil || !c.begun.Equal(begun) {
		c = &counter{begun: begun, at: begun.Sub(m.began)}
		m.counters[p] = c
	}
	return c
}

// programs takes a sample of the programs of the plan.
func (m *measured) programs(now time.Time, nodes []Program) {
	m.looked = now
	for _, s := range m.series {
		if s.metric == metricCPU.Name || s.metric == metricMemory.Name {
			s.live = false
		}
	}
	for i := range nodes {
		n := &nodes[i]
		ended := n.State == launch.Ended
		// The usage of a program is known only after it was waited for, and the usage of ssh here is not the usage of its program there.
		if n.Kind == launch.KindVisi || n.Started.IsZero() || n.Remote != 0 || (n.Usage == nil && !(ended && n.Exit.PeakKB > 0)) {
			continue
		}
		to := now
		if ended {
			to = n.Ended
		} else if m.first == 0 {
			m.first = now.Sub(m.began)
		}
		m.program(n, to.Sub(m.began), !ended)
	}
}

func (m *measured) program(n *Program, to time.Duration, live bool) {
	c := m.since(pair{metricCPU.Name, n.ID}, n.Started)
	from, used := c.at, max(0, n.CPU-c.value)
	if to <= from {
		return
	}
	took := (to - from).Seconds()
	if s := m.at(metricCPU, n.ID); s != nil {
		s.now, s.live = used/took, live
		if m.add(s.histogram, from, to, 0); !live && used > took*float64(runtime.NumCPU()) {
			// The time of its children is added to a process when they end. If the result is more than all processors can do
			// since the last sample, it is spread over the whole life of the process.
			from = n.Started.Sub(m.began)
		}
		m.more(s.histogram, from, to, used)
	}
	if live {
		if s := m.at(metricMemory, n.ID); s != nil {
			m.level(s, c.at, to, float64(n.Memory))
		}
	}
	c.at, c.value = to, n.CPU
}

// level adds a sample of a varying value.
func (m *measured) level(s *series, from, to time.Duration, value float64) {
	from = max(from, to-lookStand)
	m.add(s.histogram, from, to, value*(to-from).Seconds())
	s.now, s.live = value, true
}

// pipeline takes the figures of a pipeline that a program of the plan runs.
func (m *measured) pipeline(program string, begun time.Time, f *figures.Figures) {
	to, ended := begun.Add(f.Wall).Sub(m.began), f.State.Ended()
	count := func(metric metric, focus string, value uint64, rate float64) (from time.Duration) {
		c := m.since(pair{metric.Name, focus}, begun)
		from = c.at
		if s := m.at(metric, focus); s != nil {
			m.add(s.histogram, from, to, max(0, float64(value)-c.value))
			s.now, s.live = rate, !ended
		}
		c.at, c.value = max(c.at, to), float64(value)
		return from
	}
	count(metricData, program, f.Taken, f.Rate)
	for i := range f.Processes {
		p := &f.Processes[i]
		focus := program + "/" + p.Name
		if p.Site != "" {
			focus += "@" + p.Site
		}
		from := count(metricSteps, focus, p.Steps, p.Rate)
		switch s := m.at(metricBusy, focus); {
		case s == nil || to <= from:
		case !ended:
			m.level(s, from, to, p.Busy)
		case from == begun.Sub(m.began): // the figures of an ended pipeline cover its whole run
			m.add(s.histogram, from, to, p.Busy*(to-from).Seconds())
			s.now, s.live = p.Busy, false
		default:
			s.live = false
		}
	}
}
