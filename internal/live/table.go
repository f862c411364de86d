package live

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/columns"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
)

// Table is the figures of a whole run: where time went, process by process,
// and how full the edges were. The last line has its state, unless it finished.
func Table(f *figures.Figures) string {
	rows := [][]string{{"process", siteHead(f), "steps", "in/s", "out/s", "busy", "blocked on", "drops"}}
	for i := range f.Processes {
		p := &f.Processes[i]
		drops := none
		if p.HasIn {
			drops = Grouped(p.Dropped)
		}
		rows = append(rows, []string{p.Name, p.Site, Quantity(float64(p.Steps)), rateCell(p.HasIn, p.In), rateCell(p.HasOut, p.Out), percent(p.Busy), waitCell(p), drops})
	}
	var b strings.Builder
	columns.Write(&b, rows, "   ")
	rows = rows[:0]
	for i := range f.Edges {
		e := &f.Edges[i]
		rows = append(rows, []string{"edge " + edgeName(e), "capacity " + room(e.Capacity),
			"high " + Grouped(e.High), fmt.Sprintf("mean %.0f", math.Round(e.Mean))})
	}
	columns.Write(&b, rows, "   ")
	if slices.ContainsFunc(f.Sites, func(site flow.SiteStats) bool { return site.State != "ended" }) {
		columns.Write(&b, siteTable(f).Cells(), "   ")
	}
	if p := f.Bottleneck(); p != nil {
		fmt.Fprintf(&b, "bottleneck: %s, at work %s of the time\n", visible.Line(p.Name), percent(p.Busy))
	}
	if f.State != flow.Finished {
		b.WriteString(string(f.State) + ": ")
	}
	b.WriteString(Total(f) + "\n")
	for _, line := range f.Errors {
		b.WriteString(visible.Line(line) + "\n")
	}
	return b.String()
}

// Total is a run in one line.
func Total(f *figures.Figures) string {
	over := ""
	if len(f.Edges) > 1 {
		over = fmt.Sprintf(" over %d edges", len(f.Edges))
	}
	text := fmt.Sprintf("%s data%s in %s", Grouped(f.Taken), over, Duration(f.Wall))
	if f.Dropped > 0 {
		text += fmt.Sprintf(", %s dropped", Grouped(f.Dropped))
	}
	return text
}

func edgeName(e *figures.Edge) string { return e.From + " → " + e.To }

func room(capacity int) string {
	if capacity == 0 {
		return "unlimited"
	}
	return Grouped(uint64(capacity))
}
