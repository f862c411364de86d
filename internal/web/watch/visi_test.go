package watch

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/core/downsample"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// after returns a time after the start of a run, in seconds.
func after(seconds float64) time.Time {
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

// lives returns a running program with the resources that it has used.
func lives(id string, since, cpu float64, memory int64) Program {
	return Program{Status: launch.Status{ID: id, Kind: launch.KindProcess, State: launch.Running, Started: after(since), Usage: &state.Usage{}}, CPU: cpu, Memory: memory}
}

// ended returns a program that has ended.
func ended(id string, since, until, cpu float64) Program {
	return Program{Status: launch.Status{ID: id, Kind: launch.KindProcess, State: launch.Ended, Started: after(since), Ended: after(until), Exit: launch.Exit{PeakKB: 1}}, CPU: cpu, Memory: 1024}
}

// shown returns the answer for a metric as text, one line for each series.
func shown(m *measured, metric string) string {
	var a Visi
	a.fill(m, metric)
	var b strings.Builder
	text := func(n *downsample.Number) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprintf("%.3g", float64(*n))
	}
	for _, s := range a.Series {
		fmt.Fprintf(&b, "%s %s now %s mean %s total %s", s.Metric, s.Focus, text(s.Now), text(s.Mean), text(s.Total))
		for _, v := range s.Bins {
			fmt.Fprintf(&b, " %.3g", v)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestMeasuredPrograms: processor time is a counter, so nothing between two samples is lost; memory is known only around the
// samples.
func TestMeasuredPrograms(t *testing.T) {
	m := newMeasured(after(0))
	m.width = time.Second
	look := func(at float64, nodes ...Program) { m.programs(after(at), nodes) }
	far := lives("far", 0, 9, 9)
	far.Usage = nil
	view := lives("view", 0, 9, 9)
	view.Kind = launch.KindVisi
	look(4, lives("west", 1, 1.5, 100), far, view)
	look(5, lives("west", 1, 2.5, 300), ended("east", 2, 5, 3))
	want := "cpu west now 1 mean 0.625 total 2.5 NaN 0.5 0.5 0.5 1\ncpu east now - mean 1 total 3 NaN NaN 1 1 1\nmemory west now 300 mean 167 total -\n"
	if diff := cmp.Diff(want, shown(m, "cpu")); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
	if have := shown(m, "memory"); !strings.Contains(have, "memory west now 300 mean 167 total - NaN NaN 9.54e-05 9.54e-05 0.000286\n") {
		t.Errorf("memory is\n%s\nwant %q in it", have, "memory west now 300 mean 167 total - NaN NaN 9.54e-05 9.54e-05 0.000286\n")
	}
	// A restarted program counts from 0 again. The time of its children is added when they end, and must not appear as a peak.
	look(8, lives("west", 7, 0.5, 100))
	children := 100 * float64(runtime.NumCPU())
	look(9, ended("west", 7, 9, children))
	look(20, ended("west", 7, 9, children))
	per := (children - 0.5) / 2
	line := fmt.Sprintf("cpu west now - mean %.3g total %.3g NaN 0.5 0.5 0.5 1 NaN NaN %.3g %.3g\n", (children+2.5)/6, children+2.5, 0.5+per, per)
	if have := shown(m, "cpu"); !strings.Contains(have, line) {
		t.Errorf("have\n%swant\n%s\nwant %q in it", have, line, line)
	}
}

// TestMeasuredPipeline: steps and data are counters, busy is a share; the figures of an ended pipeline cover its whole run.
func TestMeasuredPipeline(t *testing.T) {
	at := func(state flow.State, wall float64, taken, steps uint64, busy float64) *figures.Figures {
		return &figures.Figures{State: state, Wall: time.Duration(wall * float64(time.Second)), Taken: taken, Rate: 7,
			Processes: []figures.Process{{Name: "solver", Steps: steps, Rate: 8, Busy: busy}, {Name: "sink", Site: "b"}}}
	}
	m := newMeasured(after(0))
	m.width = time.Second
	m.pipeline("west", after(1), at(flow.Running, 2, 20, 10, 0.5))
	m.pipeline("west", after(1), at(flow.Running, 2, 20, 10, 0.5)) // nothing new
	m.pipeline("west", after(1), at(flow.Running, 3, 40, 40, 1))
	want := "data west now 7 mean 13.3 total 40 NaN 10 10 20\nsteps west/solver now 8 mean 13.3 total 40\nsteps west/sink@b now 0 mean 0 total 0\n" +
		"busy west/solver now 1 mean 0.667 total -\nbusy west/sink@b now 0 mean 0 total -\n"
	if diff := cmp.Diff(want, shown(m, "data")); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
	m.pipeline("west", after(1), at(flow.Finished, 4, 50, 50, 0.9))
	if have := shown(m, "busy"); !strings.Contains(have, "data west now - mean 12.5 total 50\n") || !strings.Contains(have, "busy west/solver now - mean 0.667 total - NaN 0.5 0.5 1\n") {
		t.Errorf("after the end:\n%s", have)
	}
	m = newMeasured(after(0))
	m.width = time.Second
	m.pipeline("west", after(0), at(flow.Finished, 2, 50, 50, 0.9))
	if have := shown(m, "busy"); !strings.Contains(have, "busy west/solver now - mean 0.9 total - 0.9 0.9\n") {
		t.Errorf("of one that was over:\n%s\nwant %q in it", have, "busy west/solver now - mean 0.9 total - 0.9 0.9\n")
	}
}

// TestMeasuredMany: the numbers of series and of curves are limited, and the number left out is counted; the largest series
// are drawn.
func TestMeasuredMany(t *testing.T) {
	m := newMeasured(after(0))
	var nodes []Program
	for i := range maxSeries {
		nodes = append(nodes, lives(fmt.Sprint("p", i), 0, float64(i), 1))
	}
	m.programs(after(1), nodes)
	m.programs(after(2), nodes)
	var a Visi
	a.fill(m, "none")
	var drawn []string
	for _, s := range a.Series {
		if s.Bins != nil {
			drawn = append(drawn, s.Metric+" "+s.Focus)
		}
	}
	first, last := maxSeries/2-maxDrawn, maxSeries/2-1
	if len(a.Series) != maxSeries || !strings.HasSuffix(a.Note, " A point covers 0.2 s. 1000 more are not shown.") || len(drawn) != maxDrawn || drawn[0] != fmt.Sprint("cpu p", first) || drawn[maxDrawn-1] != fmt.Sprint("cpu p", last) {
		t.Errorf("%d series, %s, %d drawn: %v; want %d series, 1000 more not shown, and %d drawn, from cpu p%d to cpu p%d", len(a.Series), a.Note, len(drawn), drawn, maxSeries, maxDrawn, first, last)
	}
	v := visis{}
	for i := range maxRuns + 1 {
		v.of(&state.Dir{Run: state.Run{ID: fmt.Sprint(i)}}).looked = after(float64(i))
	}
	if len(v.all) != maxRuns || v.all["0"] != nil || v.all["1"] == nil {
		t.Errorf("%d plans are remembered, want %d, 1 among them and 0 not", len(v.all), maxRuns)
	}
}

// TestPhases: phases are computed from the journal of an ended or a live run.
func TestPhases(t *testing.T) {
	run := state.Run{Started: after(0), Nodes: []state.Node{{ID: "d", Kind: "daemon"}, {ID: "p", Kind: "process"}, {ID: "q", Kind: "process"}, {ID: "v", Kind: "visi"}}}
	journal := []state.Event{
		{Time: after(0.5), Node: "d", What: state.Started}, {Time: after(1), Node: "d", What: state.Ready}, {Time: after(1), Node: "p", What: state.Started},
		{Time: after(2), Node: "p", What: state.Failed}, {Time: after(2), Node: "p", What: state.Restarting}, {Time: after(3), Node: "p", What: state.Started},
		{Time: after(3), Node: "p", What: state.Ready}, {Time: after(3), Node: "q", What: state.Log}, {Time: after(4), Node: "q", What: state.Skipped},
	}
	text := func(journal []state.Event) string {
		list, leftOut := phases(run, journal)
		var b strings.Builder
		for i, p := range list {
			end := "-"
			if p.End != nil {
				end = fmt.Sprint(float64(*p.End))
			}
			if fmt.Fprintf(&b, "%s %s %v %s; ", p.Focus, p.Name, float64(p.Start), end); p.Handle != i {
				t.Errorf("phase %d has the handle %d, want %v", i, p.Handle, i)
			}
		}
		return b.String() + fmt.Sprint(leftOut)
	}
	want := " the whole run 0 -; d waiting 0 0.5; p waiting 0 1; q waiting 0 4; d starting 0.5 1; d running 1 -; p running 1 2; p waiting 2 3; p running 3 -; 0"
	if diff := cmp.Diff(want, text(journal)); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
	want = strings.ReplaceAll(want, " -;", " 9;")
	if diff := cmp.Diff(want, text(append(journal, state.Event{Time: after(9), What: state.Over}))); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
	for range maxPhases {
		journal = append(journal, state.Event{Time: after(5), Node: "p", What: state.Started})
	}
	if list, leftOut := phases(run, journal); len(list) != maxPhases || leftOut != 9 {
		t.Errorf("%d phases, %d left out", len(list), leftOut)
	}
}
