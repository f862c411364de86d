package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/pentode-dev/pentode/core/columns"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/trace/report"
)

// reportComparison prints what differs between two traces.
func (a *app) reportComparison(c *report.Comparison, format string, most int) error {
	switch format {
	case "json":
		return a.json(c)
	case "csv":
		return a.comparisonCSV(c)
	case "html":
		return errors.New("--compare writes text, json or csv")
	}
	out := visible.Below(a.out)
	fmt.Fprintf(out, "%s in %s, before %s in %s\n", count(int(c.After.Events), "event", "events"), short(time.Duration(c.After.Elapsed)),
		live.Grouped(c.Before.Events), short(time.Duration(c.Before.Elapsed)))
	for i, r := range []*report.Report{c.Before, c.After} {
		if r.Lost > 0 {
			fmt.Fprintf(out, "%s lost to full buffers in the %s trace: totals and counts are less than there were\n", count(int(r.Lost), "event was", "events were"), [...]string{"earlier", "later"}[i])
		}
	}
	fmt.Fprintln(out)
	rows := [][]string{{string(c.By), "", "mean", "before", "count", "before", "total", "more"}}
	if c.By == report.Event {
		rows = [][]string{{string(c.By), "", "count", "before"}}
	}
	for i, d := range c.Rows {
		if most > 0 && i == most {
			break
		}
		rows = append(rows, differenceCells(c.By, &d))
	}
	columns.Write(out, rows, "  ")
	if more := len(c.Rows) - most; most > 0 && more > 0 {
		fmt.Fprintf(out, "and %s; --rows 0 shows all\n", count(more, "more row", "more rows"))
	}
	return nil
}

// differenceCells are a difference as the terminal shows it.
func differenceCells(by report.By, d *report.Difference) []string {
	of := func(r *report.Row, text func(*report.Row) string) string {
		if r == nil {
			return "–"
		}
		return text(r)
	}
	counted := func(r *report.Row) string { return live.Grouped(r.Count) }
	if by == report.Event {
		return []string{d.Name, string(d.Change), of(d.After, counted), of(d.Before, counted)}
	}
	mean := func(r *report.Row) string { return short(time.Duration(r.Mean)) }
	total := func(r *report.Row) string { return short(time.Duration(r.Total)) }
	more := "+" + short(time.Duration(d.Cost))
	if d.Cost < 0 {
		more = "-" + short(time.Duration(-d.Cost))
	}
	return []string{d.Name, string(d.Change), of(d.After, mean), of(d.Before, mean), of(d.After, counted), of(d.Before, counted), of(d.After, total), more}
}

// comparisonCSV prints the rows for a spreadsheet. What is not in a trace is empty.
func (a *app) comparisonCSV(c *report.Comparison) error {
	out := csv.NewWriter(a.out)
	if err := out.Write([]string{string(c.By), "change", "mean_ns", "mean_before_ns", "spread_ns", "spread_before_ns", "count", "count_before", "total_ns", "total_before_ns"}); err != nil {
		return err
	}
	for _, d := range c.Rows {
		cells := []string{d.Name, string(d.Change)}
		for _, get := range []func(*report.Row) int64{
			func(r *report.Row) int64 { return r.Mean }, func(r *report.Row) int64 { return r.Spread },
			func(r *report.Row) int64 { return int64(r.Count) }, func(r *report.Row) int64 { return r.Total },
		} {
			for _, r := range []*report.Row{d.After, d.Before} {
				cell := ""
				if r != nil {
					cell = strconv.FormatInt(get(r), 10)
				}
				cells = append(cells, cell)
			}
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
