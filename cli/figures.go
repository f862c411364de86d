package cli

import (
	"io"

	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
)

// figures prints a whole run: `json` are its counts with the figures that the table
// shows.
func (a *app) figures(stats *flow.Stats, format string) error {
	f := figures.Of(stats)
	if format == "json" {
		return a.json(struct {
			*flow.Stats
			Figures figures.Figures `json:"figures"`
		}{stats, f})
	}
	_, err := io.WriteString(a.out, live.Table(&f))
	return err
}

// total is a run in one line.
func total(stats *flow.Stats) string {
	f := figures.Of(stats)
	return live.Total(&f)
}
