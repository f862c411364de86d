package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/trace/forecast"
	"github.com/pentode-dev/pentode/runs/traced"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// forecastFlags are the flags of `trace forecast`.
type forecastFlags struct {
	recordFlags
	as           format
	budget       string
	keep         []string
	write, check bool
	calibrate    bool
	by           string
}

func (a *app) traceForecastVerb() *cobra.Command {
	var f forecastFlags
	cmd := &cobra.Command{
		Use:   "forecast --record DIR FILE",
		Short: "Predict what a configuration would have traced in a recorded run, and its cost",
		Long: "Applies another configuration to everything that happened in a recorded run: how many events of each region it would trace, on\n" +
			"which units, and the bytes and time that takes. The record must contain the events that FILE needs: with `trace record --audit`\n" +
			"all of them, else the events that were on everywhere. --budget finds the smallest change of FILE that keeps a budget; -w writes\n" +
			"it. --calibrate measures the cost of an event on this machine; without it, times are estimates.",
		Example: examples("pentode trace forecast --record traced -s Lexgion.default.tracing_rate=10 trace_config.txt", "pentode trace forecast --record traced --budget overhead=1%,bytes=2GB --keep step -w trace_config.txt"),
		RunE: func(cmd *cobra.Command, args []string) error {
			budget := cmd.Flags().Changed("budget")
			switch {
			case f.calibrate:
				return a.calibrate(args)
			case !budget && (f.write || f.check || len(f.keep) > 0):
				return errors.New("-w, --check and --keep need a budget: give --budget")
			case budget && f.as == asJSON:
				return errors.New("--budget prints text only: leave --format out")
			case budget:
				return a.traceBudget(&f, args)
			}
			return a.traceForecast(&f, args)
		},
	}
	f.flags(cmd)
	fl := cmd.Flags()
	fl.StringVar((*string)(&f.as), "format", string(asText), "`text|json`")
	fl.StringVar(&f.by, "by", "region", "a row for each `region|unit`; a unit is a rank, team or thread")
	fl.StringVar(&f.budget, "budget", "", "the limits of tracing: `overhead=SHARE,bytes=SIZE`, one of them, or project for `[trace]` of pentode.toml")
	fl.StringArrayVar(&f.keep, "keep", nil, "an `EVENT|REGION` that the budget must not reduce (repeatable)")
	fl.BoolVarP(&f.write, "write", "w", false, "write the change into the file")
	fl.BoolVar(&f.check, "check", false, "change nothing: exit 1 if the budget is not kept")
	fl.BoolVar(&f.calibrate, "calibrate", false, "measure the cost on this machine; give a program and its arguments after --")
	return a.wideFlag(a.reads(cmd, "pinsight"))
}

func (a *app) traceForecast(f *forecastFlags, paths []string) error {
	rec, err := a.record(&f.recordFlags, paths)
	if err != nil {
		return err
	}
	cost, err := rec.simulate(rec.policy)
	if err != nil {
		return a.no(err)
	}
	if f.as == asJSON {
		return a.json(cost)
	}
	a.forecast(cost, f.by == "unit")
	return nil
}

// forecast prints a forecast as text.
func (a *app) forecast(f *forecast.Forecast, units bool) {
	a.line("%s: %s", cmp.Or(f.Program, "the run"), costText(f))
	for _, n := range f.Notes {
		a.line("%s", n)
	}
	if len(f.Rows) == 0 {
		return
	}
	fmt.Fprintln(a.out)
	a.table(forecastRows(f, units), forecastColumns(units))
	if len(f.Ranks) > 1 {
		fmt.Fprintln(a.out)
		rows := rankRows(f)
		a.table(rows, figuresAfter(1, len(rows[0])))
	}
}

// costText returns the totals of a forecast in one line.
func costText(f *forecast.Forecast) string {
	return fmt.Sprintf("%s of %s, %s, %s%s of all threads, %s of the thread with the most", rangeText(f.Traced, f.Low, f.High), quantity.Count(f.Happened, "event", "events"),
		quantity.Count(f.Bytes, "byte", "bytes"), about(f), quantity.Duration(time.Duration(f.Time)), quantity.Share(f.Overhead))
}

// about returns the prefix of times that were not measured on this machine.
func about(f *forecast.Forecast) string {
	if f.Cost.Measured {
		return ""
	}
	return "about "
}

// rangeText returns a count, with its range if it is uncertain.
func rangeText(n, low, high uint64) string {
	if low == high {
		return quantity.Number(n)
	}
	return fmt.Sprintf("%s (%s to %s)", quantity.Number(n), quantity.Number(low), quantity.Number(high))
}

// forecastColumns returns the columns of a forecast.
func forecastColumns(units bool) []columns.Column {
	list := []columns.Column{{Kind: columns.Name}, {Kind: columns.Name}}
	if units {
		list = append(list, columns.Of(columns.Figure, columns.Figure, columns.Figure)...)
	}
	for _, keep := range []int{0, 4, 1, 2, 5, 6} {
		list = append(list, columns.Column{Kind: columns.Figure, Keep: keep})
	}
	return list
}

// figuresAfter returns n columns of figures. On a narrow terminal all but the first `stay` columns may be left out, the last one first.
func figuresAfter(stay, n int) []columns.Column {
	list := make([]columns.Column, n)
	for i := range list {
		list[i].Kind = columns.Figure
		if i >= stay {
			list[i].Keep = n - i
		}
	}
	return list
}

// forecastRows returns the header row and the rows: for each unit, or for all units together.
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
			first, last = quantity.Number(r.First), quantity.Number(r.Last)
		}
		cells := []string{r.Event, rangeText(r.Traced, r.Low, r.High), quantity.Number(r.Happened), first, last, quantity.Number(r.Bytes), quantity.Duration(time.Duration(r.Time))}
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

// together adds up the units of each region and event. The rows must be sorted.
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

// rankRows returns the number of events of each kind that each rank would have.
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
			row = append(row, quantity.Number(r.Events[e]))
		}
		rows = append(rows, row)
	}
	return rows
}

func (a *app) traceBudget(b *forecastFlags, paths []string) error {
	if b.write && b.check {
		return errors.New("--check never changes the file: leave -w out")
	}
	rec, err := a.record(&b.recordFlags, paths)
	if err != nil {
		return err
	}
	budget, err := b.readBudget(rec.space.Project(rec.config.Document.File.Path()))
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
	a.line("%s: %s", rec.config.Document.File.Path(), costText(now))
	for _, n := range now.Notes {
		a.line("%s", n)
	}
	if over := budget.Excess(now); over <= 1 {
		a.line("this keeps the budget of %s", budgetText(budget))
		return nil
	} else if b.check {
		return a.no(fmt.Errorf("this is %.3g times the budget of %s", over, budgetText(budget)))
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

// edit applies settings to the file.
func (r *traceRecord) edit(list []forecast.Setting) (*lang.Edited, error) {
	return r.config.Edit(traced.Assignments(list)...)
}

// budgetPlan shows a plan, and writes it.
func (a *app) budgetPlan(rec *traceRecord, budget forecast.Budget, now *forecast.Forecast, plan *forecast.Plan, write bool) error {
	if plan.Excess > 1 {
		a.line("the smallest cost that was found is %s", costText(plan.After))
		return a.no(fmt.Errorf("the budget of %s cannot be kept: this is still %.3g times as much. %s", budgetText(budget), plan.Excess, whyOver(budget, plan.After)))
	}
	edited, err := rec.edit(plan.Settings)
	if err != nil {
		return a.no(err)
	}
	a.line("with this change: %s", costText(plan.After))
	a.line("this keeps the budget of %s\n", budgetText(budget))
	if err := writeDiff(a.out, edited.Changes); err != nil {
		return err
	}
	a.line("\nno longer traced:")
	a.columns(lossRows(now, plan.After), columns.Name, columns.Name, columns.Figure, columns.Figure, columns.Figure)
	if !write {
		return nil
	}
	return workspace.Write(edited.Changes...)
}

// whyOver describes what remains over the budget because no setting can reduce it.
func whyOver(b forecast.Budget, f *forecast.Forecast) string {
	if b.Bytes > 0 && f.Bytes > b.Bytes {
		return fmt.Sprintf("Events of --keep and events outside regions take %s", quantity.Count(f.Bytes, "byte", "bytes"))
	}
	return fmt.Sprintf("%s are not recorded and still cost %.3g ns each, until their domain is OFF; %s are to be kept or belong to no region",
		quantity.Count(int(f.Happened-f.Traced), "event", "events"), f.Cost.Against, quantity.Number(f.Traced))
}

func budgetText(b forecast.Budget) string {
	var parts []string
	if b.Overhead > 0 {
		parts = append(parts, quantity.Share(b.Overhead))
	}
	if b.Bytes > 0 {
		parts = append(parts, bytesize.Format(b.Bytes))
	}
	return strings.Join(parts, " and ")
}

// lossRows returns the regions and events that are traced less often.
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
		rows = append(rows, []string{name, r.Event, quantity.Number(n), quantity.Number(r.Traced), quantity.ShareOf(int64(r.Traced-n), int64(r.Traced))})
	}
	return rows
}

// readBudget parses --budget.
func (b *forecastFlags) readBudget(p *project.Project) (forecast.Budget, error) {
	budget := forecast.Budget{}
	if b.budget == "project" {
		budget.Overhead, budget.Bytes = p.Trace.Overhead, p.Trace.Bytes
		if budget == (forecast.Budget{}) {
			return budget, errors.New("pentode.toml has no budget: expected `overhead` or `bytes` in `[trace]`")
		}
		return budget, nil
	}
	for _, part := range strings.Split(b.budget, ",") {
		var ok bool
		switch name, value, _ := strings.Cut(part, "="); name {
		case "overhead":
			budget.Overhead, ok = project.ParseShare(value)
		case "bytes":
			budget.Bytes, ok = bytesize.Parse(value)
			ok = ok && budget.Bytes > 0
		}
		if !ok {
			return budget, fmt.Errorf("--budget takes overhead=1%%,bytes=2GB, one of them, or project, not `%s`", b.budget)
		}
	}
	return budget, nil
}

// kept returns a function that reports whether a --keep flag names the region or event of a row.
func (b *forecastFlags) kept(f *forecast.Forecast) (func(*forecast.Row) bool, error) {
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

// calibrate measures the cost of an event on this machine.
func (a *app) calibrate(program []string) error {
	p, err := a.here()
	if err != nil {
		return err
	}
	a.work.Begin("measuring the cost of events on this machine", "")
	c, path, err := traced.Calibrate(context.Background(), program, p.Trace.Compiler)
	if err != nil {
		return a.no(err)
	}
	of := "regions marked in a program"
	if c.Runtime != "" {
		of = "locks of " + c.Runtime
	}
	fmt.Fprintf(a.out, "an event costs %.3g ns if it is recorded, %.3g ns if it is skipped, %.3g ns if its domain is OFF (%s)\n", c.Cost.Recorded, c.Cost.Against, c.Cost.Off, of)
	fmt.Fprintf(a.err, "saved in `%s`, for this machine and this version of the tracer\n", path)
	return nil
}
