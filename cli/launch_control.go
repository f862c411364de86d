package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
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
