package figures

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
)

const second = time.Second

// counted returns a process that was busy, and waited, for these tenths of a second.
func counted(name string, busy, blocked time.Duration) flow.ProcessStats {
	return flow.ProcessStats{Name: name, Busy: busy * second / 10, Blocked: blocked * second / 10}
}

// told describes figures in words, omitting empty ones.
func told(f Figures) string {
	words := []string{fmt.Sprintf("%g/s", f.Rate)}
	if f.Rest > 0 {
		words = append(words, f.Rest.String()+" left")
	}
	for _, p := range f.Processes {
		word := fmt.Sprintf("%s %.0f%%", p.Name, 100*p.Busy)
		if p.Waits > 0 {
			word += fmt.Sprintf(" on %s %.0f%%", p.On, 100*p.Waits)
		}
		if p.Program {
			word += " program"
		}
		if p.Bottleneck {
			word += " bottleneck"
		}
		words = append(words, word)
	}
	for _, e := range f.Edges {
		words = append(words, fmt.Sprintf("%s %.0f%% %s", e.From, 100*e.Fill, e.Level))
	}
	for _, s := range f.Sites {
		words = append(words, s.Name+" "+s.State)
	}
	return strings.Join(words, "; ")
}

// TestDefinitions checks the figures computed from given counts, for whole runs of ten seconds.
func TestDefinitions(t *testing.T) {
	ten := func(s flow.Stats) flow.Stats {
		s.Wall = 10 * second
		return s
	}
	pair := func(state flow.State, a, b flow.ProcessStats) flow.Stats {
		return ten(flow.Stats{State: state, Processes: []flow.ProcessStats{a, b}})
	}
	done := func(p flow.ProcessStats) flow.ProcessStats {
		p.Done = true
		return p
	}
	for name, c := range map[string]struct {
		s    flow.Stats
		want string
	}{
		"nothing yet":              {flow.Stats{State: flow.Running}, "0/s"},
		"no time yet":              {flow.Stats{State: flow.Running, Processes: []flow.ProcessStats{counted("a", 1, 1), counted("b", 0, 0)}}, "0/s; a 0%; b 0%"},
		"half the time":            {pair(flow.Running, counted("a", 50, 0), counted("b", 20, 0)), "0/s; a 50% bottleneck; b 20%"},
		"less than half":           {pair(flow.Running, counted("a", 49, 0), counted("b", 20, 0)), "0/s; a 49%; b 20%"},
		"the busier of two":        {pair(flow.Running, counted("a", 60, 0), counted("b", 70, 0)), "0/s; a 60%; b 70% bottleneck"},
		"the first of equals":      {pair(flow.Running, counted("a", 90, 0), counted("b", 90, 0)), "0/s; a 90% bottleneck; b 90%"},
		"one that is done":         {pair(flow.Running, done(counted("a", 90, 0)), counted("b", 60, 0)), "0/s; a 90%; b 60% bottleneck"},
		"finished":                 {pair(flow.Finished, done(counted("a", 90, 0)), done(counted("b", 60, 0))), "0/s; a 90% bottleneck; b 60%"},
		"stopped":                  {pair(flow.Stopped, done(counted("a", 90, 0)), counted("b", 60, 0)), "0/s; a 90% bottleneck; b 60%"},
		"alone":                    {ten(flow.Stats{Processes: []flow.ProcessStats{counted("a", 100, 0)}}), "0/s; a 100%"},
		"outside":                  {pair(flow.Running, counted("a", 0, 40), counted("b", 0, 0)), "0/s; a 0% on something outside 40%; b 0%"},
		"a moment outside":         {ten(flow.Stats{Processes: []flow.ProcessStats{{Name: "a", Blocked: 49 * second / 1000}, {Name: "b", Blocked: 51 * second / 1000}}}), "0/s; a 0%; b 0% on something outside 1%"},
		"longer than the run":      {pair(flow.Running, counted("a", 120, 0), counted("b", 0, 130)), "0/s; a 100% bottleneck; b 0% on something outside 100%"},
		"its program":              {ten(flow.Stats{Processes: []flow.ProcessStats{{Name: "a", Busy: 4 * second, Program: 3 * second, Blocked: 2 * second}}}), "0/s; a 40% on its program 30% program"},
		"half its program":         {ten(flow.Stats{Processes: []flow.ProcessStats{{Name: "a", Busy: 4 * second, Program: 2 * second}}}), "0/s; a 40%"},
		"waits more than programs": {ten(flow.Stats{Processes: []flow.ProcessStats{{Name: "a", Busy: 4 * second, Program: 3 * second, Blocked: 5 * second}}}), "0/s; a 40% on something outside 50%"},
		"full and empty": {ten(flow.Stats{
			Processes: []flow.ProcessStats{counted("a", 0, 30), counted("b", 0, 50)},
			Edges:     []flow.EdgeStats{{From: "a.x", To: "b.x", Taken: 50, Full: 3 * second, Empty: 4 * second}},
		}), "5/s; a 0% on b (full) 30%; b 0% on a (empty) 40%; a.x 0% flows"},
		"all edges to a neighbour": {ten(flow.Stats{
			Processes: []flow.ProcessStats{counted("a", 0, 0), counted("b", 0, 0), counted("c", 0, 100)},
			Edges:     []flow.EdgeStats{{From: "a.x", To: "c.x", Empty: 4 * second}, {From: "b.x", To: "c.y", Empty: 3 * second}, {From: "b.y", To: "c.z", Empty: 2 * second}},
		}), "0/s; a 0%; b 0%; c 0% on b (empty) 50%; a.x 0% ; b.x 0% ; b.y 0% "},
		"an edge of a process elsewhere": {ten(flow.Stats{Edges: []flow.EdgeStats{{From: "a.x", To: "b.x", Full: second, Empty: second}}}), "0/s; a.x 0% "},
		"levels": {ten(flow.Stats{Edges: []flow.EdgeStats{
			{From: "a", Capacity: 10, Left: 9}, {From: "b", Capacity: 10, Left: 8}, {From: "c", Capacity: 10, Left: 5}, {From: "d", Capacity: 10, Left: 4, Taken: 10},
			{From: "e", Capacity: 10, Left: 4}, {From: "f", Left: 99}, {From: "g", Left: 99, Taken: 20}, {From: "h", Capacity: 10, Left: 10, Dropped: 1}, {From: "i", Capacity: 10, Left: 11},
		}}), "3/s; a 90% full; b 80% half; c 50% half; d 40% flows; e 40% ; f 0% ; g 0% flows; h 100% drops; i 100% full"},
		"sites": {ten(flow.Stats{Sites: []flow.SiteStats{{Name: "deck", State: "running"}, {Name: "gpu", State: "away", Silent: second}}}), "0/s; deck running; gpu away"},
		"paused for half of the run": {flow.Stats{State: flow.Paused, Wall: 20 * second, Paused: 10 * second,
			Processes: []flow.ProcessStats{counted("a", 60, 130), counted("b", 0, 200)}, Edges: []flow.EdgeStats{{From: "a.x", To: "b.x", Taken: 20, Empty: 8 * second}}},
			"2/s; a 60% on something outside 30% bottleneck; b 0% on a (empty) 80%; a.x 0% flows"},
		"paused all the time": {flow.Stats{State: flow.Paused, Wall: 10 * second, Paused: 10 * second, Processes: []flow.ProcessStats{counted("a", 100, 0), counted("b", 0, 100)}}, "0/s; a 0%; b 0%"},
	} {
		f := Of(&c.s)
		if have := told(f); have != c.want {
			t.Errorf("%s:\nhave %s\nwant %s", name, have, c.want)
		}
		if p := f.Bottleneck(); (p == nil) == strings.Contains(c.want, "bottleneck") || p != nil && !p.Bottleneck {
			t.Errorf("%s: the bottleneck is %+v, want one, marked as that, exactly where it is told of: %s", name, p, c.want)
		}
	}
}

// TestRest checks that the remaining time is the time that the slowest process still needs at its speed
// so far.
func TestRest(t *testing.T) {
	for _, c := range []struct {
		list []flow.ProcessStats
		want time.Duration
	}{
		{nil, 0},
		{[]flow.ProcessStats{{Steps: 5}}, 0},
		{[]flow.ProcessStats{{Steps: 0, Total: 5}}, 0},
		{[]flow.ProcessStats{{Steps: 5, Total: 5}}, 0},
		{[]flow.ProcessStats{{Steps: 5, Total: 15, Done: true}}, 0},
		{[]flow.ProcessStats{{Steps: 5, Total: 15}}, 20 * second},
		{[]flow.ProcessStats{{Steps: 5, Total: 10}, {Steps: 1, Total: 4}, {Steps: 2, Total: 3}}, 30 * second},
		{[]flow.ProcessStats{{Steps: math.MaxUint64 - 1, Total: math.MaxUint64}}, 1},
		{[]flow.ProcessStats{{Steps: 1, Total: math.MaxUint64}}, math.MaxInt64 / 2},
	} {
		for state, goes := range map[flow.State]bool{flow.Running: true, flow.Paused: true, flow.Stopping: false, flow.Finished: false, flow.Stopped: false, flow.Failed: false} {
			want := c.want
			if !goes {
				want = 0
			}
			// A pause does not make the remaining time longer.
			for _, paused := range []time.Duration{0, time.Hour} {
				s := flow.Stats{State: state, Wall: 10*second + paused, Paused: paused, Processes: c.list}
				if f := Of(&s); (f.Rest-want).Abs() > time.Microsecond || (f.Rest == 0) != (want == 0) {
					t.Errorf("%s, paused for %v, %+v: %v, want %v", state, paused, c.list, f.Rest, want)
				}
			}
		}
	}
}

// TestFollower checks that the figures are for the last second, or for the time since the previous
// snapshot if that is longer, and for the whole run during the first second and after the end.
func TestFollower(t *testing.T) {
	look := func(wall time.Duration, taken uint64, state flow.State, paused time.Duration) flow.Stats {
		return flow.Stats{
			State: state, Wall: wall, Paused: paused, Edges: []flow.EdgeStats{{From: "a.x", To: "b.x", Taken: taken}},
			Processes: []flow.ProcessStats{{Name: "a", Steps: taken, Busy: wall - paused, Out: taken}, {Name: "b", In: taken}},
		}
	}
	var f Follower
	for i, c := range []struct {
		at     time.Duration // milliseconds
		taken  uint64
		state  flow.State
		paused time.Duration
		want   float64
	}{
		{10_000, 100, flow.Running, 0, 10},    // first snapshot, late: the whole run
		{10_200, 1020, flow.Running, 0, 100},  // still the whole run
		{11_000, 1100, flow.Running, 0, 1000}, // since the first snapshot
		{11_200, 1120, flow.Running, 0, 100},  // since the second snapshot
		{11_300, 1150, flow.Running, 0, 130 / 1.1},
		{16_300, 1650, flow.Running, 0, 100}, // since the previous snapshot
		{17_300, 1650, flow.Paused, 1000, 0},
		{18_300, 1750, flow.Running, 1500, 200}, // in half a second
		{18_300, 1750, flow.Finished, 1500, 1750 / 16.8},
	} {
		now := f.Add(look(c.at*time.Millisecond, c.taken, c.state, c.paused*time.Millisecond))
		a, b, e := now.Processes[0], now.Processes[1], now.Edges[0]
		for _, rate := range []float64{now.Rate, e.Rate, a.Rate, a.Out, b.In} {
			if math.Abs(rate-c.want) > 1e-6 {
				t.Errorf("look %d: %v/s in %+v, want %v/s", i, rate, now, c.want)
			}
		}
		if now.Taken != c.taken || now.Wall != c.at*time.Millisecond || (c.want > 0) != (now.Busiest == 1) {
			t.Errorf("look %d: %+v, want now.Taken = %v, now.Wall = %v and (c.want > 0) = %v", i, now, c.taken, c.at*time.Millisecond, (now.Busiest == 1))
		}
	}
}

// TestJoinedSite checks that earlier counts are found by name, even if a new site has changed the order.
func TestJoinedSite(t *testing.T) {
	before := flow.Stats{State: flow.Running, Wall: 10 * second,
		Processes: []flow.ProcessStats{{Name: "b", Site: "two", Steps: 100, Busy: 9 * second}},
		Edges:     []flow.EdgeStats{{From: "b.x", To: "c.x", Taken: 100, Empty: 9 * second}}}
	now := flow.Stats{State: flow.Running, Wall: 12 * second,
		Processes: []flow.ProcessStats{{Name: "a", Site: "one", Steps: 2}, {Name: "b", Site: "two", Steps: 104, Busy: 10 * second}, {Name: "c", Site: "two"}},
		Edges:     []flow.EdgeStats{{From: "a.x", To: "b.x", Taken: 2}, {From: "b.x", To: "c.x", Taken: 104, Empty: 10 * second}}}
	var f Follower
	f.Add(before)
	have := f.Add(now)
	if want := "3/s; a 0%; b 50% bottleneck; c 0% on b (empty) 50%; a.x 0% flows; b.x 0% flows"; told(have) != want {
		t.Errorf("have %s\nwant %s", told(have), want)
	}
	if a, b := have.Processes[0], have.Processes[1]; a.Rate != 1 || b.Rate != 2 || b.Step != second/4 || b.Site != "two" {
		t.Errorf("%+v, %+v; want a.Rate = 1, b.Rate = 2, b.Step = %v and b.Site = %q", a, b, second/4, "two")
	}
	// A program that was restarted has lower counts than before.
	if again := f.Add(flow.Stats{State: flow.Running, Wall: 14 * second, Processes: []flow.ProcessStats{{Name: "b", Site: "two"}}, Edges: []flow.EdgeStats{{From: "b.x", To: "c.x"}}}); told(again) != "0/s; b 0%; b.x 0% " {
		t.Errorf("after a new start: %s", told(again))
	}
}

// TestEdgesOfProcesses checks that HasIn and HasOut follow from the edges of a process, or for a copy
// from its data, and that dropped data are counted at the process they did not reach.
func TestEdgesOfProcesses(t *testing.T) {
	f := Of(&flow.Stats{Wall: second, Processes: []flow.ProcessStats{{Name: "a"}, {Name: "b"}, {Name: "c#1", In: 3, Out: 4}},
		Edges: []flow.EdgeStats{{From: "a.x", To: "b.x", Dropped: 2}, {From: "a.y", To: "b.y", Dropped: 3}}})
	var have []string
	for _, p := range f.Processes {
		have = append(have, fmt.Sprint(p.Name, p.HasIn, p.HasOut, p.Dropped))
	}
	if text := strings.Join(have, " "); text != "afalse true 0 btrue false 5 c#1true true 0" || f.Dropped != 5 {
		t.Errorf("%s, %d dropped; want text = %q and f.Dropped = 5", text, f.Dropped, "afalse true 0 btrue false 5 c#1true true 0")
	}
}

// TestNothingIsNull checks that an empty list is never null in the JSON form.
func TestNothingIsNull(t *testing.T) {
	f := Of(&flow.Stats{State: flow.Running})
	text, err := json.Marshal(&f)
	if want := `{"state":"running","wall_ns":0,"taken":0,"dropped":0,"rate":0,"busiest":0,"fullest":0,"processes":[],"edges":[],"sites":[]}`; err != nil || string(text) != want {
		t.Errorf("%s %v", text, err)
	}
}

// TestErrors checks that error data are counted from the beginning of the run and described in words, one
// line for each output.
func TestErrors(t *testing.T) {
	s := flow.Stats{State: flow.Running, Wall: second, Processes: []flow.ProcessStats{
		{Name: "a", Errors: []flow.PortErrors{{Port: "x", Count: 1, Reasons: []string{"odd"}}, {Port: "y", Count: 4500, Reasons: []string{"too long", "too short"}}}},
		{Name: "b"},
	}}
	want := []string{"1 error of output a.x: odd", "4,500 errors of output a.y: too long; too short"}
	if f := Of(&s); !slices.Equal(f.Errors, want) {
		t.Errorf("%q, want %v", f.Errors, want)
	}
	var f Follower
	f.Add(s)
	if s.Wall = 5 * second; !slices.Equal(f.Add(s).Errors, want) {
		t.Errorf("later: %q, want %v", f.Add(s).Errors, want)
	}
}
