package live

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Pipeline returns a function that takes pictures of a pipeline. It computes rates from one picture to the next.
func Pipeline(snapshot func() flow.Stats) func() Picture {
	var follower figures.Follower
	return func() Picture {
		now := snapshot()
		latest, whole := follower.Add(now), figures.Of(&now)
		return PipelinePicture(&latest, &whole)
	}
}

// PipelinePicture returns the picture of a pipeline with its latest figures: the processes, with the bottleneck first, and the content of its edges.
// The details of a process are about the whole run.
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
		Head: []string{"process", siteHead(latest), "steps", "in/s", "out/s", "busy", "waits for"},
		Columns: []columns.Column{
			{Kind: columns.Name}, {Keep: 1}, {Kind: columns.Figure, Keep: 4}, {Kind: columns.Figure, Keep: 2}, {Kind: columns.Figure, Keep: 3},
			{Kind: columns.Figure, Keep: 6}, {Kind: columns.Name, Keep: 5},
		},
	}
	edges := edgeLines(whole)
	for i := range latest.Processes {
		p := &latest.Processes[i]
		busy, waits := quantity.Share(p.Busy), waitCell(p)
		if p.Done {
			busy, waits = "done", quantity.None
		}
		t.Rows = append(t.Rows, Row{
			Name: p.Name, Hot: p.Bottleneck, Cells: []string{p.Name, p.Site, quantity.Short(float64(p.Steps)), rateCell(p.HasIn, p.In), rateCell(p.HasOut, p.Out), busy, waits},
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

// waitCell returns what a process waits for, and for which share of the time.
func waitCell(p *figures.Process) string {
	if p.Waits == 0 {
		return quantity.None
	}
	return p.On + " " + quantity.Share(p.Waits)
}

func rateCell(has bool, rate float64) string {
	if !has {
		return quantity.None
	}
	return quantity.Short(rate)
}

func processDetail(p *figures.Process, wall time.Duration) []string {
	lines := []string{
		p.Name + " :: " + p.Type,
		fmt.Sprintf("%s steps%s, %s each when busy", quantity.Number(p.Steps), ofTotal(p), quantity.Duration(p.Step)),
		fmt.Sprintf("busy %s, waiting %s of %s", quantity.Share(p.Busy), quantity.Share(p.Blocked), quantity.Duration(wall)),
	}
	if p.Waits > 0 {
		lines = append(lines, "waited most for "+waitCell(p))
	}
	return lines
}

// edgeLines returns the edges of each process, one per line.
func edgeLines(f *figures.Figures) map[string][]string {
	lines := map[string][]string{}
	for i := range f.Edges {
		e := &f.Edges[i]
		line := fmt.Sprintf("%s  %s of %s, highest %s, %s taken, %s dropped",
			edgeName(e), quantity.Number(e.Held), room(e.Capacity), quantity.Number(e.High), quantity.Number(e.Taken), quantity.Number(e.Dropped))
		from, to := pipe.ParsePortRef(e.From).Process, pipe.ParsePortRef(e.To).Process
		if lines[from] = append(lines[from], line); to != from {
			lines[to] = append(lines[to], line)
		}
	}
	return lines
}

// roughly returns a duration rounded to seconds.
func roughly(d time.Duration) string {
	return quantity.Duration(max(d.Round(time.Second), time.Second))
}

// ofTotal says how many steps a process will do, if it knows.
func ofTotal(p *figures.Process) string {
	if p.Total == 0 {
		return ""
	}
	return fmt.Sprintf(" of %s, %s", quantity.Number(p.Total), quantity.Share(float64(p.Steps)/float64(p.Total)))
}

func edgeTable(f *figures.Figures) Section {
	t := Section{Columns: []columns.Column{{Kind: columns.Name}, {Keep: 2}, {Kind: columns.Line, Keep: 3}, {Kind: columns.Figure, Keep: 1}}}
	for i := range f.Edges {
		e := &f.Edges[i]
		fill := fmt.Sprintf("%s of %s", quantity.Number(e.Held), room(e.Capacity))
		if e.Dropped > 0 {
			fill += fmt.Sprintf(", %s dropped", quantity.Number(e.Dropped))
		}
		full := e.Level == figures.Full || e.Level == figures.Drops
		t.Rows = append(t.Rows, Row{Name: edgeName(e), Full: full, Cells: []string{edgeName(e), bar(e.Fill), fill, quantity.Short(e.Rate) + "/s"}})
	}
	return t
}

// bar draws how full an edge is, with at least one cell if the edge holds data.
func bar(fill float64) string {
	cells := int(math.Ceil(fill * barWidth))
	return strings.Repeat(filled, cells) + strings.Repeat(free, barWidth-cells)
}

// Line returns the run in one line: its state, its duration, and the flow of data.
func Line(f *figures.Figures) string {
	text := fmt.Sprintf("%s, %s: %s data, %s/s", f.State, quantity.Duration(f.Wall.Round(10*time.Millisecond)), quantity.Number(f.Taken), quantity.Short(f.Rate))
	if f.Dropped > 0 {
		text += fmt.Sprintf(", %s dropped", quantity.Number(f.Dropped))
	}
	if f.Rest > 0 {
		text += ", about " + roughly(f.Rest) + " left"
	}
	return text
}
