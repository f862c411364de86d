package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/launch"
)

// Plan follows the programs of a launch plan. The zero Plan is ready for use.
type Plan struct{ usage Usage }

// Picture returns the programs at one moment. Failed programs stand out.
func (p *Plan) Picture(phase string, nodes []launch.Status, now time.Time) Picture {
	t := Section{
		Head: []string{"program", "state", "host", "pid", "time", "cpu", "cpu time", "memory", "restarts", "note"},
		Columns: []columns.Column{
			{Kind: columns.Name}, {Keep: 9}, {Keep: 3}, {Kind: columns.Figure, Keep: 4}, {Kind: columns.Figure, Keep: 6}, {Kind: columns.Figure, Keep: 8},
			{Kind: columns.Figure, Keep: 2}, {Kind: columns.Figure, Keep: 7}, {Kind: columns.Figure, Keep: 1}, {Kind: columns.Line, Keep: 5},
		},
	}
	going, paused, failed := 0, 0, 0
	for _, n := range nodes {
		state, took, pid := string(n.State), quantity.None, quantity.None
		live := n.State != launch.Ended && n.State != launch.Skipped && n.State != launch.Declared
		if n.Paused {
			state = "paused"
		}
		bad := n.State == launch.Ended && n.Exit.Status() != 0 && n.Note == "" // with a note, it was stopped
		if n.State == launch.Ended {
			state = fmt.Sprintf("ended, %d", n.Exit.Status())
		}
		switch {
		case live && n.Paused:
			going++
			paused++
		case live:
			going++
		case bad:
			failed++
		}
		if !n.Started.IsZero() {
			end := now
			if !n.Ended.IsZero() {
				end = n.Ended
			}
			took = quantity.Duration(end.Sub(n.Started).Round(100 * time.Millisecond))
		}
		if n.Pid != 0 {
			pid = fmt.Sprint(n.Pid)
		}
		share := quantity.None
		if n.Usage != nil && live {
			share = quantity.Share(p.usage.share(n.Pid, n.Usage.CPU, n.Started, now))
		}
		cpu, memory := usageCells(n)
		t.Rows = append(t.Rows, Row{
			Name: n.ID, Hot: bad, Cells: []string{n.ID, state, n.Host, pid, took, share, cpu, memory, fmt.Sprint(n.Restarts), n.Note},
			Detail: planDetail(n, state, took),
		})
	}
	summary := fmt.Sprintf("%s: %d of %d programs run", phase, going, len(nodes))
	if failed > 0 {
		summary += fmt.Sprintf(", %d failed", failed)
	}
	if paused > 0 {
		summary += fmt.Sprintf(", %d paused", paused)
	}
	return Picture{Summary: summary, Over: phase != "running", Paused: going > 0 && paused == going, Sections: []Section{t}}
}

// usageCells returns the processor time of a program, and its memory: the current memory, or the peak of an ended program.
func usageCells(n launch.Status) (cpu, memory string) {
	switch {
	case n.State == launch.Ended:
		return quantity.Duration(n.Exit.User + n.Exit.System), bytesize.Text(n.Exit.PeakKB << 10)
	case n.Usage != nil:
		return quantity.Duration(n.Usage.CPU), bytesize.Text(n.Usage.MemoryKB << 10)
	}
	return quantity.None, quantity.None
}

func planDetail(n launch.Status, state, took string) []string {
	lines := []string{fmt.Sprintf("%s %s on %s", n.Kind, n.ID, n.Host), strings.TrimSpace(state + " " + n.Note)}
	if len(n.Argv) > 0 {
		lines = append(lines, "$ "+launch.QuoteAll(n.Argv))
	}
	if !n.Started.IsZero() {
		lines = append(lines, fmt.Sprintf("started %s, %s ago", n.Started.Local().Format(time.TimeOnly), took))
	}
	if n.State == launch.Ended {
		lines = append(lines, fmt.Sprintf("processor time %s, peak memory %s", quantity.Duration(n.Exit.User+n.Exit.System), bytesize.Text(n.Exit.PeakKB<<10)))
	} else if n.Usage != nil {
		lines = append(lines, fmt.Sprintf("processor time %s, memory %s, at most %s", quantity.Duration(n.Usage.CPU), bytesize.Text(n.Usage.MemoryKB<<10), bytesize.Text(n.Usage.PeakKB<<10)))
	}
	return lines
}
