package cli

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/registry"
)

func (a *app) launchListVerb() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the runs that are known, the newest last",
		Example: examples("pentode launch list", "pentode launch list --format json"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			known, err := registry.Here()
			if err != nil {
				return err
			}
			all, err := known.List()
			if err != nil {
				return err
			}
			return a.launchList(known, all, format)
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

func (a *app) launchList(known registry.Registry, all []*registry.Run, format string) error {
	runs := make([]jsonRun, len(all))
	for i, r := range all {
		runs[i] = jsonRun{r.ID, r.Phase(), r.Started, r.Folder, filepath.Join(known.Dir, r.ID), 0}
		if r.State != nil {
			runs[i].Directory, runs[i].Nodes = r.State.Run.Directory, len(r.State.Run.Nodes)
		}
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

func (a *app) launchPruneVerb() *cobra.Command {
	var keep int
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete finished runs with their logs, but for the newest",
		Long: "Delete the state and the logs of finished runs, but for the newest ones; their records stay, until `pentode runs rm`. A run that\n" +
			"goes on, whose supervisor has died and left programs, or that has a tag stays. Every `run` does the same at its end.",
		Example: examples("pentode launch prune", "pentode launch prune --keep 0"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if keep < 0 {
				return fmt.Errorf("--keep takes a number from 0, not `%d`", keep)
			}
			known, err := registry.Here()
			if err != nil {
				return err
			}
			gone, err := known.Prune(keep)
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
