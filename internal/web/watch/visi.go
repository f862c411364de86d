package watch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/core/downsample"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// Visi is a visualisation of a plan that the page shows in place of its program: the measurements, and the phases of the run.
type Visi struct {
	Run     string            `json:"run"`
	State   string            `json:"state"` // of the plan
	Name    string            `json:"name"`
	View    launch.View       `json:"view"`
	Why     string            `json:"why"`     // why the page replaces the program
	Visis   []visiEntry       `json:"visis"`   // all that the page shows
	Note    string            `json:"note"`    // what the figures mean
	Width   downsample.Number `json:"width"`   // of a bin, in seconds
	Metrics []metric          `json:"metrics"` // measured metrics
	Metric  string            `json:"metric"`  // the metric whose bins the series have
	Unit    string            `json:"unit"`    // of bins
	// Series are in the order of the plan. The ones with the largest totals have bins.
	Series []seriesEntry `json:"series"`
	Phases []phaseEntry  `json:"phases"`
}

type visiEntry struct {
	Name string      `json:"name"`
	View launch.View `json:"view"`
}

// seriesEntry is a metric at a focus. Missing numbers are null.
type seriesEntry struct {
	Metric string             `json:"metric"`
	Focus  string             `json:"focus"`
	Now    *downsample.Number `json:"now"`
	Mean   *downsample.Number `json:"mean"`
	Total  *downsample.Number `json:"total"`
	Bins   downsample.Numbers `json:"bins"`
}

// maxDrawn is the number of series drawn at once.
const maxDrawn = 24

// visis are the measurements of the plans that a page has looked at.
type visis struct {
	mu  sync.Mutex
	all map[string]*measured // keyed by run
}

// Visi returns a visualisation of a plan, by default the first, with the bins of one metric.
func (l *List) Visi(ctx context.Context, id, name, metricName string) (*Visi, error) {
	run, err := l.Find(id)
	if err != nil {
		return nil, err
	}
	status, dir := run.Programs(ctx), run.registered()
	out := &Visi{Run: run.id, State: status.State, Visis: []visiEntry{}, Metrics: []metric{}, Series: []seriesEntry{}, Phases: []phaseEntry{}}
	for _, n := range status.Nodes {
		if n.View == "" {
			continue
		}
		out.Visis = append(out.Visis, visiEntry{n.ID, n.View})
		if n.ID == name || name == "" && out.Name == "" {
			out.Name, out.View, out.Why = n.ID, n.View, fmt.Sprintf("The page replaces Paradyn's %s: %s.", n.View, n.Missing())
		}
	}
	switch {
	case dir == nil:
		return nil, guard.Conflict("the run has no programs yet")
	case out.Name == "" && name == "":
		return nil, guard.NotFound("the plan of this run has no visualisation for the page, which shows only Paradyn's own ones whose programs are not installed")
	case out.Name == "":
		return nil, guard.NotFound("the plan of this run has no visualisation `" + name + "` that the page can show")
	}
	l.visis.mu.Lock()
	defer l.visis.mu.Unlock()
	m := l.visis.of(dir)
	if status.at.After(m.looked) {
		m.programs(status.at, status.Nodes)
		l.measure(m, dir.Run.ID)
	}
	out.fill(m, metricName)
	if out.View == launch.PhaseTable {
		events, err := dir.Events()
		if err != nil {
			return nil, err
		}
		var leftOut int
		out.Phases, leftOut = phases(dir.Run, events)
		out.Note = "States of the programs from the journal of the run, in time since its beginning." + more(leftOut)
	}
	return out, nil
}

// of returns the measurements of a plan. If there are many, the least recently used ones are forgotten.
func (v *visis) of(d *state.Dir) *measured {
	m := v.all[d.Run.ID]
	if m == nil {
		if v.all == nil {
			v.all = map[string]*measured{}
		}
		if len(v.all) == maxRuns {
			oldest := ""
			for id, m := range v.all {
				if oldest == "" || m.looked.Before(v.all[oldest].looked) {
					oldest = id
				}
			}
			delete(v.all, oldest)
		}
		m = newMeasured(d.Run.Started)
		v.all[d.Run.ID] = m
	}
	return m
}

// measure takes the figures of the pipelines that the programs of a plan run. They are read for their curves anyway.
func (l *List) measure(m *measured, plan string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.own {
		if r.elsewhere == nil || r.elsewhere.Run.Launch != plan {
			continue
		}
		if newest := r.sample.Load(); newest != nil {
			m.pipeline(r.elsewhere.Run.Node, r.started, &newest.figures)
		}
	}
}

// fill adds the measurements, with the bins of one metric.
func (a *Visi) fill(m *measured, name string) {
	has := map[string]bool{}
	for _, s := range m.series {
		has[s.metric] = true
	}
	for _, k := range metrics {
		if has[k.Name] {
			a.Metrics = append(a.Metrics, k)
		}
	}
	if !has[name] {
		name = ""
		if len(a.Metrics) > 0 {
			name = a.Metrics[0].Name
		}
	}
	a.Metric, a.Width, a.Note = name, downsample.Number(m.width.Seconds()), m.note()
	drawn := largest(m.series, name)
	for _, k := range metrics {
		for _, s := range m.series {
			if s.metric != k.Name {
				continue
			}
			e := seriesEntry{Metric: s.metric, Focus: s.focus}
			sum, seconds := s.total()
			if s.live {
				e.Now = known(s.now)
			}
			if seconds > 0 {
				e.Mean = known(sum / seconds)
			}
			if k.Total != "" {
				e.Total = known(sum)
			}
			if drawn[s] {
				e.Bins = s.means()
				a.Unit = k.Unit
			}
			a.Series = append(a.Series, e)
		}
	}
	a.scale()
}

// scale converts the bins to a unit with short numbers.
func (a *Visi) scale() {
	size := 1.0
	if a.Metric == metricMemory.Name {
		size, a.Unit = 1<<20, "MB"
	} else if slices.ContainsFunc(a.Series, func(s seriesEntry) bool { return slices.ContainsFunc(s.Bins, func(v float64) bool { return v >= 1e6 }) }) {
		size, a.Unit = 1e6, "million "+a.Unit
	}
	for _, s := range a.Series {
		for i := range s.Bins {
			s.Bins[i] /= size
		}
	}
}

// note explains the figures.
func (m *measured) note() string {
	text := "No page was open during the run: counts are averages over the whole time, and varying values are unknown."
	switch {
	case len(m.series) == 0:
		return "Nothing was measured."
	case m.first > 0:
		text = fmt.Sprintf("Measured while this view is open, first %.3g s after the beginning. For times between measurements, counts are averages, and varying values are unknown.", m.first.Seconds())
	}
	return fmt.Sprintf("%s A point covers %g s.%s", text, m.width.Seconds(), more(len(m.leftOut)))
}

// more returns a sentence about the number left out.
func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" %d more are not shown.", n)
}

// largest are the series of a metric that have bins: those with the largest sums.
func largest(all []*series, metric string) map[*series]bool {
	type summed struct {
		*series
		sum float64
	}
	var list []summed
	for _, s := range all {
		if s.metric == metric {
			sum, _ := s.total()
			list = append(list, summed{s, sum})
		}
	}
	slices.SortStableFunc(list, func(a, b summed) int { return cmp.Compare(b.sum, a.sum) })
	set := map[*series]bool{}
	for _, s := range list[:min(len(list), maxDrawn)] {
		set[s.series] = true
	}
	return set
}
