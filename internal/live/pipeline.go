package live

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Pipeline looks at a pipeline, and follows its figures from look to look.
func Pipeline(snapshot func() flow.Stats) func() Picture {
	var follower figures.Follower
	return func() Picture {
		now := snapshot()
		latest, whole := follower.Add(now), figures.Of(&now)
		return PipelinePicture(&latest, &whole)
	}
}

// PipelinePicture is a pipeline in its latest figures: the processes, the bottleneck
// first, and what its edges hold. What there is to say about a process alone is about
// the whole run.
func PipelinePicture(latest, whole *figures.Figures) Picture {
	p := Picture{
		Summary: Line(latest), Over: latest.State.Ended(), Paused: latest.State == flow.Paused,
		Sections: []Section{processTable(latest, whole), edgeTable(latest)},
	}
	if len(latest.Sites) > 0 {
		p.Sections = append(p.Sections, siteTable(latest))
	}
	return p
}

func processTable(latest, whole *figures.Figures) Section {
	t := Section{
		Head:    []string{"process", siteHead(latest), "steps", "in/s", "out/s", "busy", "waits for"},
		Columns: []Column{{Text: true}, {Keep: 1}, {Keep: 4}, {Keep: 2}, {Keep: 3}, {Keep: 6}, {Keep: 5, Text: true}},
	}
	edges := edgeLines(whole)
	for i := range latest.Processes {
		p := &latest.Processes[i]
		busy, waits := percent(p.Busy), waitCell(p)
		if p.Done {
			busy, waits = "done", none
		}
		t.Rows = append(t.Rows, Row{
			Name: p.Name, Hot: p.Bottleneck, Cells: []string{p.Name, p.Site, Quantity(float64(p.Steps)), rateCell(p.HasIn, p.In), rateCell(p.HasOut, p.Out), busy, waits},
			Detail: append(processDetail(&whole.Processes[i], whole.Wall), edges[p.Name]...),
		})
	}
	slices.SortStableFunc(t.Rows, func(a, b Row) int { return cmp.Compare(heat(b), heat(a)) })
	return t
}

func heat(r Row) int {
	if r.Hot {
		return 1
	}
	return 0
}

// waitCell is what a process waits for, and how much of the time.
func waitCell(p *figures.Process) string {
	if p.Waits == 0 {
		return none
	}
	return p.On + " " + percent(p.Waits)
}

func rateCell(has bool, rate float64) string {
	if !has {
		return none
	}
	return Quantity(rate)
}

func processDetail(p *figures.Process, wall time.Duration) []string {
	lines := []string{
		p.Name + " :: " + p.Type,
		fmt.Sprintf("%s steps%s, %s each when busy", Grouped(p.Steps), ofTotal(p), Duration(p.Step)),
		fmt.Sprintf("busy %s, waiting %s of %s", percent(p.Busy), percent(p.Blocked), Duration(wall)),
	}
	if p.Waits > 0 {
		lines = append(lines, "waited most for "+waitCell(p))
	}
	return lines
}

// edgeLines are the edges of each process, a line each.
func edgeLines(f *figures.Figures) map[string][]string {
	lines := map[string][]string{}
	for i := range f.Edges {
		e := &f.Edges[i]
		line := fmt.Sprintf("%s  %s of %s, highest %s, %s taken, %s dropped",
			edgeName(e), Grouped(e.Held), room(e.Capacity), Grouped(e.High), Grouped(e.Taken), Grouped(e.Dropped))
		from, to := pipe.ParsePortRef(e.From).Process, pipe.ParsePortRef(e.To).Process
		if lines[from] = append(lines[from], line); to != from {
			lines[to] = append(lines[to], line)
		}
	}
	return lines
}

// ofTotal is how many steps a process will do, where it knows.
func ofTotal(p *figures.Process) string {
	if p.Total == 0 {
		return ""
	}
	return fmt.Sprintf(" of %s, %s", Grouped(p.Total), percent(float64(p.Steps)/float64(p.Total)))
}

func edgeTable(f *figures.Figures) Section {
	t := Section{Columns: []Column{{Text: true}, {Keep: 2}, {Keep: 3, Text: true}, {Keep: 1}}}
	for i := range f.Edges {
		e := &f.Edges[i]
		fill := fmt.Sprintf("%s of %s", Grouped(e.Held), room(e.Capacity))
		if e.Dropped > 0 {
			fill += fmt.Sprintf(", %s dropped", Grouped(e.Dropped))
		}
		full := e.Level == figures.Full || e.Level == figures.Drops
		t.Rows = append(t.Rows, Row{Name: edgeName(e), Full: full, Cells: []string{edgeName(e), bar(e.Fill), fill, Quantity(e.Rate) + "/s"}})
	}
	return t
}

// bar draws how full an edge is: one cell at least where it holds something.
func bar(fill float64) string {
	cells := int(math.Ceil(fill * barWidth))
	return strings.Repeat(filled, cells) + strings.Repeat(free, barWidth-cells)
}

// Line is the run in one line: its state, for how long it has been going on, and
// what flows.
func Line(f *figures.Figures) string {
	text := fmt.Sprintf("%s, %s: %s data, %s/s", f.State, Duration(f.Wall.Round(10*time.Millisecond)), Grouped(f.Taken), Quantity(f.Rate))
	if f.Dropped > 0 {
		text += fmt.Sprintf(", %s dropped", Grouped(f.Dropped))
	}
	if f.Rest > 0 {
		text += ", about " + seconds(f.Rest) + " left"
	}
	return text
}
