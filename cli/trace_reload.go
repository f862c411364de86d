package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/runs/traced"
)

func (a *app) traceReloadVerb() *cobra.Command {
	var ask traced.Reload
	cmd := &cobra.Command{
		Use:   "reload [RUN] [FILE]",
		Short: "Change what a running program traces",
		Long: "Reads a trace configuration over the one in force, shows what changes, and makes it take effect on all threads\n" +
			"of the program, without a pause. RUN is the process id of `pentode trace run`; without it the one whose script\n" +
			"calls this is meant, else the newest. Windows that had ended begin anew, and a pause is over.\n" +
			"Without FILE the run's own file is read again. A file with errors changes nothing.",
		Example: examples("pentode trace reload", "pentode trace reload --dry-run 4711 trace_config.txt"),
		Args:    cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			pid, args, err := tracingProcess(args)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				if ask.File, err = filepath.Abs(args[0]); err != nil {
					return err
				}
			}
			ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
			defer stop()
			changes, err := ask.Send(ctx, pid)
			if err != nil {
				return err
			}
			for _, c := range changes {
				fmt.Fprintln(a.out, c)
			}
			if len(changes) == 0 {
				fmt.Fprintln(a.err, "nothing changes")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&ask.DryRun, "dry-run", false, "only show what would change")
	cmd.Flags().BoolVar(&ask.Replace, "replace", false, "forget what was set before, instead of reading over it")
	return cmd
}

// tracingProcess reads `[RUN] [FILE]`: the process that traces a program, 0 for the newest, and
// the arguments that are left.
func tracingProcess(args []string) (int, []string, error) {
	if len(args) > 0 && strings.Trim(args[0], "0123456789") == "" {
		pid, err := strconv.Atoi(args[0])
		if err != nil {
			return 0, nil, fmt.Errorf("there is no process `%s`", args[0])
		}
		return pid, args[1:], nil
	}
	if len(args) == 2 {
		return 0, nil, fmt.Errorf("a run is the process id of `pentode trace run`, not `%s`", args[0])
	}
	return 0, args, nil
}
