package live

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/pentode-dev/pentode/run/flow"
)

// barWidth is how many cells show the fill of an edge.
const barWidth = 20

var (
	headStyle  = lipgloss.NewStyle().Bold(true)
	faintStyle = lipgloss.NewStyle().Faint(true)
	calmStyle  = lipgloss.NewStyle().Foreground(lipgloss.Green)
	fullStyle  = lipgloss.NewStyle().Foreground(lipgloss.Red)
)

// frame is one picture of the run: what flows now, in at most so many lines
// and columns. before is the snapshot that rates are counted from.
func frame(title string, now, before *flow.Stats, width, height int) string {
	lines := []string{headStyle.Render(title) + "  " + Line(now, before)}
	var b strings.Builder
	Columns(&b, processRows(now, before), "   ")
	for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		if i == 0 {
			line = faintStyle.Render(line)
		}
		lines = append(lines, line)
	}
	b.Reset()
	Columns(&b, edgeRows(now), "   ")
	lines = append(lines, strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")...)
	if height > 1 && len(lines) > height-1 {
		hidden := len(lines) - (height - 2)
		lines = append(lines[:height-2], faintStyle.Render(fmt.Sprintf("and %d lines more", hidden)))
	}
	for i, line := range lines {
		if width > 0 {
			lines[i] = lipgloss.NewStyle().MaxWidth(width).Render(line)
		}
	}
	return strings.Join(lines, "\n")
}

func processRows(now, before *flow.Stats) [][]string {
	rows := [][]string{{"process", "steps", "in/s", "out/s", "busy"}}
	took := now.Wall - before.Wall
	joints := jointsOf(now)
	for i := range now.Processes {
		p := &now.Processes[i]
		var old flow.ProcessStats
		if i < len(before.Processes) {
			old = before.Processes[i]
		}
		in, out, busy := none, none, "done"
		if j := joints[p.Name]; j.inputs {
			in = Quantity(rate(p.In-min(old.In, p.In), took))
		}
		if j := joints[p.Name]; j.outputs {
			out = Quantity(rate(p.Out-min(old.Out, p.Out), took))
		}
		if !p.Done {
			busy = percent(min(p.Busy-old.Busy, took), took)
		}
		rows = append(rows, []string{p.Name, Quantity(float64(p.Steps)), in, out, busy})
	}
	return rows
}

func edgeRows(s *flow.Stats) [][]string {
	var rows [][]string
	for i := range s.Edges {
		e := &s.Edges[i]
		fill := fmt.Sprintf("%s of %s", Grouped(e.Left), room(e.Capacity))
		if e.Dropped > 0 {
			fill += fmt.Sprintf(", %s dropped", Grouped(e.Dropped))
		}
		rows = append(rows, []string{edgeName(e), bar(e.Left, e.Capacity), fill})
	}
	return rows
}

// bar draws how full an edge is; one without limit is never full.
func bar(n uint64, capacity int) string {
	cells := 0
	if capacity > 0 {
		cells = min(barWidth, int((n*barWidth+uint64(capacity)-1)/uint64(capacity)))
	}
	style := calmStyle
	if cells == barWidth {
		style = fullStyle
	}
	return style.Render(strings.Repeat("█", cells)) + faintStyle.Render(strings.Repeat("░", barWidth-cells))
}

// Line is the run in one line while it goes on.
func Line(now, before *flow.Stats) string {
	n := taken(now)
	per := rate(n-min(taken(before), n), now.Wall-before.Wall)
	text := fmt.Sprintf("%s: %s data, %s/s", Duration(now.Wall.Round(10*time.Millisecond)), Grouped(n), Quantity(per))
	if d := dropped(now); d > 0 {
		text += fmt.Sprintf(", %s dropped", Grouped(d))
	}
	return text
}
