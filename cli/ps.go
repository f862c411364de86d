package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/registry"
)

func (a *app) psVerb() *cobra.Command {
	var as format
	var all bool
	cmd := &cobra.Command{
		Use:   "ps [RUN]",
		Short: "List live runs with their programs, pipeline processes or ranks",
		Long: "Lists live runs, each with its programs or the processes of its pipeline: their state, their load, and what they wait\n" +
			"for. With --all it lists ended runs too. RUN shows only that run, live or ended.",
		Example: examples("pentode ps", "pentode ps --all --format json"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			known, err := registry.Here()
			if err != nil {
				return err
			}
			list, err := asked(known, args, all)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			seen := make([]jsonRun, 0, len(list))
			for _, r := range list {
				seen = append(seen, look(ctx, known, r))
			}
			if as == asJSON {
				return a.json(jsonRuns{1, seen})
			}
			if len(seen) == 0 && all {
				fmt.Fprintln(a.err, "no run is known")
			} else if len(seen) == 0 {
				fmt.Fprintln(a.err, "nothing is running; `pentode ps --all` also lists ended runs")
			}
			return a.buffered(func() error { return a.running(seen) })
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "also list ended runs")
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "`text|json`")
	return a.wideFlag(cmd)
}

// jsonRuns is the output of `ps --format json`.
type jsonRuns struct {
	Version int       `json:"version"`
	Runs    []jsonRun `json:"runs"`
}

// jsonRun is a run in jsonRuns.
type jsonRun struct {
	Run       string              `json:"run"`
	State     string              `json:"state"` // running, paused, over, abandoned, does not answer
	Started   time.Time           `json:"started"`
	Directory string              `json:"directory"`
	Path      string              `json:"path"` // the folder with its state
	Nodes     []launch.Status     `json:"nodes"`
	Processes []flow.ProcessStats `json:"processes"` // of a live pipeline

	figures figures.Figures
}

// asked returns the runs to list: the named ones, the live ones, or all.
func asked(known registry.Registry, names []string, all bool) ([]*registry.Run, error) {
	list, err := known.List()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		kept := list[:0]
		for _, r := range list {
			if all || r.Phase() != "over" {
				kept = append(kept, r)
			}
		}
		return kept, nil
	}
	var ids []string
	for _, r := range list {
		if r.ID == names[0] {
			return []*registry.Run{r}, nil
		}
		ids = append(ids, r.ID)
	}
	return nil, fmt.Errorf("there is no run `%s`%s; `pentode ps --all` lists them", names[0], near(names[0], ids))
}

// look asks a run for its current state.
func look(ctx context.Context, known registry.Registry, r *registry.Run) jsonRun {
	seen := jsonRun{Run: r.ID, State: r.Phase(), Started: r.Started, Directory: r.Folder, Path: filepath.Join(known.Dir, r.ID), Nodes: []launch.Status{}, Processes: []flow.ProcessStats{}}
	d := r.State
	if d == nil {
		return seen
	}
	seen.Directory = d.Run.Directory
	if registry.IsPlan(d.Run) {
		phase, nodes, err := launch.Observe(ctx, d)
		if err != nil { // the other runs are still shown
			phase = "does not answer"
		}
		seen.State, seen.Nodes = phase, append(seen.Nodes, nodes...)
		return seen
	}
	if seen.State == "over" {
		return seen
	}
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	var now flow.Stats
	switch err := (registry.Client{Dir: d}).Call(ctx, steer.MethodStats, nil, &now); {
	case errors.Is(err, context.DeadlineExceeded):
		seen.State = "does not answer"
	case err != nil: // it has ended in the meantime
		seen.State = "over"
	default:
		seen.State, seen.Processes, seen.figures = string(now.State), append(seen.Processes, now.Processes...), figures.Of(&now)
	}
	return seen
}

// answerLimit is how long `ps` waits for the answer of one pipeline, because a pipeline stopped by a signal
// does not answer.
const answerLimit = time.Second

// running prints runs, each with a table of its programs or processes.
func (a *app) running(list []jsonRun) error {
	for i, r := range list {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		a.line("run %s, %s, since %s, in %s", r.Run, r.State, r.Started.Local().Format(time.DateTime), r.Directory)
		if r.State == "abandoned" {
			fmt.Fprintf(a.err, "the supervisor of run %s has died; `pentode stop %[1]s` ends what it left\n", r.Run)
		}
		var err error
		switch {
		case len(r.Nodes) > 0:
			err = launch.WriteStatus(a.out, r.Nodes, time.Now(), a.room())
		case len(r.Processes) > 0:
			_, err = io.WriteString(a.out, live.Table(&r.figures, a.room()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *app) logsVerb() *cobra.Command {
	var q state.Query
	var since, grep, format string
	var stamped bool
	cmd := &cobra.Command{
		Use:   "logs [RUN] [NODE]",
		Short: "Print the output of a run's programs",
		Long: "Prints the output of the programs of a run, each line after the name of its program. With NODE it prints the output of one program\n" +
			"unchanged, first its standard output, then its standard error; with --since, --grep, --time or --format json, its lines by time.",
		Example: examples("pentode logs --follow solver", "pentode logs --since 10m --grep 'error|warning' --format json"),
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
			return withPlan(args, func(ctx context.Context, d *state.Dir, node string) error {
				q.Node = node
				return d.Logs(ctx, a.exact(), q)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&q.Follow, "follow", "f", false, "continue until the run is over")
	f.StringVar(&since, "since", "", "print only lines since this `TIME`: how long ago, such as 10m, or when, such as 14:30 or 2026-03-04T14:30:00Z")
	f.StringVar(&grep, "grep", "", "print only lines that match this `REGEXP`")
	f.BoolVar(&stamped, "time", false, "print the time before each line")
	f.StringVar(&format, "format", "text", "`text|json`; json is an object on each line: time, node, stream, text")
	return cmd
}

// parseSince parses a duration before now, a time of today, or a date and a time. Without a time zone, the time
// is local.
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
