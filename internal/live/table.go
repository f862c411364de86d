package live

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
)

// Table returns the figures of a whole run, as wide as a terminal, or as wide as needed if width is 0: how each process spent its time, and how full
// the edges were. The last line has the state of the run, unless it finished.
func Table(f *figures.Figures, width int) string {
	processes := Section{
		Head: []string{"process", siteHead(f), "steps", "in/s", "out/s", "busy", "blocked on", "drops"},
		Columns: []columns.Column{
			{Kind: columns.Name}, {Kind: columns.Name}, {Kind: columns.Figure}, {Kind: columns.Figure}, {Kind: columns.Figure}, {Kind: columns.Figure},
			{Kind: columns.Name}, {Kind: columns.Figure},
		},
	}
	for i := range f.Processes {
		p := &f.Processes[i]
		drops := quantity.None
		if p.HasIn {
			drops = quantity.Number(p.Dropped)
		}
		processes.Rows = append(processes.Rows, Row{Cells: []string{
			p.Name, p.Site, quantity.Short(float64(p.Steps)), rateCell(p.HasIn, p.In), rateCell(p.HasOut, p.Out), quantity.Share(p.Busy), waitCell(p), drops,
		}})
	}
	var b strings.Builder
	processes.Write(&b, width)
	edges := Section{Columns: columns.Of(columns.Name, columns.Text, columns.Text, columns.Text)}
	for i := range f.Edges {
		e := &f.Edges[i]
		edges.Rows = append(edges.Rows, Row{Cells: []string{
			"edge " + edgeName(e), "capacity " + room(e.Capacity), "high " + quantity.Number(e.High), fmt.Sprintf("mean %.0f", math.Round(e.Mean)),
		}})
	}
	edges.Write(&b, width)
	if slices.ContainsFunc(f.Sites, func(site flow.SiteStats) bool { return site.State != "ended" }) {
		siteTable(f).Write(&b, width)
	}
	if p := f.Bottleneck(); p != nil {
		line := fmt.Sprintf("bottleneck: %s, busy %s of the time", visible.Line(p.Name), quantity.Share(p.Busy))
		b.WriteString(strings.Join(columns.Wrap(line, width, 2), "\n") + "\n")
	}
	if f.State != flow.Finished {
		b.WriteString(string(f.State) + ": ")
	}
	b.WriteString(Total(f) + "\n")
	for _, line := range f.Errors {
		b.WriteString(strings.Join(columns.Wrap(visible.Line(line), width, 2), "\n") + "\n")
	}
	return b.String()
}

// Total returns a run in one line.
func Total(f *figures.Figures) string {
	over := ""
	if len(f.Edges) > 1 {
		over = fmt.Sprintf(" over %d edges", len(f.Edges))
	}
	text := fmt.Sprintf("%s data%s in %s", quantity.Number(f.Taken), over, quantity.Duration(f.Wall))
	if f.Dropped > 0 {
		text += fmt.Sprintf(", %s dropped", quantity.Number(f.Dropped))
	}
	return text
}

func edgeName(e *figures.Edge) string { return e.From + " → " + e.To }

func room(capacity int) string {
	if capacity == 0 {
		return "unlimited"
	}
	return quantity.Number(capacity)
}
