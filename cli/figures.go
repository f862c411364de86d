package cli

import (
	"fmt"
	"io"

	"github.com/pentode-dev/pentode/core/problem"
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
		_, err = io.WriteString(a.out, live.Table(&f))
	}
	if err != nil {
		return fmt.Errorf("the figures cannot be written: %w", problem.Reason(err))
	}
	return nil
}

// totalOf is a run in one line.
func totalOf(stats *flow.Stats) string {
	f := figures.Of(stats)
	return live.Total(&f)
}
