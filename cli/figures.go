package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
)

// figures prints what --stats asks for: `json` are the counts of a run with the figures
// that the table shows.
func (a *app) figures(stats *flow.Stats, as string) error {
	f := figures.Of(stats)
	var err error
	switch as {
	case "": // nothing is asked for
	case "json":
		err = a.json(struct {
			*flow.Stats
			Figures figures.Figures `json:"figures"`
		}{stats, f})
	default:
		_, err = io.WriteString(a.out, live.Table(&f)+errorLines(stats))
	}
	if err != nil {
		return fmt.Errorf("the figures cannot be written: %w", flow.Reason(err))
	}
	return nil
}

// totalOf is a run in one line.
func totalOf(stats *flow.Stats) string {
	f := figures.Of(stats)
	return live.Total(&f)
}

// errorLines list the data that are errors, port by port.
func errorLines(stats *flow.Stats) string {
	var b strings.Builder
	for i := range stats.Processes {
		for _, e := range stats.Processes[i].Errors {
			fmt.Fprintf(&b, "%s of output %s.%s: %s\n", count(int(e.Count), "error", "errors"), stats.Processes[i].Name, e.Port, strings.Join(e.Reasons, "; "))
		}
	}
	return b.String()
}
