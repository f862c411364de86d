package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/compare"
	"github.com/pentode-dev/pentode/runs/origin"
	"github.com/pentode-dev/pentode/runs/record"
)

func (a *app) rerunVerb() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "rerun RUN|FILE",
		Short: "Run what a record says once more, and compare the results",
		Long: "Run once more what a record says, with its files as they were, whatever became of them, and compare the results. A file stands for\n" +
			"the run that made it. What is not as it was is said first: programs, the machine, inputs. Without --out the results\n" +
			"are deleted where they are equal.\n" +
			"Exit: 0 equal but for what was measured, 1 not.",
		Example:           examples("pentode rerun newest", "pentode rerun --out again newest"),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: recordWords,
		RunE: func(_ *cobra.Command, names []string) error {
			store, err := record.Here()
			if err != nil {
				return err
			}
			var r *record.Record
			if info, missing := os.Stat(names[0]); missing == nil && info.Mode().IsRegular() {
				if r, err = origin.RunOf(store, names[0]); err != nil {
					return a.no(err)
				}
			} else if r, err = a.recordOf(store, names, 0); err != nil {
				return err
			}
			return a.rerunRecord(store, r, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "leave the results in `DIR`, which must not exist")
	return cmd
}

func (a *app) rerunRecord(store record.Store, r *record.Record, out string) error {
	scratch := ""
	if out == "" {
		var err error
		if scratch, err = os.MkdirTemp("", "pentode-rerun-"); err != nil {
			return err
		}
		out = filepath.Join(scratch, "results")
	} else if _, err := os.Lstat(out); err == nil {
		return fmt.Errorf("`%s` exists already; name another folder with --out", out)
	}
	keep := false
	defer func() {
		if !keep && scratch != "" {
			_ = os.RemoveAll(scratch) // it lies where temporary files do
		}
	}()
	again, err := runs.NewRerun(store, r, runs.NewWorkspace(a.options.Types...), out)
	if err != nil {
		return a.no(err)
	}
	defer again.Close()
	for _, now := range again.Now {
		fmt.Fprintln(a.err, "now: "+now)
	}
	made, err := again.Run(a.program(), runs.Options{In: a.in, Out: visible.Below(a.out), Log: visible.Below(a.err)})
	if err != nil {
		return a.no(err)
	}
	d := compare.Runs(r, made, nil)
	if d.SameResults() && made.Exit == r.Exit {
		fmt.Fprintf(a.out, "equal: %s as in run %s\n", count(len(r.Results), "result", "results"), r.ID)
		return nil
	}
	keep = true
	if made.Exit != r.Exit {
		fmt.Fprintf(a.out, "exit code %d, and it was %d\n", made.Exit, r.Exit)
	}
	a.printDiff(d)
	fmt.Fprintf(a.err, "the results of this run are in %s\n", out)
	return exitCode(exitNo)
}
