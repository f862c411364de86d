package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/bytesize"
	"github.com/pentode-dev/pentode/core/columns"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/trace/forecast"
	"github.com/pentode-dev/pentode/runs/traced"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

func (a *app) traceSimulateVerb() *cobra.Command {
	var r recordFlags
	var format string
	var units bool
	cmd := &cobra.Command{
		Use:   "simulate --record DIR FILE",
		Short: "Say what another configuration would have recorded of a run",
		Long: "Decides again about everything that happened in a recorded run, by another configuration: how many events of each region\n" +
			"are traced, on which units, the first and the last execution, the bytes of the streams, and the time that it takes.\n" +
			"The record must hold what the configuration asks about: all of it with `trace run --audit`, else the events that were on\n" +
			"everywhere. Counts that depend on time or on the order of threads have a range.",
		Example: examples("pentode trace simulate --record traced trace_config.txt", "pentode trace simulate --record traced -s Lexgion.default.tracing_rate=10 --format json trace_config.txt"),
		RunE: func(_ *cobra.Command, paths []string) error {
			rec, err := a.record(&r, paths)
			if err != nil {
				return err
			}
			f, err := rec.simulate(rec.policy)
			if err != nil {
				return a.no(err)
			}
			if format == "json" {
				return a.json(f)
			}
			a.forecast(f, units)
			return nil
		},
	}
	r.flags(cmd)
	cmd.Flags().BoolVar(&units, "units", false, "a row for each rank, team and thread")
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	return a.reads(cmd, "pinsight")
}

// forecast prints a forecast for a person.
func (a *app) forecast(f *forecast.Forecast, units bool) {
	out := visible.Below(a.out)
	name := f.Program
	if name == "" {
		name = "the run"
	}
	fmt.Fprintf(out, "%s: %s\n", name, costText(f))
	for _, n := range f.Notes {
		fmt.Fprintln(out, n)
	}
	if len(f.Rows) == 0 {
		return
	}
	fmt.Fprintln(out)
	columns.Write(out, forecastRows(f, units), "  ")
	if len(f.Ranks) > 1 {
		fmt.Fprintln(out)
		columns.Write(out, rankRows(f), "  ")
	}
}

// costText is what a forecast comes to, in one line.
func costText(f *forecast.Forecast) string {
	return fmt.Sprintf("%s of %s, %s, %s%s of all threads, %s of the one with most", rangeText(f.Traced, f.Low, f.High), count(int(f.Happened), "event", "events"),
		count(int(f.Bytes), "byte", "bytes"), about(f), short(time.Duration(f.Time)), forecast.Percent(f.Overhead))
}

// about stands before times that were not measured on this machine.
func about(f *forecast.Forecast) string {
	if f.Cost.Measured {
		return ""
	}
	return "about "
}

// rangeText is a count, with what it can be where that is not settled.
func rangeText(n, low, high uint64) string {
	if low == high {
		return live.Grouped(n)
	}
	return fmt.Sprintf("%s (%s to %s)", live.Grouped(n), live.Grouped(low), live.Grouped(high))
}

// forecastRows are the rows with their heads: for each unit, or for all units together.
func forecastRows(f *forecast.Forecast, units bool) [][]string {
	head := []string{"region", "event", "traced", "of", "first", "last", "bytes", "time"}
	if units {
		head = slices.Insert(head, 2, "rank", "team", "thread")
	}
	rows := [][]string{head}
	list := f.Rows
	if !units {
		list = together(list)
	}
	region := ""
	for i := range list {
		r := &list[i]
		first, last := "", ""
		if r.Traced > 0 {
			first, last = live.Grouped(uint64(r.First)), live.Grouped(uint64(r.Last))
		}
		cells := []string{r.Event, rangeText(r.Traced, r.Low, r.High), live.Grouped(r.Happened), first, last, live.Grouped(uint64(r.Bytes)), short(time.Duration(r.Time))}
		if units {
			cells = slices.Insert(cells, 1, strconv.Itoa(int(r.Rank)), strconv.Itoa(int(r.Team)), strconv.Itoa(int(r.Thread)))
		}
		name := r.Title()
		if name == region {
			name = ""
		} else {
			region = name
		}
		rows = append(rows, append([]string{name}, cells...))
	}
	return rows
}

// together adds up the units of each region and event. Rows come sorted.
func together(rows []forecast.Row) []forecast.Row {
	var list []forecast.Row
	for _, r := range rows {
		n := len(list)
		if n == 0 || list[n-1].Region != r.Region || list[n-1].Domain != r.Domain || list[n-1].Event != r.Event {
			list = append(list, r)
			continue
		}
		sum := &list[n-1]
		if r.Traced > 0 {
			if sum.Traced == 0 || r.First < sum.First {
				sum.First = r.First
			}
			sum.Last = max(sum.Last, r.Last)
		}
		sum.Traced, sum.Happened, sum.Low, sum.High = sum.Traced+r.Traced, sum.Happened+r.Happened, sum.Low+r.Low, sum.High+r.High
		sum.Bytes, sum.Time = sum.Bytes+r.Bytes, sum.Time+r.Time
	}
	return list
}

// rankRows is how many events of each kind each rank would have.
func rankRows(f *forecast.Forecast) [][]string {
	var events []string
	for _, r := range f.Ranks {
		for e := range r.Events {
			if !slices.Contains(events, e) {
				events = append(events, e)
			}
		}
	}
	slices.Sort(events)
	rows := [][]string{append([]string{"rank"}, events...)}
	for _, r := range f.Ranks {
		row := []string{strconv.Itoa(int(r.Rank))}
		for _, e := range events {
			row = append(row, live.Grouped(r.Events[e]))
		}
		rows = append(rows, row)
	}
	return rows
}

// budgetFlags are the flags of `trace budget`.
type budgetFlags struct {
	recordFlags
	overhead, bytes string
	keep            []string
	write, check    bool
}

func (a *app) traceBudgetVerb() *cobra.Command {
	var b budgetFlags
	cmd := &cobra.Command{
		Use:   "budget --record DIR [--overhead SHARE] [--bytes SIZE] FILE",
		Short: "Change a configuration so that tracing stays within a budget",
		Long: "Asks a recorded run what a configuration costs, as `pentode trace simulate` does, and looks for the smallest change that keeps the budget:\n" +
			"one rate, event, limit or set of units where that is enough. It shows the change, and what is lost by it; -w writes it. Where the budget\n" +
			"cannot be kept, it says by how much and why. With --check it changes nothing, and exit code 1 means that the budget is not kept.\n" +
			"Without --overhead and --bytes the budget is that of `[trace]` in pentode.toml.",
		Example: examples("pentode trace budget --record traced --overhead 1% --bytes 2GB --keep step trace_config.txt", "pentode trace budget --record traced --check trace_config.txt"),
		RunE:    func(_ *cobra.Command, paths []string) error { return a.traceBudget(&b, paths) },
	}
	b.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&b.overhead, "overhead", "", "the `SHARE` of the run's time that tracing may take on any thread, such as 1%")
	f.StringVar(&b.bytes, "bytes", "", "the `SIZE` that the streams may have, such as 2GB")
	f.StringArrayVar(&b.keep, "keep", nil, "an `EVENT|REGION` of which nothing is lost (repeatable)")
	f.BoolVarP(&b.write, "write", "w", false, "write the change into the file")
	f.BoolVar(&b.check, "check", false, "only say whether the budget is kept")
	return a.reads(cmd, "pinsight")
}

func (a *app) traceBudget(b *budgetFlags, paths []string) error {
	if b.write && b.check {
		return errors.New("--check changes nothing: leave -w out")
	}
	rec, err := a.record(&b.recordFlags, paths)
	if err != nil {
		return err
	}
	budget, err := b.budget(rec.space.Project(rec.config.Document.File.Path()))
	if err != nil {
		return err
	}
	now, err := rec.simulate(rec.policy)
	if err != nil {
		return a.no(err)
	}
	kept, err := b.kept(now)
	if err != nil {
		return err
	}
	out := visible.Below(a.out)
	fmt.Fprintf(out, "%s: %s\n", rec.config.Document.File.Path(), costText(now))
	for _, n := range now.Notes {
		fmt.Fprintln(out, n)
	}
	if over := budget.Excess(now); over <= 1 {
		fmt.Fprintf(out, "that keeps the budget of %s\n", budgetText(budget))
		return nil
	} else if b.check {
		return a.no(fmt.Errorf("that is %.3g times the budget of %s; without --check this verb says what to change", over, budgetText(budget)))
	}
	search := forecast.Search{Budget: budget, Now: now, Kept: kept, Try: func(list []forecast.Setting) (*forecast.Forecast, error) {
		edited, err := rec.edit(list)
		if err != nil {
			return nil, err
		}
		p, err := policyOf(edited.Config)
		if err != nil {
			return nil, err
		}
		return rec.simulate(p)
	}}
	return a.budgetPlan(rec, budget, now, search.Find(), b.write)
}

// edit makes settings in the file.
func (r *traceRecord) edit(list []forecast.Setting) (*lang.Edited, error) {
	return r.config.Edit(traced.Assignments(list)...)
}

// budgetPlan shows a plan, and writes it.
func (a *app) budgetPlan(rec *traceRecord, budget forecast.Budget, now *forecast.Forecast, plan *forecast.Plan, write bool) error {
	out := visible.Below(a.out)
	if plan.Excess > 1 {
		fmt.Fprintf(out, "the least that was found is %s\n", costText(plan.After))
		return a.no(fmt.Errorf("the budget of %s cannot be kept: that is still %.3g times as much. %s", budgetText(budget), plan.Excess, whyOver(budget, plan.After)))
	}
	edited, err := rec.edit(plan.Settings)
	if err != nil {
		return a.no(err)
	}
	fmt.Fprintf(out, "with this change: %s\n", costText(plan.After))
	fmt.Fprintf(out, "that keeps the budget of %s\n\n", budgetText(budget))
	if err := writeDiff(a.out, edited.Changes); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nwhat is lost:\n")
	columns.Write(out, lossRows(now, plan.After), "  ")
	if !write {
		return nil
	}
	return workspace.Write(edited.Changes...)
}

// whyOver says what of a forecast no setting takes away.
func whyOver(b forecast.Budget, f *forecast.Forecast) string {
	if b.Bytes > 0 && f.Bytes > b.Bytes {
		return fmt.Sprintf("What is to be kept, and what belongs to no region, takes %s", count(int(f.Bytes), "byte", "bytes"))
	}
	return fmt.Sprintf("%s are not recorded and still cost %.3g ns each, until their domain is OFF; %s are to be kept or belong to no region",
		count(int(f.Happened-f.Traced), "event", "events"), f.Cost.Against, live.Grouped(f.Traced))
}

func budgetText(b forecast.Budget) string {
	var parts []string
	if b.Overhead > 0 {
		parts = append(parts, forecast.Percent(b.Overhead))
	}
	if b.Bytes > 0 {
		parts = append(parts, bytesize.Format(b.Bytes))
	}
	return strings.Join(parts, " and ")
}

// lossRows are the regions and events of which fewer are traced.
func lossRows(now, after *forecast.Forecast) [][]string {
	left := map[[3]string]uint64{}
	for _, r := range together(after.Rows) {
		left[[3]string{r.Domain, r.Region, r.Event}] = r.Traced
	}
	rows := [][]string{{"region", "event", "traced", "of", "lost"}}
	region := ""
	for _, r := range together(now.Rows) {
		n := left[[3]string{r.Domain, r.Region, r.Event}]
		if n >= r.Traced {
			continue
		}
		name := r.Title()
		if name == region {
			name = ""
		} else {
			region = name
		}
		rows = append(rows, []string{name, r.Event, live.Grouped(n), live.Grouped(r.Traced), percentOf(int64(r.Traced-n), int64(r.Traced))})
	}
	return rows
}

// budget is that of the flags, else of the project.
func (b *budgetFlags) budget(p *project.Project) (forecast.Budget, error) {
	budget := forecast.Budget{}
	if b.overhead == "" && b.bytes == "" {
		budget.Overhead, budget.Bytes = p.TraceOverhead, p.TraceBytes
	}
	if b.overhead != "" {
		share, ok := project.ParseShare(b.overhead)
		if !ok {
			return budget, fmt.Errorf("--overhead takes a share such as 1%%, not `%s`", b.overhead)
		}
		budget.Overhead = share
	}
	if b.bytes != "" {
		n, ok := bytesize.Parse(b.bytes)
		if !ok || n == 0 {
			return budget, fmt.Errorf("--bytes takes a size such as 2GB, not `%s`", b.bytes)
		}
		budget.Bytes = n
	}
	if budget == (forecast.Budget{}) {
		return budget, errors.New("give the budget with --overhead or --bytes, or in `[trace]` of pentode.toml")
	}
	return budget, nil
}

// kept finds the rows that --keep names.
func (b *budgetFlags) kept(f *forecast.Forecast) (func(*forecast.Row) bool, error) {
	for _, name := range b.keep {
		if slices.ContainsFunc(f.Rows, func(r forecast.Row) bool { return r.Is(name) }) {
			continue
		}
		var names []string
		for i := range f.Rows {
			names = append(names, f.Rows[i].Region, f.Rows[i].Event)
		}
		return nil, fmt.Errorf("the record has no event and no region `%s`%s", name, near(name, names))
	}
	return func(r *forecast.Row) bool {
		return slices.ContainsFunc(b.keep, func(name string) bool { return r.Is(name) })
	}, nil
}

func (a *app) traceCalibrateVerb() *cobra.Command {
	var compiler string
	cmd := &cobra.Command{
		Use:   "calibrate [-- PROGRAM]",
		Short: "Measure what an event costs on this machine",
		Long: "Measures what an event costs where it is recorded, where it is decided against, and where its domain is off: of locks of the OpenMP\n" +
			"runtime that a program is linked with, or without one of regions that a program marks itself. It takes seconds, and is kept for\n" +
			"`pentode trace simulate` and `pentode trace budget`, which else say \"about\". The last one counts.",
		Example: examples("pentode trace calibrate", "pentode trace calibrate -- ./solver"),
		RunE: func(_ *cobra.Command, args []string) error {
			c, path, err := traced.Calibrate(context.Background(), args, compiler)
			if err != nil {
				return a.no(err)
			}
			of := "regions that a program marks"
			if c.Runtime != "" {
				of = "locks of " + c.Runtime
			}
			fmt.Fprintf(a.out, "an event costs %.3g ns where it is recorded, %.3g ns where it is decided against, %.3g ns where its domain is off (%s)\n", c.Cost.Recorded, c.Cost.Against, c.Cost.Off, of)
			fmt.Fprintf(a.err, "kept in `%s`, for this machine and this version of the tracer\n", path)
			return nil
		},
	}
	cmd.Flags().StringVar(&compiler, "cc", "", "the C `COMPILER` that builds the tracer (default: cc, or the one of the program's MPI)")
	return cmd
}
