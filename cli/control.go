package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/peek"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/registry"
	"github.com/pentode-dev/pentode/runs/traced"
)

// orders are the orders that `control` sends to a run.
var orders = []string{"set", "pause", "resume", "stats", "picture", "peek", "status", "policy"}

// controlled is the run that `control` steers, with the flags of the verb.
type controlled struct {
	app     *app
	run     registry.Client
	format  string
	set     steer.Set
	dryRun  bool
	replace bool
}

func (a *app) controlVerb() *cobra.Command {
	c := &controlled{app: a}
	cmd := &cobra.Command{
		Use:   "control [RUN] ORDER",
		Short: "Control a running pipeline or traced program from another terminal",
		Long: "Controls a live run. RUN defaults to the newest; for a program that is traced outside a run it is the process id of\n" +
			"`pentode trace record`. The orders:\n" +
			"  set KEY=VALUE...  change keys that may change during a run, given as PROCESS:KEY=VALUE. All processes change between the\n" +
			"                    same two data; if one of them refuses, nothing changes and the exit code is 1\n" +
			"  pause, resume     pause a pipeline before its next steps, or stop the programs of a launch, and let them continue\n" +
			"  stats             print the figures of a pipeline\n" +
			"  peek PROCESS.PORT print the next datum on the edge of that port, as text\n" +
			"  picture PROCESS   write what an `image_viewer` shows, as a PNG\n" +
			"  status            for a traced program: how often each monitored region ran, and for how long\n" +
			"  policy [FILE]     for a traced program: read its trace configuration again, or FILE, on top of the current one",
		Example: examples("pentode control set --dry-run solve:conductivity=0.1", "pentode control 4711 policy --dry-run trace_config.txt"),
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			ctx, stop := interruptible()
			defer stop()
			run, order, args, err := splitOrder(args)
			if err != nil {
				return err
			}
			if c.format == "json" && slices.Contains([]string{"pause", "resume", "picture", "policy"}, order) {
				return fmt.Errorf("`control %s` prints no JSON: leave --format out", order)
			}
			if order == "status" || order == "policy" {
				return interrupted(ctx, c.traced(ctx, run, order, args))
			}
			if err := c.find(run, order); err != nil {
				return err
			}
			return interrupted(ctx, c.do(ctx, order, args))
		},
	}
	cmd.Flags().StringVar(&c.format, "format", "text", "stats, set, peek and status: `text|json`")
	cmd.Flags().BoolVar(&c.dryRun, "dry-run", false, "set and policy: show what would change and which processes would refuse")
	cmd.Flags().StringVar(&c.set.WatchFor, "watch-for", "", "set: restore the old settings if a process fails within this `TIME`, such as 10s")
	cmd.Flags().Float64Var(&c.set.MinShare, "min-share", 0, "set: or if a process makes less than this `SHARE` of the steps that it made before")
	cmd.Flags().BoolVar(&c.replace, "replace", false, "policy: drop the current configuration instead of reading on top of it")
	return a.wideFlag(cmd)
}

// splitOrder splits the arguments into the run, the order and the rest.
func splitOrder(args []string) (run, order string, rest []string, err error) {
	if slices.Contains(orders, args[0]) {
		return "", args[0], args[1:], nil
	}
	if len(args) > 1 && slices.Contains(orders, args[1]) {
		return args[0], args[1], args[2:], nil
	}
	word := args[min(1, len(args)-1)]
	return "", "", nil, fmt.Errorf("`%s` is not an order%s; expected %s", word, near(word, orders), strings.Join(orders, ", "))
}

// find opens the run that gets an order: the named one, else the newest live run that takes the order.
func (c *controlled) find(name, order string) error {
	known, err := registry.Here()
	if err != nil {
		return err
	}
	both := order == "pause" || order == "resume"
	if name == "" {
		if c.run.Dir, err = newestSteered(known, both); err != nil || c.run.Finished() {
			return errors.New("there is no live run to control; `pentode ps --all` lists ended runs")
		}
		return nil
	}
	if c.run.Dir, err = known.Open(name); err != nil {
		return cmp.Or(known.Ended(name), err)
	}
	if registry.IsPlan(c.run.Run) && !both {
		return fmt.Errorf("run `%s` is a launch, and `%s` works on pipelines; `pentode ps %[1]s` lists its programs", c.run.Run.ID, order)
	}
	return nil
}

// newestSteered returns the newest run that takes an order. A site that another run coordinates is chosen only if there is
// no other run.
func newestSteered(known registry.Registry, plans bool) (*state.Dir, error) {
	takes := func(r state.Run) bool { return registry.IsPipeline(r) || plans && r.Launch == "" }
	d, err := known.Newest(func(r state.Run) bool { return takes(r) && r.Leader == "" })
	if err != nil || d.Finished() {
		return known.Newest(takes)
	}
	return d, nil
}

// do carries out one order.
func (c *controlled) do(ctx context.Context, order string, args []string) error {
	switch {
	case order == "set" && len(args) == 0:
		return errors.New("give the settings, as PROCESS:KEY=VALUE")
	case order == "set":
		return c.change(ctx, args)
	case order == "peek" && len(args) == 1:
		return c.peek(ctx, args[0])
	case order == "peek":
		return errors.New("give the port to look at, as PROCESS.PORT")
	case order == "picture" && len(args) == 1:
		return c.picture(ctx, args[0])
	case order == "picture":
		return errors.New("give a process of the type `image_viewer`, to get its picture")
	}
	if len(args) > 0 {
		return fmt.Errorf("`%s` takes no further arguments, but `%s` follows", order, args[0])
	}
	switch order {
	case "pause", "resume":
		return c.app.no(c.run.Pause(ctx, order == "pause"))
	}
	return c.stats(ctx)
}

func (c *controlled) stats(ctx context.Context) error {
	var stats flow.Stats
	if err := c.run.Call(ctx, steer.MethodStats, nil, &stats); err != nil {
		return c.app.no(err)
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

// change sets keys, and prints the result.
func (c *controlled) change(ctx context.Context, args []string) error {
	c.set.Settings, c.set.Preview = map[string]string{}, c.dryRun
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" {
			return fmt.Errorf("`%s` is not a setting: expected PROCESS:KEY=VALUE", arg)
		}
		c.set.Settings[key] = value
	}
	var result flow.SetResult
	if err := c.run.Call(ctx, steer.MethodSet, c.set, &result); err != nil {
		return c.app.no(err)
	}
	refused := slices.ContainsFunc(result.Changes, func(ch pipe.Change) bool { return ch.Refused != "" })
	if c.format == "json" {
		result.Changes = append([]pipe.Change{}, result.Changes...)
		if err := c.app.json(jsonSet{1, result}); err != nil {
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

// jsonSet is the answer of `control set --format json`.
type jsonSet struct {
	Version int `json:"version"`
	flow.SetResult
}

// jsonDatum is the answer of `control peek --format json`.
type jsonDatum struct {
	Version int `json:"version"`
	peek.View
}

// show prints the changes, and whether each took effect.
func (c *controlled) show(result *flow.SetResult, refused bool) {
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
	c.app.columns(rows, columns.Name, columns.Name, columns.Prose)
	for _, name := range result.Crossed {
		fmt.Fprintf(c.app.err, "process `%s` takes data at its own rate: it changed between two of its steps\n", name)
	}
	switch {
	case refused:
		fmt.Fprintln(c.app.err, "nothing was changed")
	case result.Undone != "":
		fmt.Fprintln(c.app.err, "the old settings are restored: "+result.Undone)
	case result.Applied:
		fmt.Fprintln(c.app.err, "changed")
	}
}

// errSeen ends the watch of an edge after one datum.
var errSeen = errors.New("a datum was seen")

// peek writes the newest datum of an edge, or waits for the next.
func (c *controlled) peek(ctx context.Context, port string) error {
	err := registry.Follow(ctx, c.run, steer.MethodPeek, steer.Peek{Port: port}, func(raw json.RawMessage) error {
		var v peek.View
		if err := json.Unmarshal(raw, &v); err != nil || v.Kind == peek.Nothing {
			return err
		}
		if c.format == "json" {
			return cmp.Or(c.app.json(jsonDatum{1, v}), errSeen)
		}
		fmt.Fprintln(c.app.out, datumText(&v))
		fmt.Fprintf(c.app.err, "%s → %s: stamp %d, %d data have passed\n", v.From, v.To, v.Stamp, v.Passed)
		return errSeen
	})
	switch {
	case errors.Is(err, errSeen):
		return nil
	case err == nil:
		return c.app.no(c.run.Ended())
	}
	return c.app.no(err)
}

// datumText describes a datum as text.
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

func (c *controlled) picture(ctx context.Context, process string) error {
	if _, shown := terminal(c.app.out); shown {
		return errors.New("a picture is not text: redirect it to a file, such as `> picture.png`")
	}
	var p flow.Picture
	if err := c.run.Call(ctx, steer.MethodShow, steer.Show{Process: process}, &p); err != nil {
		return c.app.no(err)
	}
	_, err := c.app.exact().Write(p.PNG)
	return err
}

// traced gives an order to a traced program.
func (c *controlled) traced(ctx context.Context, run, order string, args []string) error {
	if most := map[string]int{"policy": 1}[order]; len(args) > most {
		return fmt.Errorf("`%s` takes no further arguments, but `%s` follows", order, args[most])
	}
	pid := 0 // 0: the traced program that runs this command, else the newest
	if run != "" {
		var err error
		if pid, err = strconv.Atoi(run); err != nil || pid < 1 {
			return fmt.Errorf("a traced program is named by the process id of `pentode trace record`, not `%s`", run)
		}
	}
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	if order == "status" {
		return c.monitored(ctx, pid)
	}
	ask := traced.Reload{DryRun: c.dryRun, Replace: c.replace}
	if len(args) > 0 {
		var err error
		if ask.File, err = filepath.Abs(args[0]); err != nil {
			return err
		}
	}
	changes, err := ask.Send(ctx, pid)
	if err != nil {
		return c.untraced(err)
	}
	for _, change := range changes {
		c.app.line("%s", change)
	}
	if len(changes) == 0 {
		fmt.Fprintln(c.app.err, "nothing changes")
	}
	return nil
}

// untraced returns the error of a verb whose order to a traced program failed: misuse if there is no such program.
func (c *controlled) untraced(err error) error {
	if errors.As(err, new(traced.NotTracing)) {
		return err
	}
	return c.app.no(err)
}

// monitored prints counts and times of the regions in the mode MONITORING.
func (c *controlled) monitored(ctx context.Context, pid int) error {
	now, err := traced.Status(ctx, pid)
	if err != nil {
		return c.untraced(err)
	}
	list := now.Regions
	if c.format == "json" {
		return c.app.json(traced.NewMonitorReport(list))
	}
	if len(list) == 0 {
		fmt.Fprintln(c.app.err, nothingMonitored)
		return nil
	}
	monitoredTable(c.app.out, c.app.room(), list)
	return nil
}

const nothingMonitored = "nothing is monitored; `trace_mode = MONITORING` in `[OpenMP.default]` counts and measures its regions"

// monitoredTable prints monitored regions with their counts and times.
func monitoredTable(out io.Writer, width int, list []traced.Monitored) {
	_ = monitoredSection(list).Write(out, width) // out remembers a failed write
}

// monitoredSection returns the same table as a section of a live view.
func monitoredSection(list []traced.Monitored) live.Section {
	t := live.Section{
		Head: []string{"region", "unit", "count", "total", "mean", "longest"},
		Columns: []columns.Column{
			{Kind: columns.Name}, {Kind: columns.Name, Keep: 4}, {Kind: columns.Figure, Keep: 3}, {Kind: columns.Figure, Keep: 5}, {Kind: columns.Figure, Keep: 2},
			{Kind: columns.Figure, Keep: 1},
		},
	}
	for _, m := range list {
		cells := []string{visible.Line(m.Region), m.Unit, quantity.Number(m.Count), quantity.Duration(m.Total), quantity.Duration(m.Mean), quantity.Duration(m.Longest)}
		t.Rows = append(t.Rows, live.Row{Name: m.Region + " " + m.Unit, Cells: cells, Detail: []string{m.Domain + " region " + m.Region, "on " + m.Unit + " of process " + strconv.Itoa(int(m.Process))}})
	}
	return t
}
