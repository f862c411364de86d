package cli

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs"
)

func (a *app) launchListVerb() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the runs that are known, the newest last",
		Example: examples("pentode launch list", "pentode launch list --format json"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			base, err := control.StateDir(os.Getenv)
			if err != nil {
				return err
			}
			all, err := state.List(base)
			if err != nil {
				return err
			}
			all = slices.DeleteFunc(all, func(d *state.Dir) bool { return !isLaunch(d.Run) })
			return a.launchList(all, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	return cmd
}

// jsonRun is a run in `launch list --format json`.
type jsonRun struct {
	Run       string    `json:"run"`
	State     string    `json:"state"` // running, over, abandoned
	Started   time.Time `json:"started"`
	Directory string    `json:"directory"`
	Path      string    `json:"path"`
	Nodes     int       `json:"nodes"`
}

func (a *app) launchList(all []*state.Dir, format string) error {
	runs := make([]jsonRun, len(all))
	for i, d := range all {
		runs[i] = jsonRun{d.Run.ID, runState(d), d.Run.Started, d.Run.Directory, d.Path, len(d.Run.Nodes)}
	}
	if format == "json" {
		return a.json(struct {
			Version int       `json:"version"`
			Runs    []jsonRun `json:"runs"`
		}{1, runs})
	}
	if len(runs) == 0 {
		fmt.Fprintln(a.err, "no run is known")
		return nil
	}
	rows := [][]string{{"run", "state", "started", "nodes", "directory"}}
	for _, r := range runs {
		rows = append(rows, []string{r.Run, r.State, r.Started.Local().Format(time.DateTime), fmt.Sprint(r.Nodes), r.Directory})
	}
	a.columns(rows)
	return nil
}

// runState is what `status` and `list` call the state of a run.
func runState(d *state.Dir) string {
	switch {
	case d.Over():
		return "over"
	case d.Supervised():
		return "running"
	}
	return "abandoned"
}

func (a *app) launchPruneVerb() *cobra.Command {
	var keep int
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete finished runs with their logs, but for the newest",
		Long: "Delete the state, the logs and the records of finished runs, but for the newest ones. A run that goes on, whose\n" +
			"supervisor has died and left programs, or that has a tag stays. Every `run` does the same at its end.",
		Example: examples("pentode launch prune", "pentode launch prune --keep 0"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if keep < 0 {
				return fmt.Errorf("--keep takes a number from 0, not `%d`", keep)
			}
			base, err := control.StateDir(os.Getenv)
			if err != nil {
				return err
			}
			gone, err := state.Prune(base, keep)
			for _, d := range gone {
				fmt.Fprintln(a.out, d.Run.ID)
			}
			fmt.Fprintf(a.err, "%s deleted\n", count(len(gone), "run", "runs"))
			return err
		},
	}
	cmd.Flags().IntVar(&keep, "keep", runs.KeptRuns, "how many finished runs stay")
	return cmd
}
