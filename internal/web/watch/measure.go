package watch

import (
	"runtime"
	"time"

	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/launch"
)

// metric is something that is measured of the programs of a plan, or of the processes of their pipelines.
type metric struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Unit  string `json:"unit"`
	Total string `json:"total"` // what the sum over the time is; empty: it has none
}

// The metrics, as Paradyn would call them.
var (
	metricCPU    = metric{"cpu", "processor time", "CPUs", "CPU seconds"}
	metricMemory = metric{"memory", "memory", "bytes", ""}
	metricData   = metric{"data", "data over all edges", "data/s", "data"}
	metricSteps  = metric{"steps", "steps of processes", "steps/s", "steps"}
	metricBusy   = metric{"busy", "share of the time at work", "share", ""}
	metrics      = []metric{metricCPU, metricMemory, metricData, metricSteps, metricBusy}
)

const (
	maxSeries = 1000            // of a plan; later ones are counted only
	lookStand = 2 * time.Second // a look at a value that comes and goes stands for the time since the one before, and for this at most
)

// pair is a metric at a focus: a program of the plan, or a process of its pipeline.
type pair struct{ metric, focus string }

// series is what is known of a pair.
type series struct {
	pair
	*histogram
	now  float64
	live bool // now is a value of now
}

// counter is a count that only grows, and when it was last read.
type counter struct {
	begun time.Time // of what counts; another one counts from 0
	at    time.Duration
	value float64
}

// measured is what was measured of a plan, over its time. A look costs what the programs of the plan are asked anyway:
// nothing is measured while no page shows it.
type measured struct {
	timeAxis
	began    time.Time
	looked   time.Time
	first    time.Duration // of the first look at a run that went on; 0: there was none
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

// at is the series of a pair; nil: there are too many.
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

// since is the counter of a pair, from 0 where what counts has begun anew.
func (m *measured) since(p pair, begun time.Time) *counter {
	c := m.counters[p]
	if c == nil || !c.begun.Equal(begun) {
		c = &counter{begun: begun, at: begun.Sub(m.began)}
		m.counters[p] = c
	}
	return c
}

// programs takes a look at the programs of the plan.
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
		// What was not waited for was not measured, and what ssh uses here is not what its program uses there.
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
			// What its children used is added to a process at its end. More than all processors can do since the last look
			// is spread over its whole life.
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

// level adds a value that comes and goes.
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
		case from == begun.Sub(m.began): // figures of a pipeline that is over are those of the whole of it
			m.add(s.histogram, from, to, p.Busy*(to-from).Seconds())
			s.now, s.live = p.Busy, false
		default:
			s.live = false
		}
	}
}
