package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/launch"
)

// exitTimeout is the exit code of what was not so in time, as timeout(1) has it.
const exitTimeout = 124

func (a *app) launchWaitVerb() *cobra.Command {
	var what string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "wait [RUN] [NODE]",
		Short: "Wait until the programs of a run are ready, or until it is over",
		Long: "Waits until the programs of a run are ready, or have ended well already, or until the run is over; with a node, until that one is.\n" +
			"Exit: 0 ready, 1 never (a program has failed or was not started, or the supervisor has died), 124 not in time; with --for end the code of the run or of the node.",
		Example: examples("pentode run --detach examples/heat && pentode launch wait", "pentode launch wait --for end --timeout 5m"),
		Args:    cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			d, node, err := findRun(args)
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			if timeout > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, timeout)
				defer cancel()
			}
			code := exitOK
			if what == "ready" {
				err = launch.WaitReady(ctx, d, node)
			} else {
				code, err = launch.WaitEnd(ctx, d, node)
			}
			switch never := launch.NeverError(""); {
			case errors.As(err, &never):
				fmt.Fprintln(a.err, never)
				return exitCode(exitNo)
			case errors.Is(err, context.DeadlineExceeded):
				fmt.Fprintf(a.err, "not in %s\n", timeout)
				return exitCode(exitTimeout)
			case err != nil:
				return interrupted(ctx, err)
			case code != exitOK:
				return exitCode(code)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&what, "for", "ready", "`ready|end`")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "wait no longer than this `DURATION` (default any time)")
	return cmd
}

func (a *app) launchExecVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "exec [RUN] NODE -- COMMAND [ARG...]",
		Short: "Run a command as a program of a run is: on its host, in its folder, with its variables",
		Long: "Runs a command beside a program of a run that goes on: on its host, in its folder, with its variables, limits and user.\n" +
			"Exit: that of the command; 126 or 127 where it cannot be started.",
		Example: examples("pentode launch exec solver -- env", "pentode launch exec solver -- sh -c 'ls -l /proc/self/cwd'"),
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if dash < 1 || dash == len(args) {
				return errors.New("give the program, then `--` and the command: `pentode launch exec NODE -- COMMAND`")
			}
			d, node, err := findRun(args[:dash])
			if err != nil {
				return err
			}
			if node == "" {
				return errors.New("give the program beside which the command runs; `pentode launch status` lists them")
			}
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			beside, err := launch.Beside(ctx, d, node, args[dash:])
			if start := (*launch.StartError)(nil); errors.As(err, &start) {
				fmt.Fprintf(a.err, "pentode: %s\n", start.Message)
				return exitCode(start.Code)
			}
			if err != nil {
				return err
			}
			return a.runBeside(beside)
		},
	}
}

// runBeside runs a command with our streams; signals of the terminal are for it.
func (a *app) runBeside(cmd *exec.Cmd) error {
	signal.Ignore(os.Interrupt)
	defer signal.Reset(os.Interrupt)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.exact(), a.err
	err := cmd.Run()
	ended := (*exec.ExitError)(nil)
	switch {
	case errors.As(err, &ended):
		return exitCode(launch.ExitOf(ended.ProcessState))
	case err != nil:
		return fmt.Errorf("`%s` cannot be started in `%s`", cmd.Path, cmd.Dir)
	}
	return nil
}
