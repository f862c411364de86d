package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
)

// Pipeline looks at a pipeline. Its rates are those since the look before.
func Pipeline(snapshot func() flow.Stats) func() Picture {
	var before flow.Stats
	return func() Picture {
		now := snapshot()
		p := PipelinePicture(&now, &before)
		if before = now; p.Over {
			p = PipelinePicture(&now, &flow.Stats{}) // of one that has ended, the whole run
		}
		return p
	}
}

// PipelinePicture is a pipeline between two snapshots: the processes, the busiest
// first, and what its edges hold.
func PipelinePicture(now, before *flow.Stats) Picture {
	p := Picture{
		Summary: Line(now, before), Over: now.State.Ended(), Paused: now.State == flow.Paused,
		Sections: []Section{processTable(now, before), edgeTable(now, before)},
	}
	if len(now.Sites) > 0 {
		p.Sections = append(p.Sections, siteTable(now))
	}
	return p
}

func processTable(now, before *flow.Stats) Section {
	t := Section{Head: []string{"process", siteHead(now), "steps", "in/s", "out/s", "busy", "waits for"}}
	took := now.Wall - before.Wall
	joints, earlier := jointsOf(now), jointsOf(before)
	hottest, most := -1, took/20 // who is busy less than that holds nobody up
	for i := range now.Processes {
		p := &now.Processes[i]
		var old flow.ProcessStats
		if i < len(before.Processes) {
			old = before.Processes[i]
		}
		j, was := joints[p.Name], earlier[p.Name]
		in, out, state, waits := none, none, "done", none
		if j.inputs || p.In > 0 { // of a copy, the edges are those of the process
			in = Quantity(rate(p.In-min(old.In, p.In), took))
		}
		if j.outputs || p.Out > 0 {
			out = Quantity(rate(p.Out-min(old.Out, p.Out), took))
		}
		if busy := min(p.Busy-old.Busy, took); !p.Done {
			state, waits = percent(busy, took), j.since(was).blockedOn(took)
			if program := p.Program - old.Program; waits == none && program*2 > busy {
				waits = "its program " + percent(program, took)
			}
			if busy > most && len(now.Processes) > 1 {
				hottest, most = i, busy
			}
		}
		t.Rows = append(t.Rows, Row{
			Name: p.Name, Cells: []string{p.Name, p.Site, Quantity(float64(p.Steps)), in, out, state, waits},
			Detail: processDetail(p, j, now),
		})
	}
	if hottest >= 0 {
		t.Rows[hottest].Hot = true
		slices.SortStableFunc(t.Rows, func(a, b Row) int { return cmp.Compare(heat(b), heat(a)) })
	}
	return t
}

func heat(r Row) int {
	if r.Hot {
		return 1
	}
	return 0
}

func processDetail(p *flow.ProcessStats, j *joint, s *flow.Stats) []string {
	lines := []string{
		p.Name + " :: " + p.Type,
		fmt.Sprintf("%s steps%s, %s each when busy", Grouped(p.Steps), ofTotal(p), Duration(p.Busy/time.Duration(max(p.Steps, 1)))),
		fmt.Sprintf("busy %s, waiting %s of %s", percent(p.Busy, s.Wall), percent(p.Blocked, s.Wall), Duration(s.Wall)),
	}
	if waits := j.blockedOn(s.Wall); waits != none {
		lines = append(lines, "waited most for "+waits)
	}
	for i := range s.Edges {
		if e := &s.Edges[i]; processOf(e.From) == p.Name || processOf(e.To) == p.Name {
			lines = append(lines, fmt.Sprintf("%s  %s of %s, highest %s, %s taken, %s dropped",
				edgeName(e), Grouped(e.Left), room(e.Capacity), Grouped(e.High), Grouped(e.Taken), Grouped(e.Dropped)))
		}
	}
	return lines
}

// ofTotal is how many steps a process will do, where it knows.
func ofTotal(p *flow.ProcessStats) string {
	if p.Total == 0 {
		return ""
	}
	return fmt.Sprintf(" of %s, %s", Grouped(p.Total), percent(time.Duration(p.Steps), time.Duration(p.Total)))
}

func edgeTable(now, before *flow.Stats) Section {
	t := Section{}
	for i := range now.Edges {
		e := &now.Edges[i]
		var old flow.EdgeStats
		if i < len(before.Edges) {
			old = before.Edges[i]
		}
		fill := fmt.Sprintf("%s of %s", Grouped(e.Left), room(e.Capacity))
		if e.Dropped > 0 {
			fill += fmt.Sprintf(", %s dropped", Grouped(e.Dropped))
		}
		per := Quantity(rate(e.Taken-min(old.Taken, e.Taken), now.Wall-before.Wall)) + "/s"
		t.Rows = append(t.Rows, Row{Name: edgeName(e), Cells: []string{edgeName(e), bar(e.Left, e.Capacity), fill, per}})
	}
	return t
}

// bar draws how full an edge is; one without limit is never full.
func bar(n uint64, capacity int) string {
	cells := 0
	if capacity > 0 {
		cells = min(barWidth, int((n*barWidth+uint64(capacity)-1)/uint64(capacity)))
	}
	return strings.Repeat(filled, cells) + strings.Repeat(free, barWidth-cells)
}

// Line is the run in one line: its state, for how long it has been going on, and
// what flows.
func Line(now, before *flow.Stats) string {
	n := taken(now)
	per := rate(n-min(taken(before), n), now.Wall-before.Wall)
	text := fmt.Sprintf("%s, %s: %s data, %s/s", now.State, Duration(now.Wall.Round(10*time.Millisecond)), Grouped(n), Quantity(per))
	if d := dropped(now); d > 0 {
		text += fmt.Sprintf(", %s dropped", Grouped(d))
	}
	if rest, known := now.Rest(); known {
		text += ", about " + seconds(rest) + " left"
	}
	return text
}
