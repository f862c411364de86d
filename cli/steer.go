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
		Short: "End a run, also one whose supervisor has died, or one program of it",
		Long: "Ends a run in good order: the programs of a launch, or a pipeline, which first passes on the data that are under way.\n" +
			"RUN is the newest live run, unless it is named; with NODE that program, and a daemon after the processes\nunder it.",
		Example: examples("pentode stop", "pentode stop --grace 0 solver"),
		Args:    cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			d, node, err := findRun(args)
			if err == nil && len(args) == 0 && over(d) {
				err = errors.New("nothing runs that could be stopped; `pentode ps --all` also shows what has ended")
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
	cmd.Flags().Var(&after, "grace", "how long each program has to end before it is killed, a `DURATION`; 0 kills at once (default: as the run was started)")
	return cmd
}

// within stops something, and kills it if that has not happened in the time of grace. Without one it waits.
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

// stopPipeline ends a pipeline.
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

// request is what a supervisor is asked to stop, and how.
func (g grace) request(node string) launch.Request {
	return launch.Request{Node: node, Kill: g.kills(), Grace: g.time}
}

// stopPlan ends the programs of a launch.
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
		left, err = launch.StopRun(ctx, d, time.Millisecond) // 0 asks for the usual time
	case after.kills():
		err = registry.Client{Dir: d}.Stop(ctx, true)
	default:
		left, err = launch.StopRun(ctx, d, after.time)
	}
	for _, p := range left {
		fmt.Fprintf(a.err, "process %d (%s) was left\n", p.Pid, p.Name)
	}
	if err != nil {
		return err
	}
	switch {
	case abandoned && len(left) == 0:
		fmt.Fprintf(a.err, "the supervisor of run %s had died and left nothing\n", d.Run.ID)
		return nil
	case abandoned:
		fmt.Fprintf(a.err, "the supervisor of run %s had died and left %s; all have ended\n", d.Run.ID, quantity.Count(len(left), "process", "processes"))
		return nil
	}
	for end := time.Now().Add(patience); d.Supervised() && time.Now().Before(end) && ctx.Err() == nil; { // it writes its record, and gives the results free
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Fprintf(a.err, "run %s is over\n", d.Run.ID)
	return nil
}

// patience is how long `stop` waits for the end of the supervisor of a run that is over.
const patience = 10 * time.Second

func (a *app) restartVerb() *cobra.Command {
	return &cobra.Command{
		Use:     "restart [RUN] NODE",
		Short:   "End one program of a run and start it again, or start a visualisation",
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
		Short: "Send a signal to the programs of a run, or to one",
		Long: "Send a signal to the process group of one program, or of every program of a run. STOP pauses and CONT\n" +
			"goes on.",
		Example: examples("pentode signal solver USR1", "pentode signal STOP"),
		Args:    cobra.RangeArgs(1, 3),
		RunE: func(_ *cobra.Command, args []string) error {
			last := len(args) - 1
			name := args[last]
			if _, err := launch.ParseSignal(name); err != nil {
				if _, first := launch.ParseSignal(args[0]); first == nil {
					return fmt.Errorf("the signal comes last: `pentode signal %s %s`", strings.Join(args[1:], " "), args[0])
				}
				return err
			}
			return withPlan(args[:last], func(ctx context.Context, d *state.Dir, node string) error {
				return a.no(registry.Client{Dir: d}.Ask(ctx, launch.MethodSignal, launch.Request{Node: node, Signal: name}))
			})
		},
	}
}

// withPlan does something with the launch and the node of `[RUN] [NODE]`, unless Ctrl-C ends it.
func withPlan(args []string, do func(ctx context.Context, d *state.Dir, node string) error) error {
	d, node, err := findPlan(args)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	return interrupted(ctx, do(ctx, d, node))
}

// findRun reads `[RUN] [NODE]`. One word alone is a run if there is one of that name, else
// a node. Without a run it is the newest that goes on, else the newest; those that another run started are not meant.
func findRun(args []string) (*state.Dir, string, error) {
	d, node, err := find(args, func(r state.Run) bool { return r.Launch == "" && r.Leader == "" })
	if err != nil && len(args) == 0 { // a site that another one coordinates is better than nothing
		if site, node, e := find(args, func(r state.Run) bool { return r.Launch == "" }); e == nil {
			return site, node, nil
		}
	}
	return d, node, err
}

// findPlan is findRun for what only the programs of a launch can be asked.
func findPlan(args []string) (*state.Dir, string, error) {
	d, node, err := find(args, registry.IsPlan)
	if err == nil && registry.IsPipeline(d.Run) {
		return nil, "", fmt.Errorf("run `%s` is a pipeline, and this is for the programs of a launch; `pentode control %[1]s` steers a pipeline, `pentode stop %[1]s` ends it", d.Run.ID)
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
		return nil, "", errors.New("give a run and a node, not more")
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

// resultGrace is how long the result of a run that is over may take to be written.
const resultGrace = 30 * time.Second

func (a *app) attachVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "attach [RUN]",
		Short: "Show what a run in the background writes, until it is over",
		Long: "Shows what the programs of a run have written and write, until the run is over. Ctrl-C leaves the run alone.\n" +
			"Exit: as the run ended.",
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
					fmt.Fprintf(a.err, "run %s goes on\n", d.Run.ID)
				}
				return interrupted(ctx, a.no(err))
			}
			result, err := launch.ReadResult(d)
			for end := time.Now().Add(resultGrace); err != nil && d.Supervised() && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				result, err = launch.ReadResult(d) // it is written last
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
		Short: "Wait until the programs of a run are ready, or until it is over",
		Long: "Waits until the programs of a run are ready, or have ended well already, or until the run is over; with a node, until that one is.\n" +
			"Exit: 0 ready, 1 never (a program has failed or was not started, or the supervisor has died), 124 not in time; with --until end the code of the run or of the node.",
		Example: examples("pentode run --detach examples/heat && pentode wait", "pentode wait --until end --timeout 5m"),
		Args:    cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if timeout < 0 {
				return fmt.Errorf("--timeout takes a time such as 5m, not `%s`", timeout)
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
				fmt.Fprintf(a.err, "not in %s\n", timeout)
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
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "wait no longer than this `DURATION` (default any time)")
	return cmd
}

func (a *app) execVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "exec [RUN] NODE -- COMMAND [ARG...]",
		Short: "Run a command as a program of a run is: on its host, in its folder, with its variables",
		Long: "Runs a command beside a program of a run that goes on: on its host, in its folder, with its variables, limits and user.\n" +
			"Exit: that of the command; 126 or 127 where it cannot be started.",
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
				return errors.New("give the program beside which the command runs; `pentode ps` lists them")
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
		fmt.Fprintf(a.err, "pentode: `%s` cannot be started in `%s`\n", cmd.Path, cmd.Dir)
		return exitCode(126) // as shells have it
	}
	return nil
}
