package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/peek"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/registry"
)

// flowOrders are what a pipeline can be asked for.
var flowOrders = []string{"pause", "resume", "stats", "set", "peek", "picture", "stop"}

// flowControl steers a pipeline that runs.
type flowControl struct {
	app    *app
	run    registry.Client
	format string
	kill   bool
	set    steer.Set
}

func (a *app) flowControlVerb() *cobra.Command {
	c := &flowControl{app: a}
	cmd := &cobra.Command{
		Use:   "control [RUN] pause|resume|stats|set KEY=VALUE...|peek PROCESS.PORT|picture PROCESS|stop",
		Short: "Steer a pipeline that runs, from another terminal",
		Long: "Steers a pipeline that runs. RUN is the newest, unless it is named; without arguments the pipelines\n" +
			"that run are listed.\n" +
			"`set` gives keys that may change during a run new values: PROCESS:KEY=VALUE. All of them change, between the\n" +
			"same two data for all processes, or none: where one process refuses, exit 1.\n" +
			"`peek` waits for a datum on the edge that leads to an input port, or that leaves an output port, and writes it as text.\n" +
			"`picture` writes what an `image_viewer` shows to standard output, as a PNG.",
		Example: examples("pentode flow control", "pentode flow control set --preview solve:conductivity=0.1"),
		RunE: func(_ *cobra.Command, args []string) error {
			known, err := registry.Here()
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			if len(args) == 0 {
				return a.flowRuns(ctx, known)
			}
			if args, err = c.find(known, args); err != nil {
				return err
			}
			return interrupted(ctx, c.do(ctx, args[0], args[1:]))
		},
	}
	cmd.Flags().StringVar(&c.format, "format", "text", "stats, set and peek: `text|json`")
	cmd.Flags().BoolVar(&c.set.Preview, "preview", false, "set: show what would change, and who refuses")
	cmd.Flags().StringVar(&c.set.WatchFor, "watch-for", "", "set: for a `TIME` such as 10s, bring the old settings back where a process fails")
	cmd.Flags().Float64Var(&c.set.MinShare, "min-share", 0, "set: and where one makes less than this `SHARE` of the steps it made before")
	cmd.Flags().BoolVar(&c.kill, "kill", false, "stop: end at once, and lose the data that are under way")
	return cmd
}

// find takes the run from the arguments. What is left begins with an order.
func (c *flowControl) find(known registry.Registry, args []string) (rest []string, err error) {
	if slices.Contains(flowOrders, args[0]) {
		if c.run.Dir, err = newestPipeline(known); err != nil || c.run.Finished() {
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
	if c.run.Dir, err = known.Open(args[0]); err != nil {
		return nil, err
	}
	if registry.IsPlan(c.run.Run) {
		return nil, fmt.Errorf("run `%s` is a launch: `pentode launch` steers it", c.run.Run.ID)
	}
	return args[1:], nil
}

// newestPipeline is the newest pipeline, one that can be steered before a site that
// another one coordinates.
func newestPipeline(known registry.Registry) (*state.Dir, error) {
	d, err := known.Newest(func(r state.Run) bool { return registry.IsPipeline(r) && r.Leader == "" })
	if err != nil || d.Finished() {
		return known.Newest(registry.IsPipeline)
	}
	return d, nil
}

// answerLimit is how long the list of pipelines waits for one of them: one that is
// stopped by a signal does not answer.
const answerLimit = time.Second

// flowRuns lists the pipelines that run.
func (a *app) flowRuns(ctx context.Context, known registry.Registry) error {
	all, err := known.Registered()
	if err != nil {
		return err
	}
	var rows [][]string
	for _, d := range all {
		if registry.IsPipeline(d.Run) && !d.Finished() {
			rows = append(rows, []string{d.Run.ID, d.Run.Started.Local().Format(time.DateTime), stateOf(ctx, d), d.Run.Pipeline})
		}
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.err, "no pipeline runs")
		return nil
	}
	a.columns(append([][]string{{"run", "started", "state", "pipeline"}}, rows...))
	return nil
}

// stateOf asks a pipeline what it does.
func stateOf(ctx context.Context, d *state.Dir) string {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	var now flow.Stats
	if (registry.Client{Dir: d}).Call(ctx, steer.MethodStats, nil, &now) != nil {
		return "does not answer"
	}
	return string(now.State)
}

// do carries out one order.
func (c *flowControl) do(ctx context.Context, order string, args []string) error {
	switch {
	case order == "set":
		return c.change(ctx, args)
	case order == "peek" && len(args) == 1:
		return c.peek(ctx, args[0])
	case order == "peek":
		return errors.New("give the port whose datum you want, as PROCESS.PORT")
	case order == "picture" && len(args) == 1:
		return c.picture(ctx, args[0])
	case order == "picture":
		return errors.New("give the process whose picture you want, one of the type `image_viewer`")
	}
	if len(args) > 0 {
		return fmt.Errorf("`%s` takes no more words, but `%s` follows", order, args[0])
	}
	switch order {
	case "pause", "resume":
		return c.run.Pause(ctx, order == "pause")
	case "stop":
		return c.stop(ctx)
	}
	return c.stats(ctx)
}

func (c *flowControl) stats(ctx context.Context) error {
	var stats flow.Stats
	if err := c.run.Call(ctx, steer.MethodStats, nil, &stats); err != nil {
		return err
	}
	if err := c.app.figures(&stats, c.format); err != nil || c.format == "json" {
		return err
	}
	for _, p := range stats.Processes {
		for _, key := range p.Pending {
			fmt.Fprintf(c.app.err, "%s:%s is pending: the program takes it at its next event\n", p.Name, key)
		}
	}
	return nil
}

// change sets keys, and shows what came of it.
func (c *flowControl) change(ctx context.Context, args []string) error {
	c.set.Settings = map[string]string{}
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" {
			return fmt.Errorf("`%s` is no setting: expected PROCESS:KEY=VALUE", arg)
		}
		c.set.Settings[key] = value
	}
	var result flow.SetResult
	if err := c.run.Call(ctx, steer.MethodSet, c.set, &result); err != nil {
		return err
	}
	refused := slices.ContainsFunc(result.Changes, func(ch pipe.Change) bool { return ch.Refused != "" })
	if c.format == "json" {
		if err := c.app.json(result); err != nil {
			return err
		}
	} else {
		c.show(&result, refused)
	}
	if refused || result.Undone != "" {
		return exitCode(exitNo)
	}
	return nil
}

// show prints the changes, and what became of them.
func (c *flowControl) show(result *flow.SetResult, refused bool) {
	var rows [][]string
	for _, ch := range result.Changes {
		row := []string{ch.Setting, ch.Old + " → " + ch.New, ""}
		switch {
		case ch.Refused != "":
			row[2] = "refused: " + ch.Refused
		case ch.Setting != ch.Process+":"+ch.Key:
			row[2] = "taken by " + ch.Process + ":" + ch.Key
		case ch.Pending:
			row[2] = "pending: the program takes it at its next event"
		}
		rows = append(rows, row)
	}
	c.app.columns(rows)
	for _, name := range result.Crossed {
		fmt.Fprintf(c.app.err, "process `%s` takes data at rates of its own: it changed between two of its steps\n", name)
	}
	switch {
	case refused:
		fmt.Fprintln(c.app.err, "nothing was changed")
	case result.Undone != "":
		fmt.Fprintln(c.app.err, "the old settings are back: "+result.Undone)
	case result.Applied:
		fmt.Fprintln(c.app.err, "changed")
	}
}

// errSeen ends the look at an edge: one datum is enough.
var errSeen = errors.New("a datum was seen")

// peek writes the newest datum of an edge, or waits for the next.
func (c *flowControl) peek(ctx context.Context, port string) error {
	err := registry.Follow(ctx, c.run, steer.MethodPeek, steer.Peek{Port: port}, func(raw json.RawMessage) error {
		var v peek.View
		if err := json.Unmarshal(raw, &v); err != nil || v.Kind == peek.Nothing {
			return err
		}
		if c.format == "json" {
			return cmp.Or(c.app.json(raw), errSeen)
		}
		fmt.Fprintln(c.app.out, datumText(&v))
		fmt.Fprintf(c.app.err, "%s → %s: stamp %d, %d data have passed\n", v.From, v.To, v.Stamp, v.Passed)
		return errSeen
	})
	switch {
	case errors.Is(err, errSeen):
		return nil
	case err == nil:
		return c.run.Ended()
	}
	return err
}

// datumText is a datum in words.
func datumText(v *peek.View) string {
	switch {
	case v.Kind == peek.Empty:
		return "empty"
	case v.Kind == peek.Error:
		return "error: " + v.Text
	case v.Text == "":
		return v.Noun
	case v.Cut:
		return v.Text + "…"
	}
	return v.Text
}

func (c *flowControl) picture(ctx context.Context, process string) error {
	if _, shown := terminal(c.app.out); shown {
		return errors.New("a picture is no text: send it to a file, as `> picture.png`")
	}
	var p flow.Picture
	if err := c.run.Call(ctx, steer.MethodShow, steer.Show{Process: process}, &p); err != nil {
		return err
	}
	_, err := c.app.exact().Write(p.PNG)
	return err
}

func (c *flowControl) stop(ctx context.Context) error {
	var stats flow.Stats
	if err := c.run.Call(ctx, steer.MethodStop, steer.Stop{Kill: c.kill}, &stats); err != nil {
		return err
	}
	fmt.Fprintf(c.app.err, "%s was stopped: %s\n", filepath.Base(c.run.Run.Pipeline), totalOf(&stats))
	return nil
}
