package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/registry"
)

func (a *app) stopVerb() *cobra.Command {
	var after grace
	cmd := &cobra.Command{
		Use:   "stop [RUN] [NODE]",
		Short: "Stop a run or one of its programs, even if its supervisor has died",
		Long: "Stops a run in order: the programs of a launch, or a pipeline, which first processes the data that are under way.\n" +
			"RUN defaults to the newest live run. With NODE it stops that program; a daemon ends after the processes\nunder it.",
		Example: examples("pentode stop", "pentode stop --grace 0 solver"),
		Args:    cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			d, node, err := findRun(args)
			if err == nil && len(args) == 0 && over(d) {
				err = errors.New("there is no live run to stop; `pentode ps --all` also lists ended runs")
			}
			if ended := (*registry.Ended)(nil); errors.As(err, &ended) {
				fmt.Fprintf(a.err, "run %s is over already\n", ended.ID)
				return nil
			}
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			switch {
			case registry.IsPipeline(d.Run):
				err = a.stopPipeline(ctx, registry.Client{Dir: d}, after)
			case node != "":
				err = registry.Client{Dir: d}.Ask(ctx, launch.MethodStop, after.request(node))
			default:
				err = a.stopPlan(ctx, d, after)
			}
			return interrupted(ctx, a.no(err))
		},
	}
	cmd.Flags().Var(&after, "grace", "how long each program has to end before it is killed, a `DURATION`; 0 kills at once (default: the run's own --grace)")
	return cmd
}

// within calls do to stop something, and then kill if do takes longer than the grace time. Without a grace time, it
// waits.
func (g grace) within(ctx context.Context, do, kill func(context.Context) error) error {
	switch {
	case g.kills():
		return kill(ctx)
	case g.time == 0:
		return do(ctx)
	}
	limited, done := context.WithTimeout(ctx, g.time)
	defer done()
	if err := do(limited); limited.Err() == nil || ctx.Err() != nil {
		return err
	}
	return kill(ctx)
}

// over reports whether nothing of a run is left to stop.
func over(d *state.Dir) bool { return d.Over() || registry.IsPipeline(d.Run) && d.Finished() }

// stopPipeline stops a pipeline.
func (a *app) stopPipeline(ctx context.Context, run registry.Client, after grace) error {
	if over(run.Dir) {
		fmt.Fprintf(a.err, "run %s is over already\n", run.Run.ID)
		return nil
	}
	var stats flow.Stats
	ask := func(kill bool) func(context.Context) error {
		return func(ctx context.Context) error {
			return run.Call(ctx, steer.MethodStop, steer.Stop{Kill: kill}, &stats)
		}
	}
	if err := after.within(ctx, ask(false), ask(true)); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "%s was stopped: %s\n", filepath.Base(run.Run.Pipeline), totalOf(&stats))
	return nil
}

// request returns the request to a supervisor to stop a node.
func (g grace) request(node string) launch.Request {
	return launch.Request{Node: node, Kill: g.kills(), Grace: g.time}
}

// stopPlan stops the programs of a launch.
func (a *app) stopPlan(ctx context.Context, d *state.Dir, after grace) error {
	abandoned := !d.Supervised()
	if abandoned && d.Over() {
		fmt.Fprintf(a.err, "run %s is over already\n", d.Run.ID)
		return nil
	}
	var left []state.Process
	var err error
	switch {
	case after.kills() && abandoned:
		left, err = launch.StopRun(ctx, d, time.Millisecond) // 0 would mean the default time
	case after.kills():
		err = registry.Client{Dir: d}.Stop(ctx, true)
	default:
		left, err = launch.StopRun(ctx, d, after.time)
	}
	for _, p := range left {
		fmt.Fprintf(a.err, "process %d (%s) was left running\n", p.Pid, p.Name)
	}
	if err != nil {
		return err
	}
	switch {
	case abandoned && len(left) == 0:
		fmt.Fprintf(a.err, "the supervisor of run %s had died; no program was left running\n", d.Run.ID)
		return nil
	case abandoned:
		fmt.Fprintf(a.err, "the supervisor of run %s had died and left %s running; all have ended now\n", d.Run.ID, quantity.Count(len(left), "process", "processes"))
		return nil
	}
	for end := time.Now().Add(patience); d.Supervised() && time.Now().Before(end) && ctx.Err() == nil; { // the supervisor writes its record and unlocks the results
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Fprintf(a.err, "run %s is over\n", d.Run.ID)
	return nil
}

// patience is how long `stop` waits for the supervisor to end after its run is over.
const patience = 10 * time.Second

func (a *app) restartVerb() *cobra.Command {
	return &cobra.Command{
		Use:     "restart [RUN] NODE",
		Short:   "Restart a program of a run, or start a visualisation",
		Example: examples("pentode restart solver", "pentode restart Histogram"),
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			return withPlan(args, func(ctx context.Context, d *state.Dir, node string) error {
				if node == "" {
					return errors.New("give the program to restart; `pentode ps` lists them")
				}
				return a.no(registry.Client{Dir: d}.Ask(ctx, launch.MethodRestart, launch.Request{Node: node}))
			})
		},
	}
}

func (a *app) signalVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "signal [RUN] [NODE] SIGNAL",
		Short: "Send a signal to all programs of a run, or to one",
		Long: "Send a signal to the process group of one program, or of every program of a run. STOP pauses and CONT\n" +
			"goes on.",
		Example: examples("pentode signal solver USR1", "pentode signal STOP"),
		Args:    cobra.RangeArgs(1, 3),
		RunE: func(_ *cobra.Command, args []string) error {
			last := len(args) - 1
			name := args[last]
			if _, err := launch.ParseSignal(name); err != nil {
				if _, first := launch.ParseSignal(args[0]); first == nil {
					return fmt.Errorf("the signal is the last argument: `pentode signal %s %s`", strings.Join(args[1:], " "), args[0])
				}
				return err
			}
			return withPlan(args[:last], func(ctx context.Context, d *state.Dir, node string) error {
				return a.no(registry.Client{Dir: d}.Ask(ctx, launch.MethodSignal, launch.Request{Node: node, Signal: name}))
			})
		},
	}
}

// withPlan calls do with the launch and the node of `[RUN] [NODE]`. Ctrl-C cancels the context.
func withPlan(args []string, do func(ctx context.Context, d *state.Dir, node string) error) error {
	d, node, err := findPlan(args)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	return interrupted(ctx, do(ctx, d, node))
}

// findRun reads `[RUN] [NODE]`. A single word is a run if there is a run of that name, else
// a node. Without a run it takes the newest live run, else the newest; runs that another run started do not count.
func findRun(args []string) (*state.Dir, string, error) {
	d, node, err := find(args, func(r state.Run) bool { return r.Launch == "" && r.Leader == "" })
	if err != nil && len(args) == 0 { // accept a site that another run coordinates
		if site, node, e := find(args, func(r state.Run) bool { return r.Launch == "" }); e == nil {
			return site, node, nil
		}
	}
	return d, node, err
}

// findPlan is findRun for verbs that work only on launches.
func findPlan(args []string) (*state.Dir, string, error) {
	d, node, err := find(args, registry.IsPlan)
	if err == nil && registry.IsPipeline(d.Run) {
		return nil, "", fmt.Errorf("run `%s` is a pipeline, and this verb is for the programs of a launch; `pentode control %[1]s` controls a pipeline, `pentode stop %[1]s` stops it", d.Run.ID)
	}
	return d, node, err
}

func find(args []string, wanted func(state.Run) bool) (*state.Dir, string, error) {
	known, err := registry.Here()
	if err != nil {
		return nil, "", err
	}
	var d *state.Dir
	node := ""
	switch len(args) {
	case 0:
	case 1:
		if d, err = known.Open(args[0]); err != nil {
			node = args[0]
		}
	case 2:
		node = args[1]
		if d, err = known.Open(args[0]); err != nil {
			return nil, "", cmp.Or(known.Ended(args[0]), err)
		}
	default:
		return nil, "", errors.New("give a run and a node, nothing else")
	}
	if d == nil {
		if d, err = known.Newest(wanted); err != nil {
			return nil, "", cmp.Or(known.Ended(node), err)
		}
	}
	if ids := d.Run.IDs(); node != "" && !slices.Contains(ids, node) {
		if ended := known.Ended(node); ended != nil && len(args) == 1 {
			return nil, "", ended
		}
		return nil, "", fmt.Errorf("run `%s` has no node `%s`%s", d.Run.ID, node, near(node, ids))
	}
	return d, node, nil
}

// resultGrace is the time for writing the result after a run is over.
const resultGrace = 30 * time.Second

func (a *app) attachVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "attach [RUN]",
		Short: "Follow the output of a run in the background",
		Long: "Shows the output of the programs of a run, earlier and new, until the run is over. Ctrl-C leaves the run alone.\n" +
			"Exit: the code of the run.",
		Example: examples("pentode run --detach examples/heat && pentode attach", "pentode attach"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			d, node, err := findPlan(args)
			if err != nil {
				return err
			}
			if node != "" {
				return fmt.Errorf("there is no run `%s`; `pentode ps --all` lists them", node)
			}
			ctx, stop := interruptible()
			defer stop()
			if err := d.Logs(ctx, a.exact(), state.Query{Follow: true}); err != nil || ctx.Err() != nil {
				if ctx.Err() != nil {
					fmt.Fprintf(a.err, "run %s continues\n", d.Run.ID)
				}
				return interrupted(ctx, a.no(err))
			}
			result, err := launch.ReadResult(d)
			for end := time.Now().Add(resultGrace); err != nil && d.Supervised() && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				result, err = launch.ReadResult(d) // the result is written last
			}
			if err != nil {
				return a.no(err)
			}
			fmt.Fprintf(a.err, "run %s is over\n", d.Run.ID)
			if result.Code != exitOK {
				return exitCode(result.Code)
			}
			return nil
		},
	}
}

func (a *app) waitVerb() *cobra.Command {
	var what string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "wait [RUN] [NODE]",
		Short: "Wait until a run is ready, or until it is over",
		Long: "Waits until all programs of a run, or the program NODE, are ready or have ended successfully; with --until end, until they have ended.\n" +
			"Exit: 0 ready, 1 not ready (a program failed or was not started, or the supervisor died), 124 timeout; with --until end, the code of the run or of the node.",
		Example: examples("pentode run --detach examples/heat && pentode wait", "pentode wait --until end --timeout 5m"),
		Args:    cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if timeout < 0 {
				return fmt.Errorf("--timeout takes a duration such as 5m, not `%s`", timeout)
			}
			d, node, err := findPlan(args)
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
				fmt.Fprintf(a.err, "not within %s\n", timeout)
				return exitCode(exitTimeout)
			case err != nil:
				return interrupted(ctx, a.no(err))
			case code != exitOK:
				return exitCode(code)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&what, "until", "ready", "`ready|end`")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "wait no longer than this `DURATION` (default: no limit)")
	return cmd
}

func (a *app) execVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "exec [RUN] NODE -- COMMAND [ARG...]",
		Short: "Run a command beside a program of a run: same host, folder and environment",
		Long: "Runs a command beside a program of a live run: on the same host and in the same folder, with the same environment, limits and user.\n" +
			"Exit: the code of the command; 126 or 127 if it cannot be started.",
		Example: examples("pentode exec solver -- env", "pentode exec solver -- sh -c 'ls -l /proc/self/cwd'"),
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if dash < 1 || dash == len(args) {
				return errors.New("give the program, then `--` and the command: `pentode exec NODE -- COMMAND`")
			}
			d, node, err := findPlan(args[:dash])
			if err != nil {
				return err
			}
			if node == "" {
				return errors.New("give the program beside which to run the command; `pentode ps` lists them")
			}
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			beside, err := launch.Beside(ctx, d, node, args[dash:])
			if start := (*launch.StartError)(nil); errors.As(err, &start) {
				fmt.Fprintf(a.err, "pentode: %s\n", start.Message)
				return exitCode(start.Code)
			}
			if err != nil {
				return a.no(err)
			}
			return a.runBeside(beside)
		},
	}
}

// runBeside runs a command with our standard streams. Signals of the terminal go to the command.
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
		fmt.Fprintf(a.err, "pentode: `%s` cannot be started in `%s`\n", cmd.Path, cmd.Dir)
		return exitCode(126) // as in shells
	}
	return nil
}
