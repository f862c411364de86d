package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/guard"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/registry"
)

func (a *app) launchStatusVerb() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "status [RUN] [NODE]",
		Short:   "Show the programs of a run",
		Example: examples("pentode launch status", "pentode launch status --format json"),
		Args:    cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			d, node, err := findRun(args)
			if err != nil {
				return err
			}
			return a.launchStatus(d, node, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	return cmd
}

// jsonStatus is `launch status --format json`.
type jsonStatus struct {
	Version int             `json:"version"`
	Run     string          `json:"run"`
	State   string          `json:"state"` // running, over, abandoned
	Nodes   []launch.Status `json:"nodes"`
}

func (a *app) launchStatus(d *state.Dir, node, format string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	phase, nodes, err := launch.Observe(ctx, d)
	if err != nil {
		return err
	}
	out := jsonStatus{Version: 1, Run: d.Run.ID, State: phase, Nodes: append([]launch.Status{}, nodes...)}
	if node != "" {
		out.Nodes = slices.DeleteFunc(out.Nodes, func(s launch.Status) bool { return s.ID != node })
	}
	if format == "json" {
		return a.json(out)
	}
	fmt.Fprintf(a.out, "run %s, %s, in %s\n\n", out.Run, out.State, d.Run.Directory)
	if out.State == "abandoned" {
		defer fmt.Fprintf(a.err, "its supervisor has died; `pentode launch stop %s` ends what it left\n", out.Run)
	}
	return launch.WriteStatus(a.out, out.Nodes, time.Now())
}

func (a *app) launchStopVerb() *cobra.Command {
	var grace time.Duration
	var kill bool
	cmd := &cobra.Command{
		Use:     "stop [RUN] [NODE]",
		Short:   "End a run, also one whose supervisor has died, or one program of it",
		Example: examples("pentode launch stop", "pentode launch stop solver"),
		Args:    cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			return withRun(args, func(ctx context.Context, d *state.Dir, node string) error {
				return a.launchStop(ctx, d, node, grace, kill)
			})
		},
	}
	cmd.Flags().DurationVar(&grace, "grace", 10*time.Second, "where the supervisor has died: how long programs have to end before they are killed")
	cmd.Flags().BoolVar(&kill, "kill", false, "end everything at once")
	return cmd
}

func (a *app) launchStop(ctx context.Context, d *state.Dir, node string, grace time.Duration, kill bool) error {
	grace, err := graceTime(grace)
	switch {
	case err != nil:
		return err
	case node != "":
		return registry.Client{Dir: d}.Ask(ctx, launch.MethodStop, launch.Request{Node: node})
	case kill && d.Supervised():
		return registry.Client{Dir: d}.Stop(ctx, true)
	case kill:
		grace = time.Millisecond
	}
	abandoned := !d.Supervised()
	if abandoned && d.Over() {
		fmt.Fprintf(a.err, "run %s is over already\n", d.Run.ID)
		return nil
	}
	left, err := launch.StopRun(ctx, d, grace)
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
		fmt.Fprintf(a.err, "the supervisor of run %s had died and left %s; all have ended\n", d.Run.ID, count(len(left), "process", "processes"))
		return nil
	}
	fmt.Fprintf(a.err, "run %s is over\n", d.Run.ID)
	return nil
}

func (a *app) launchRestartVerb() *cobra.Command {
	return &cobra.Command{
		Use:     "restart [RUN] NODE",
		Short:   "End one program of a run and start it again, or start a visualisation",
		Example: examples("pentode launch restart solver", "pentode launch restart Histogram"),
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			return withRun(args, func(ctx context.Context, d *state.Dir, node string) error {
				if node == "" {
					return errors.New("give the program to restart; `pentode launch status` lists them")
				}
				return registry.Client{Dir: d}.Ask(ctx, launch.MethodRestart, launch.Request{Node: node})
			})
		},
	}
}

func (a *app) launchSignalVerb() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "signal [RUN] [NODE] [SIGNAL]",
		Short: "Send a signal to the programs of a run, or to one",
		Long: "Send a signal to the process group of one program, or of every program of a run. STOP pauses and CONT\n" +
			"goes on.",
		Example: examples("pentode launch signal solver USR1", "pentode launch signal STOP"),
		Args:    cobra.MaximumNArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := len(args); n > 0 && !cmd.Flags().Changed("signal") {
				if _, err := launch.ParseSignal(args[n-1]); err == nil {
					name, args = args[n-1], args[:n-1]
				}
			}
			d, node, err := findRun(args)
			switch n := len(args); {
			case name == "" && n > 0 && err != nil:
				_, err = launch.ParseSignal(args[n-1])
				return err
			case name == "":
				return errors.New("give the signal, for instance USR1")
			}
			if _, err := launch.ParseSignal(name); err != nil {
				return err
			}
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			return interrupted(ctx, registry.Client{Dir: d}.Ask(ctx, launch.MethodSignal, launch.Request{Node: node, Signal: name}))
		},
	}
	cmd.Flags().StringVar(&name, "signal", "", "the `SIGNAL`, by name or number")
	return cmd
}

// graceTime is what --grace says. No time at all is the shortest that there is.
func graceTime(d time.Duration) (time.Duration, error) {
	if d < 0 {
		return 0, fmt.Errorf("--grace takes a time such as 10s, not `%s`", d)
	}
	return max(d, time.Millisecond), nil
}

// withRun does something with the run and the node of `[RUN] [NODE]`, unless Ctrl-C
// ends it.
func withRun(args []string, do func(ctx context.Context, d *state.Dir, node string) error) error {
	d, node, err := findRun(args)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	return interrupted(ctx, do(ctx, d, node))
}

// findRun reads `[RUN] [NODE]`. One word alone is a run if there is one of that name, else
// a node. Without a run it is the newest that goes on, else the newest.
func findRun(args []string) (*state.Dir, string, error) {
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
			return nil, "", err
		}
	default:
		return nil, "", errors.New("give a run and a node, not more")
	}
	if d == nil {
		if d, err = known.Newest(registry.IsPlan); err != nil {
			return nil, "", err
		}
	}
	if registry.IsPipeline(d.Run) {
		return nil, "", fmt.Errorf("run `%s` is a pipeline: `pentode flow control` steers it", d.Run.ID)
	}
	if ids := d.Run.IDs(); node != "" && !slices.Contains(ids, node) {
		return nil, "", fmt.Errorf("run `%s` has no node `%s`%s", d.Run.ID, node, near(node, ids))
	}
	return d, node, nil
}

// resultGrace is how long the result of a run that is over may take to be written.
const resultGrace = 30 * time.Second

func (a *app) launchAttachVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "attach [RUN]",
		Short: "Show what a run in the background writes, until it is over",
		Long: "Shows what the programs of a run have written and write, until the run is over. Ctrl-C leaves the run alone.\n" +
			"Exit: as the run ended.",
		Example: examples("pentode run --detach examples/heat && pentode launch attach", "pentode launch attach"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			d, node, err := findRun(args)
			if err != nil {
				return err
			}
			if node != "" {
				return fmt.Errorf("there is no run `%s`; `pentode launch list` shows them", node)
			}
			ctx, stop := interruptible()
			defer stop()
			if err := d.Logs(ctx, a.exact(), state.Query{Follow: true}); err != nil || ctx.Err() != nil {
				if ctx.Err() != nil {
					fmt.Fprintf(a.err, "run %s goes on\n", d.Run.ID)
				}
				return err
			}
			result, err := launch.ReadResult(d)
			for end := time.Now().Add(resultGrace); err != nil && d.Supervised() && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				result, err = launch.ReadResult(d) // it is written last
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.err, "run %s is over\n", d.Run.ID)
			if result.Code != exitOK {
				return exitCode(result.Code)
			}
			return nil
		},
	}
}

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

// launchGuardVerb is what a run starts to end what it leaves behind, also where it is
// killed. It is not for people.
func (a *app) launchGuardVerb() *cobra.Command {
	var w guard.Watched
	cmd := &cobra.Command{
		Use:     "guard",
		Short:   "End what a run leaves behind",
		Example: examples("pentode launch guard < /dev/null", "pentode launch guard --mark none < /dev/null"),
		Hidden:  true,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // it ends with its run
			guard.Watch(a.in, w)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&w.Mark, "mark", "", "the `MARK` of the run")
	f.IntVar(&w.Pid, "pid", 0, "the `PID` of its program")
	f.StringVar(&w.Group, "group", "", "the `DIR` of its control group")
	f.StringVar(&w.State, "state", "", "the `DIR` of its state")
	f.StringVar(&w.Scratch, "scratch", "", "a `DIR` to remove when the run is killed")
	f.DurationVar(&w.Grace, "grace", time.Second, "how long programs have to end before they are killed")
	return cmd
}
