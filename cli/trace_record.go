package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/forecast"
	"github.com/pentode-dev/pentode/run/trace/recorded"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/traced"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// traceFlags are the flags of `trace record`.
type traceFlags struct {
	traced.Options
	dryRun   bool
	overhead string
}

func (a *app) traceRecordVerb() *cobra.Command {
	var r traceFlags
	cmd := &cobra.Command{
		Use:   "record [-o DIR] [--policy FILE] -- PROGRAM ARG...",
		Short: "Run a program and trace it",
		Long: "Runs a program and traces its OpenMP, MPI and CUDA events, Python functions and marked regions, as the trace configuration says:\n" +
			"the file of --policy, else of PINSIGHT_TRACE_CONFIG_FILE, else pinsight_trace_config.txt in this folder, else all defaults.\n" +
			"The folder of -o gets the trace in the Common Trace Format, and the configuration that was used.\n" +
			"With --overhead it changes the rates of regions while the program runs, at most once a second, to keep tracing within a share of\n" +
			"the time. overhead.log has the reasons. At the end it shows an edit of the configuration that sets these rates from the start.",
		Example: examples("pentode trace record --overhead 1% -- ./solver input.dat", "pentode trace record -o traced --policy trace_config.txt -- mpirun -np 4 ./solver"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.traceRun(&r, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&r.Out, "output", "o", "", "the `DIR` of the trace, which must not exist (default: the program's name and the time; in a run, below its results)")
	f.StringVar(&r.Config, "policy", "", "the trace configuration, a `FILE`")
	f.DurationVar(&r.Limit, "for", 0, "trace for a `DURATION`; the program then continues untraced")
	f.DurationVar(&r.Flush, "flush", time.Second, "write events to disk at least once in this `DURATION`; 0: only when there are many")
	f.StringVar(&r.overhead, "overhead", "", "the maximum `SHARE` of each thread's time for tracing, such as 1%")
	f.BoolVar(&r.dryRun, "dry-run", false, "run the program untraced, and list the OpenMP events that its runtime supports")
	f.BoolVar(&r.Audit, "audit", false, "record every event, also skipped ones, with the decision about it")
	return a.reads(cmd, "pinsight")
}

func (a *app) traceRun(f *traceFlags, args []string) error {
	if len(args) == 0 {
		return errors.New("give the program after --, for instance `pentode trace record -- ./solver`")
	}
	if err := notStdio("-o", f.Out, "the folder of a trace"); err != nil {
		return err
	}
	if f.Flush < 0 {
		return fmt.Errorf("--flush takes a duration such as 1s, or 0, not `%s`", f.Flush)
	}
	f.Alone, f.Building = true, a.building
	a.files.lang = "pinsight"
	w, err := a.workspace()
	if err != nil {
		return err
	}
	if err := f.budget(w); err != nil {
		return err
	}
	p, err := a.here()
	if err != nil {
		return err
	}
	if err := a.usable(p); err != nil {
		return err
	}
	out := visible.Below(a.out)
	if f, _ := terminal(out); f != nil {
		out = f // the program itself writes to this file, so it can continue after this process was killed
	}
	o := runs.Options{Workspace: w, In: a.in, Out: out, Log: a.programLog(), Trace: f.Options, Program: a.program(), Version: Version, Record: a.recording(), Seal: true, Events: func(e runs.Event) {
		switch e := e.(type) {
		case runs.Found:
			a.say(e.Findings)
		case runs.Warning:
			fmt.Fprintf(a.err, "pentode: %s\n", e.Text)
		}
	}}
	if f.dryRun {
		return a.traceOffers(o, args)
	}
	result, err := runs.Trace(context.Background(), args, o)
	if result.Counts != nil {
		a.traced(&result)
	}
	if err != nil {
		return a.notRun(err)
	}
	if result.Code != 0 {
		return exitCode(result.Code)
	}
	return nil
}

// building shows the progress of compiling the tracer.
func (a *app) building(done, total int64) {
	if done == 0 {
		a.work.Begin("compiling the tracer for this machine", "files")
	}
	if a.work.Set(done, total); done == total {
		a.work.End() // the tracer is ready, and the program starts
	}
}

// budget parses --overhead.
func (f *traceFlags) budget(w *workspace.Workspace) error {
	if f.overhead == "" {
		return nil
	}
	share, ok := project.ParseShare(f.overhead)
	switch {
	case !ok:
		return fmt.Errorf("--overhead takes a share such as 1%%, not `%s`", f.overhead)
	case f.Audit:
		return errors.New("--audit records every event at any rate, so no rate can keep --overhead: leave one of them out")
	case w.Env.Dialect == load.Upstream:
		return errors.New("--overhead works only in the documented dialect: leave --as upstream out")
	}
	f.Overhead = share
	return nil
}

// maxMonitored is the number of regions shown after a program has ended.
const maxMonitored = 16

// traced prints what was collected, to standard error.
func (a *app) traced(r *traced.Result) {
	c := r.Counts
	fmt.Fprintf(a.err, "`%s`: %d events of %s", r.Out, c.Events, quantity.Count(c.Threads, "thread", "threads"))
	for _, loss := range []struct {
		count uint64
		what  string
	}{
		{c.Dropped, "lost to full buffers; a larger `ring` in `[trace]` of pentode.toml, or `full = \"wait\"`, keeps them"},
		{c.Unwritten, "lost to a full disk"},
		{c.Damaged, "buffers damaged"},
		{c.Refused, "threads not traced, because memory ran out"},
		{c.Uncollected, "records of devices lost inside CUPTI"},
	} {
		if loss.count > 0 {
			fmt.Fprintf(a.err, ", %d %s", loss.count, loss.what)
		}
	}
	fmt.Fprintln(a.err)
	for _, l := range r.Losses {
		what := fmt.Sprintf("thread %d of process %d", l.Thread, l.Process)
		if l.Devices {
			what = fmt.Sprintf("the devices of process %d", l.Process)
		}
		fmt.Fprintf(a.err, "  %s lost %d", what, l.Events)
		if l.Where != "" {
			fmt.Fprintf(a.err, ", the first %s", visible.Line(l.Where))
		}
		fmt.Fprintln(a.err)
	}
	if more := int(c.Losing) - len(r.Losses); more > 0 && len(r.Losses) > 0 {
		fmt.Fprintf(a.err, "  and %d more threads\n", more)
	}
	if r.Why != "" {
		fmt.Fprintln(a.err, r.Why)
	}
	if r.Overhead != nil {
		a.tracedWithin(r.Overhead)
	}
	if len(r.Monitored) > 0 {
		monitoredTable(a.err, widthOf(a.err), r.Monitored[:min(len(r.Monitored), maxMonitored)])
	}
	if more := len(r.Monitored) - maxMonitored; more > 0 {
		fmt.Fprintf(a.err, "and %d more in `%s`\n", more, filepath.Join(r.Out, "monitor.json"))
	}
}

// tracedWithin prints how --overhead was kept, to standard error.
func (a *app) tracedWithin(o *traced.Overhead) {
	share := quantity.Share(o.Share)
	if o.Kept.Windows == 0 {
		fmt.Fprintf(a.err, "the program ended within a second, too early to compare with %s, and no rate was changed\n", share)
		return
	}
	about := ""
	if !o.Measured {
		about = "about "
		fmt.Fprintln(a.err, "the cost of an event on this machine is unknown, so the cost on other machines is assumed; `pentode trace forecast --calibrate` measures it")
	}
	fmt.Fprintf(a.err, "in %d of %s tracing took more than %s; %s in `%s`\n", o.Kept.Over, quantity.Count(o.Kept.Windows, "second", "seconds"), share,
		quantity.Count(o.Made, "change of a rate", "changes of rates"), o.Log)
	if l := o.Kept.Worst; o.Kept.Stuck > 0 {
		fmt.Fprintf(a.err, "in %d of these no rate keeps %s: at worst tracing took %s%s of %s, %s for skipped events, which cost time until their domain is OFF, and %s for events without a rate\n",
			o.Kept.Stuck, share, about, quantity.Share(l.Share), l.Thread, quantity.Share(l.Against), quantity.Share(l.Fixed))
	}
	if o.Gaps != nil {
		fmt.Fprintln(a.err, *o.Gaps)
	}
	if o.Left > 0 {
		fmt.Fprintf(a.err, "gaps of %s have left %s out of the trace; `gaps = false` in `[trace]` of pentode.toml makes no gaps\n", traced.OverheadGap, quantity.Count(o.Left, "execution", "executions"))
	}
	if len(o.Edit) > 0 {
		fmt.Fprintln(a.err, "this change sets the same rates from the start:")
		_ = writeDiff(a.err, o.Edit) // a failed write to standard error cannot be reported
	}
}

// traceOffers prints the OpenMP events that the program's runtime supports.
func (a *app) traceOffers(o runs.Options, args []string) error {
	list, err := runs.TraceOffers(context.Background(), args, o)
	if err != nil {
		return a.notRun(err)
	}
	var rows [][]string
	for _, e := range list {
		offered := "not offered"
		if e.Offered {
			offered = "offered"
		}
		rows = append(rows, []string{e.Event, offered})
	}
	a.columns(rows, columns.Name)
	return nil
}

// recordFlags are the flags of verbs that apply another configuration to a recorded run.
type recordFlags struct {
	dir   string
	flush time.Duration
}

func (r *recordFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.dir, "record", "", "the `DIR` of a run recorded by `pentode trace record`")
	cmd.Flags().DurationVar(&r.flush, "flush", time.Second, "assume this `DURATION` as --flush of `trace record`")
}

// traceRecord is a recorded run and another configuration.
type traceRecord struct {
	trace  *recorded.Trace
	was    *trace.Policy // the policy that the run was recorded with
	space  *workspace.Workspace
	config *lang.Config
	policy *trace.Policy
	flush  time.Duration
	cost   forecast.Cost
}

// record reads a recorded run and a configuration.
func (a *app) record(r *recordFlags, paths []string) (*traceRecord, error) {
	if r.dir == "" {
		return nil, errors.New("give the recorded run with --record; `pentode trace record -o DIR` records one")
	}
	t, err := a.openTrace(r.dir)
	if err != nil {
		return nil, err
	}
	own, err := ownConfiguration(r.dir)
	if err != nil {
		return nil, err
	}
	asked := a.files.overrides
	a.files.overrides = nil // -s applies to the other configuration, not to the recorded one
	_, _, was, err := a.tracePolicy([]string{own})
	a.files.overrides = asked
	if err != nil {
		return nil, err
	}
	w, config, policy, err := a.tracePolicy(paths)
	if err != nil {
		return nil, err
	}
	return &traceRecord{trace: t, was: was, space: w, config: config, policy: policy, flush: r.flush, cost: traced.Calibrated()}, nil
}

// tracePolicy reads a trace configuration that has no errors.
func (a *app) tracePolicy(paths []string) (*workspace.Workspace, *lang.Config, *trace.Policy, error) {
	w, config, err := a.read(paths, "pinsight")
	if err != nil {
		return nil, nil, nil, err
	}
	if w.EnvOf(config.Document).Dialect == load.Upstream {
		return nil, nil, nil, errors.New("only the documented meaning of a configuration can be applied to a record, not the meaning in an installed PInsight: leave `upstream` out")
	}
	if err := a.refuse(config.Diagnostics()); err != nil {
		return nil, nil, nil, err
	}
	policy, err := policyOf(config)
	return w, config, policy, err
}

// ownConfiguration returns the configuration that a run was recorded with. If several nodes have one, all are the same.
func ownConfiguration(dir string) (string, error) {
	found := ""
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == traced.ConfigFile && !e.IsDir() {
			found = path
			return fs.SkipAll
		}
		return err
	})
	if err == nil && found == "" {
		err = fmt.Errorf("`%s` has no `%s`, the configuration of the recording: only records of `pentode trace record` can be used here", dir, traced.ConfigFile)
	}
	return found, err
}

// simulate applies a policy to the record.
func (r *traceRecord) simulate(p *trace.Policy) (*forecast.Forecast, error) {
	return forecast.Simulate(r.trace, forecast.Options{Was: r.was, Policy: p, Flush: r.flush, Cost: r.cost})
}
