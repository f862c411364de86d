package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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
