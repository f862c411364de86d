package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// flowOrders are what a pipeline can be asked for.
var flowOrders = []string{"pause", "resume", "stats", "stop"}

// flowControl steers a pipeline that runs.
type flowControl struct {
	app    *app
	dir    *state.Dir
	format string
	kill   bool
}

func (a *app) flowControlVerb() *cobra.Command {
	c := &flowControl{app: a}
	cmd := &cobra.Command{
		Use:   "control [RUN] pause|resume|stats|stop",
		Short: "Steer a pipeline that runs, from another terminal",
		Long: "Steers a pipeline that runs. RUN is the newest, unless it is named; without arguments the pipelines\n" +
			"that run are listed.",
		Example: examples("pentode flow control", "pentode flow control stats --format json"),
		RunE: func(_ *cobra.Command, args []string) error {
			if c.format != "text" && c.format != "json" {
				return fmt.Errorf("--format takes text or json, not `%s`", c.format)
			}
			base, err := control.StateDir(os.Getenv)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return a.flowRuns(base)
			}
			if args, err = c.find(base, args); err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			return interrupted(ctx, c.do(ctx, args[0], args[1:]))
		},
	}
	cmd.Flags().StringVar(&c.format, "format", "text", "stats: `text|json`")
	cmd.Flags().BoolVar(&c.kill, "kill", false, "stop: end at once, and lose the data that are under way")
	return cmd
}

// find takes the run from the arguments. What is left begins with an order.
func (c *flowControl) find(base string, args []string) (rest []string, err error) {
	if slices.Contains(flowOrders, args[0]) {
		if c.dir, err = state.Newest(base, isPipeline); err != nil || c.dir.Finished() {
			return nil, errors.New("no pipeline runs that could be steered")
		}
		return args, nil
	}
	if len(args) == 1 || !slices.Contains(flowOrders, args[1]) {
		word := args[len(args)-1]
		if len(args) > 1 {
			word = args[1]
		}
		return nil, fmt.Errorf("a pipeline cannot be asked for `%s`%s; expected %s", word, near(word, flowOrders), strings.Join(flowOrders, ", "))
	}
	if c.dir, err = state.Open(base, args[0]); err != nil {
		return nil, err
	}
	if !isPipeline(c.dir.Run) {
		return nil, fmt.Errorf("run `%s` is a launch: `pentode launch` steers it", c.dir.Run.ID)
	}
	return args[1:], nil
}

func isPipeline(r state.Run) bool { return !isLaunch(r) }

// flowRuns lists the pipelines that run.
func (a *app) flowRuns(base string) error {
	all, err := state.List(base)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, d := range all {
		if isPipeline(d.Run) && !d.Finished() {
			rows = append(rows, []string{d.Run.ID, d.Run.Started.Local().Format(time.DateTime), d.Run.Pipeline})
		}
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.err, "no pipeline runs")
		return nil
	}
	a.columns(append([][]string{{"run", "started", "pipeline"}}, rows...))
	return nil
}

// do carries out one order.
func (c *flowControl) do(ctx context.Context, order string, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("`%s` takes no more words, but `%s` follows", order, args[0])
	}
	switch order {
	case "pause":
		return c.ask(ctx, steer.MethodPause, nil, nil)
	case "resume":
		return c.ask(ctx, steer.MethodResume, nil, nil)
	case "stop":
		return c.stop(ctx)
	}
	return c.stats(ctx)
}

func (c *flowControl) stats(ctx context.Context) error {
	var stats flow.Stats
	if err := c.ask(ctx, steer.MethodStats, nil, &stats); err != nil {
		return err
	}
	if c.format == "json" {
		return c.app.json(stats)
	}
	_, err := io.WriteString(c.app.out, live.Table(&stats))
	return err
}

func (c *flowControl) stop(ctx context.Context) error {
	var stats flow.Stats
	if err := c.ask(ctx, steer.MethodStop, steer.Stop{Kill: c.kill}, &stats); err != nil {
		return err
	}
	fmt.Fprintf(c.app.err, "%s was stopped: %s\n", filepath.Base(c.dir.Run.Pipeline), live.Total(&stats))
	return nil
}

// ask calls a method of the run.
func (c *flowControl) ask(ctx context.Context, method string, params, result any) error {
	err := control.Call(ctx, c.dir.Socket(), method, params, result)
	if errors.Is(err, control.ErrNoServer) {
		return fmt.Errorf("run `%s` has ended", c.dir.Run.ID)
	}
	return err
}
