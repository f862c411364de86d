package cli

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/launch/state"
)

func (a *app) launchLogsVerb() *cobra.Command {
	var q state.Query
	var since, grep, format string
	var stamped bool
	cmd := &cobra.Command{
		Use:   "logs [RUN] [NODE]",
		Short: "Print what the programs of a run have written",
		Long: "Prints what the programs of a run have written, each line behind the name of its program. Of one program it prints exactly what that has written, first its\n" +
			"output, then its errors; with --since, --grep, --time or --format json, its lines in the order in which they came.",
		Example: examples("pentode launch logs --follow solver", "pentode launch logs --since 10m --grep 'error|warning' --format json"),
		Args:    cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			switch {
			case format == "json":
				q.Form = state.JSON
			case stamped:
				q.Form = state.Stamped
			}
			if cmd.Flags().Changed("since") {
				if q.Since, err = parseSince(since, time.Now()); err != nil {
					return err
				}
			}
			if cmd.Flags().Changed("grep") {
				if q.Grep, err = regexp.Compile(grep); err != nil {
					return fmt.Errorf("--grep: `%s` is not a regular expression: %s", grep, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
				}
			}
			return withRun(args, func(ctx context.Context, d *state.Dir, node string) error {
				q.Node = node
				return d.Logs(ctx, a.exact(), q)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&q.Follow, "follow", "f", false, "go on until the run is over")
	f.StringVar(&since, "since", "", "only lines from this `TIME` on: how long ago, such as 10m, or when, such as 14:30 or 2026-03-04T14:30:00Z")
	f.StringVar(&grep, "grep", "", "only lines that match this `REGEXP`")
	f.BoolVar(&stamped, "time", false, "print before each line when it came")
	f.StringVar(&format, "format", "text", "`text|json`; of json an object on each line: time, node, stream, text")
	return cmd
}

// parseSince reads a time: how long ago it was, a time of today, or a date and a time. Without a zone it
// is that of this machine.
func parseSince(text string, now time.Time) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	text = strings.Replace(text, "T", " ", 1)
	for _, form := range []string{time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return t, nil
		}
	}
	for _, form := range []string{time.TimeOnly, "15:04"} {
		if t, err := time.Parse(form, text); err == nil {
			return time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), now.Location()), nil
		}
	}
	return time.Time{}, fmt.Errorf("--since takes how long ago, such as 10m, or when, such as 14:30 or 2026-03-04T14:30:00Z, not `%s`", text)
}
