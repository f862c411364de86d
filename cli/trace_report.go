package cli

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/cxxname"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/trace/query"
	"github.com/pentode-dev/pentode/run/trace/report"
	"github.com/pentode-dev/pentode/run/trace/why"
)

func (a *app) traceReportVerb() *cobra.Command {
	var by, format, compare string
	var all bool
	bys := strings.Join(report.Bys, "|")
	cmd := &cobra.Command{
		Use:   "report [--by " + bys + "] DIR",
		Short: "Summarize a recorded trace: counts and times",
		Long: "Summarizes the traces at or below a folder, from any version of this program, LTTng or PInsight, or the trace.json of a run\n" +
			"with pipelines: how often each region or call ran, its time with and without the ones inside it, how evenly threads share\n" +
			"it, and which rank sent messages to which. Lost events, and begins without an end, are reported.\n" +
			"--compare reports what became slower or faster since an earlier trace, and marks differences that may be chance, because\n" +
			"the executions of the row vary as much.",
		Example: examples("pentode trace report --by call --format csv traced > calls.csv", "pentode trace report --compare before traced"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			if len(dirs) != 1 {
				return errors.New("give the folder of one trace; `pentode trace merge` makes one trace of several")
			}
			r, err := a.makeReport(dirs[0], report.By(by))
			if err != nil {
				return err
			}
			if compare != "" {
				before, err := a.makeReport(compare, report.By(by))
				if err != nil {
					return err
				}
				return a.reportComparison(report.Compare(before, r), format, shownRows(all))
			}
			switch format {
			case "json":
				return a.json(jsonReport{1, r})
			case "csv":
				return a.reportCSV(r)
			case "html":
				return a.buffered(func() error { return reportHTML(a.out, r) })
			}
			a.reportText(r, shownRows(all))
			return nil
		},
	}
	cmd.Flags().StringVar(&by, "by", string(report.Region), "a row for each `"+bys+"`")
	cmd.Flags().StringVar(&format, "format", "text", "`text|json|csv|html`")
	cmd.Flags().StringVar(&compare, "compare", "", "compare with an earlier trace in this `FOLDER`")
	cmd.Flags().BoolVar(&all, "all", false, "print all rows, not the first ten")
	return a.wideFlag(cmd)
}

// jsonReport is the output of `trace report --format json`, and jsonComparison the output with --compare.
type (
	jsonReport struct {
		Version int `json:"version"`
		*report.Report
	}
	jsonComparison struct {
		Version int `json:"version"`
		*report.Comparison
	}
)

// jsonCauses is the output of `trace why --format json`.
type jsonCauses struct {
	Version int `json:"version"`
	*why.Findings
}

func (a *app) makeReport(dir string, by report.By) (*report.Report, error) {
	t, err := a.openTrace(dir)
	if err != nil {
		return nil, err
	}
	r, err := report.Make(t, by)
	return r, a.no(err)
}

// reportText prints a report as text.
func (a *app) reportText(r *report.Report, most int) {
	a.line("%s: %s in %s, %s, %s", cmp.Or(r.Program, "the trace"), quantity.Count(r.Events, "event", "events"), quantity.Duration(time.Duration(r.Elapsed)),
		quantity.Count(r.Processes, "process", "processes"), quantity.Count(r.Threads, "thread", "threads"))
	if r.Lost > 0 {
		a.line("%s lost to full buffers: the figures below are too small", quantity.Count(r.Lost, "event was", "events were"))
	}
	if r.Unfinished > 0 {
		a.line("%s no end in the trace, and no time in the table", quantity.Count(r.Unfinished, "begin has", "begins have"))
	}
	fmt.Fprintln(a.out)
	rows := reportRows(r, most)
	a.shortNames(rows, 0)
	a.table(rows, reportColumns(r.By))
	if more := len(r.Rows) - most; most > 0 && more > 0 {
		a.line("and %s; --all shows them", quantity.Count(more, "more row", "more rows"))
	}
	if len(r.Sizes) > 0 {
		fmt.Fprintln(a.out)
		rows := [][]string{{"call", "from bytes", "count", "bytes", "total"}}
		for _, s := range r.Sizes {
			rows = append(rows, []string{s.Call, quantity.Number(s.From), quantity.Number(s.Count), quantity.Number(s.Bytes), quantity.Duration(time.Duration(s.Total))})
		}
		a.columns(rows, columns.Name, columns.Figure, columns.Figure, columns.Figure, columns.Figure)
	}
	if len(r.Messages) > 0 {
		fmt.Fprintln(a.out)
		rows := [][]string{{"from rank", "to rank", "messages", "bytes"}}
		for i, m := range r.Messages {
			if most > 0 && i == most {
				rows = append(rows, []string{"…"})
				break
			}
			rows = append(rows, []string{strconv.Itoa(m.From), strconv.Itoa(m.To), quantity.Number(m.Count), quantity.Number(m.Bytes)})
		}
		a.columns(rows, columns.Figure, columns.Figure, columns.Figure, columns.Figure)
	}
	if r.Unknown > 0 {
		a.line("%s to unknown ranks: the creation of the communicator is not in the trace", quantity.Count(r.Unknown, "message went", "messages went"))
	}
}

// shownRows returns the maximum number of rows to print; 0: all.
func shownRows(all bool) int {
	if all {
		return 0
	}
	return 10
}

// shortNames shortens C++ names in a column, except its header, if the table has to fit a terminal.
func (a *app) shortNames(rows [][]string, column int) {
	if a.room() == 0 {
		return
	}
	var names []string
	for _, row := range rows[1:] {
		names = append(names, row[column])
	}
	for i, name := range cxxname.Short(names) {
		rows[i+1][column] = name
	}
}

// reportColumns returns the columns of a report. The columns that stay on a narrow terminal show where to look first.
func reportColumns(by report.By) []columns.Column {
	list := []columns.Column{{Kind: columns.Name}}
	if by == report.Event {
		return append(list, columns.Column{Kind: columns.Figure})
	}
	for _, keep := range []int{0, 0, 9, 7, 10, 3, 5, 6, 2, 8, 4} {
		list = append(list, columns.Column{Kind: columns.Figure, Keep: keep})
	}
	return append(list, columns.Column{Kind: columns.Name, Keep: 1})
}

// reportRows returns the header row and the rows of a report.
func reportRows(r *report.Report, most int) [][]string {
	list := r.Rows
	if most > 0 {
		list = list[:min(most, len(list))]
	}
	if r.By == report.Event {
		rows := [][]string{{"event", "count"}}
		for _, row := range list {
			rows = append(rows, []string{row.Name, quantity.Number(row.Count)})
		}
		return rows
	}
	rows := [][]string{{string(r.By), "count", "total", "self", "wait", "mean", "median", "p99", "longest", "threads", "imbalance", "waste", "slowest"}}
	for _, row := range list {
		cells := []string{row.Name, quantity.Number(row.Count), quantity.Duration(time.Duration(row.Total)), quantity.Duration(time.Duration(row.Self)), quantity.ShareOf(row.Wait, row.Total)}
		for _, t := range []int64{row.Mean, row.Median, row.P99, row.Longest} {
			cells = append(cells, quantity.Duration(time.Duration(t)))
		}
		rows = append(rows, append(cells, strconv.Itoa(row.Threads), quantity.Share(row.Imbalance), quantity.Duration(time.Duration(row.Waste)), row.Slowest))
	}
	return rows
}

// reportCSV prints the rows for a spreadsheet, with times in nanoseconds.
func (a *app) reportCSV(r *report.Report) error {
	out := csv.NewWriter(a.out)
	head := []string{string(r.By), "count", "total_ns", "self_ns", "mean_ns", "median_ns", "p99_ns", "longest_ns", "threads", "imbalance", "waste_ns", "wait_ns", "spread_ns", "slowest"}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, row := range r.Rows {
		cells := []string{row.Name, strconv.FormatUint(row.Count, 10)}
		for _, n := range []int64{row.Total, row.Self, row.Mean, row.Median, row.P99, row.Longest, int64(row.Threads)} {
			cells = append(cells, strconv.FormatInt(n, 10))
		}
		cells = append(cells, strconv.FormatFloat(row.Imbalance, 'g', 4, 64))
		for _, n := range []int64{row.Waste, row.Wait, row.Spread} {
			cells = append(cells, strconv.FormatInt(n, 10))
		}
		if err := out.Write(append(cells, row.Slowest)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

//go:embed trace_report.css
var reportStyle string

// maxMatrix is the largest number of ranks for which messages are shown as a matrix.
const maxMatrix = 64

// reportHTML writes a report as a page that needs no other file. Names from the trace are
// escaped when a cell is written, and nowhere else. Go's templates would do it too, but make the
// program a tenth larger.
func reportHTML(w io.Writer, r *report.Report) error {
	var p reportPage
	p.head(cmp.Or(r.Program, "Trace"))
	p.line("<h1>%s</h1>", html.EscapeString(cmp.Or(r.Program, "The trace")))
	p.line("<p>%s events in %s, processes: %d, threads: %d</p>", quantity.Number(r.Events), quantity.Duration(time.Duration(r.Elapsed)), r.Processes, r.Threads)
	p.missing(r.Lost, "events were lost to full buffers: the figures below are too small.")
	p.missing(r.Unfinished, "begins have no end in the trace, and no time in the table.")
	p.rows(r)
	p.sizes(r.Sizes)
	p.messages(r.Messages)
	p.missing(r.Unknown, "messages went to unknown ranks: the creation of the communicator is not in the trace.")
	p.line("</html>")
	_, err := io.WriteString(w, p.text.String())
	return err
}

type reportPage struct{ text strings.Builder }

func (p *reportPage) line(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

func (p *reportPage) head(title string) {
	p.line("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">")
	p.line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">")
	p.line("<title>%s: report</title>\n<style>\n%s</style>", html.EscapeString(title), reportStyle)
}

// missing writes what the report lacks, if anything.
func (p *reportPage) missing(n uint64, what string) {
	if n > 0 {
		p.line("<p class=\"missing\">%s %s</p>", quantity.Number(n), what)
	}
}

// table begins a table under a title; its first row has the names of the columns.
func (p *reportPage) table(title string, names ...string) {
	p.line("<h2>%s</h2>\n<div class=\"scroll\"><table>", title)
	p.text.WriteString("<tr>")
	for _, name := range names {
		p.text.WriteString("<th>" + name)
	}
	p.line("</tr>")
}

func (p *reportPage) end() { p.line("</table></div>") }

// row writes the cells of a row. The first cell may have attributes.
func (p *reportPage) row(attributes string, cells ...string) {
	p.text.WriteString("<tr>")
	for i, cell := range cells {
		p.text.WriteString("<td")
		if i == 0 {
			p.text.WriteString(attributes)
		}
		p.text.WriteString(">" + html.EscapeString(cell))
	}
	p.line("</tr>")
}

func (p *reportPage) rows(r *report.Report) {
	if r.By == report.Event {
		p.table("By event", "event", "count")
		for i := range r.Rows {
			p.row("", r.Rows[i].Name, quantity.Number(r.Rows[i].Count))
		}
		p.end()
		return
	}
	p.table("By "+string(r.By), string(r.By), "count", "total", "self", "wait", "mean", "median", "p99", "longest", "threads", "imbalance", "waste", "slowest")
	most := int64(0)
	for i := range r.Rows {
		most = max(most, r.Rows[i].Total)
	}
	ns := func(n int64) string { return quantity.Duration(time.Duration(n)) }
	for i := range r.Rows {
		row := &r.Rows[i]
		p.row(` class="bar" style="--part: `+fmt.Sprintf("%.0f%%", 100*float64(row.Total)/float64(max(most, 1)))+`"`, row.Name, quantity.Number(row.Count), ns(row.Total), ns(row.Self), quantity.ShareOf(row.Wait, row.Total),
			ns(row.Mean), ns(row.Median), ns(row.P99), ns(row.Longest), strconv.Itoa(row.Threads), quantity.Share(row.Imbalance), ns(row.Waste), row.Slowest)
	}
	p.end()
}

func (p *reportPage) sizes(list []report.Size) {
	if len(list) == 0 {
		return
	}
	p.table("MPI by message size", "call", "from bytes", "count", "bytes", "total")
	for _, s := range list {
		p.row("", s.Call, quantity.Number(s.From), quantity.Number(s.Count), quantity.Number(s.Bytes), quantity.Duration(time.Duration(s.Total)))
	}
	p.end()
}

// messages shows who sent how much to whom: as a matrix, or as a list if a matrix would be too large.
func (p *reportPage) messages(list []report.Traffic) {
	if len(list) == 0 {
		return
	}
	rows := matrix(list)
	if rows == nil {
		p.table("Messages", "from rank", "to rank", "messages", "bytes")
		for _, t := range list {
			p.row("", strconv.Itoa(t.From), strconv.Itoa(t.To), quantity.Number(t.Count), quantity.Number(t.Bytes))
		}
		p.end()
		return
	}
	names := []string{"bytes from the row's rank to the column's rank"}
	for to := range rows {
		names = append(names, strconv.Itoa(to))
	}
	p.table("Messages", names...)
	for from, row := range rows {
		cells := []string{strconv.Itoa(from)}
		for _, t := range row {
			cell := ""
			if t.Count > 0 {
				cell = quantity.Number(t.Bytes)
			}
			cells = append(cells, cell)
		}
		p.row("", cells...)
	}
	p.end()
}

// matrix returns who sent how much to whom, or nil if the matrix would be too large.
func matrix(list []report.Traffic) [][]report.Traffic {
	ranks := 0
	for _, t := range list {
		ranks = max(ranks, t.From+1, t.To+1)
	}
	if ranks > maxMatrix {
		return nil
	}
	rows := make([][]report.Traffic, ranks)
	for i := range rows {
		rows[i] = make([]report.Traffic, ranks)
	}
	for _, t := range list {
		rows[t.From][t.To] = t
	}
	return rows
}

// reportComparison prints what differs between two traces.
func (a *app) reportComparison(c *report.Comparison, format string, most int) error {
	switch format {
	case "json":
		return a.json(jsonComparison{1, c})
	case "csv":
		return a.comparisonCSV(c)
	case "html":
		return errors.New("--compare writes text, json or csv")
	}
	a.line("%s in %s, before %s in %s", quantity.Count(c.After.Events, "event", "events"), quantity.Duration(time.Duration(c.After.Elapsed)),
		quantity.Number(c.Before.Events), quantity.Duration(time.Duration(c.Before.Elapsed)))
	for i, r := range []*report.Report{c.Before, c.After} {
		if r.Lost > 0 {
			a.line("%s lost to full buffers in the %s trace: its totals and counts are too small", quantity.Count(r.Lost, "event was", "events were"), [...]string{"earlier", "later"}[i])
		}
	}
	fmt.Fprintln(a.out)
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
	a.shortNames(rows, 0)
	kinds := []columns.Kind{columns.Name, columns.Text}
	for range rows[0][2:] {
		kinds = append(kinds, columns.Figure)
	}
	a.columns(rows, kinds...)
	if more := len(c.Rows) - most; most > 0 && more > 0 {
		a.line("and %s; --all shows them", quantity.Count(more, "more row", "more rows"))
	}
	return nil
}

// differenceCells returns a difference as shown on the terminal.
func differenceCells(by report.By, d *report.Difference) []string {
	of := func(r *report.Row, text func(*report.Row) string) string {
		if r == nil {
			return "–"
		}
		return text(r)
	}
	counted := func(r *report.Row) string { return quantity.Number(r.Count) }
	if by == report.Event {
		return []string{d.Name, string(d.Change), of(d.After, counted), of(d.Before, counted)}
	}
	mean := func(r *report.Row) string { return quantity.Duration(time.Duration(r.Mean)) }
	total := func(r *report.Row) string { return quantity.Duration(time.Duration(r.Total)) }
	more := "+" + quantity.Duration(time.Duration(d.Cost))
	if d.Cost < 0 {
		more = "-" + quantity.Duration(time.Duration(-d.Cost))
	}
	return []string{d.Name, string(d.Change), of(d.After, mean), of(d.Before, mean), of(d.After, counted), of(d.Before, counted), of(d.After, total), more}
}

// comparisonCSV prints the rows for a spreadsheet. Values missing in one of the traces are empty.
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

func (a *app) traceWhyVerb() *cobra.Command {
	var format string
	var all bool
	var kinds strings.Builder
	for _, k := range why.Kinds {
		fmt.Fprintf(&kinds, "\n  %s: %s", k.Kind, k.Doc)
	}
	cmd := &cobra.Command{
		Use:   "why DIR",
		Short: "Say why a traced program is not faster",
		Long: "Finds where threads, ranks and pipeline processes wait, for whom, what that costs, and the place in the source. It reads the\n" +
			"traces at or below a folder, or the trace.json of a run with pipelines. A cost is the sum over all threads; a pipeline\n" +
			"process counts as one thread. Do not add costs up: one cause may lead to another. Causes, none of them about\n" +
			"MPI windows:" + kinds.String(),
		Example: examples("pentode trace why traced", "pentode trace why --format json traced"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			if len(dirs) != 1 {
				return errors.New("give the folder of one trace; `pentode trace merge` makes one trace of several")
			}
			t, err := a.openTrace(dirs[0])
			if err != nil {
				return err
			}
			found, err := why.Find(t)
			if err != nil {
				return a.no(err)
			}
			if format == "json" {
				return a.json(jsonCauses{1, found})
			}
			a.causes(found, shownRows(all))
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	cmd.Flags().BoolVar(&all, "all", false, "print all causes, not the first ten")
	return a.wideFlag(cmd)
}

// causes prints the reasons why a program is not faster.
func (a *app) causes(f *why.Findings, most int) {
	a.line("%s: %s of %s", cmp.Or(f.Program, "the trace"), quantity.Duration(time.Duration(f.Elapsed)), quantity.Count(f.Threads, "thread", "threads"))
	if f.Lost > 0 {
		a.line("%s lost to full buffers: there may be more causes than these", quantity.Count(f.Lost, "event was", "events were"))
	}
	if f.Unmatched > 0 {
		a.line("%s no counterpart in the trace: their waiting time is unknown", quantity.Count(f.Unmatched, "call of MPI has", "calls of MPI have"))
	}
	if f.Programs > 0 {
		a.line("%s of traced programs: their own traces, in the folders below, show why they wait", quantity.Count(f.Programs, "row is", "rows are"))
	}
	if len(f.Causes) == 0 {
		a.line("the trace has no waits; trace omp_sync_region_wait, omp_implicit_task and omp_mutex_acquire for OpenMP, flow_block for pipelines")
		return
	}
	fmt.Fprintln(a.out)
	table := [][]string{{"cost", "share", "cause", "where", "times", "longest", "mostly for"}}
	for i, c := range f.Causes {
		if most > 0 && i == most {
			break
		}
		table = append(table, []string{
			quantity.Duration(time.Duration(c.Cost)), quantity.ShareOf(c.Cost, f.Elapsed*int64(f.Threads)), string(c.Kind), c.Where, quantity.Number(c.Count), quantity.Duration(time.Duration(c.Longest)), c.For,
		})
	}
	a.shortNames(table, 3)
	a.shortNames(table, 6)
	a.table(table, []columns.Column{
		{Kind: columns.Figure}, {Kind: columns.Figure}, {}, {Kind: columns.Name}, {Kind: columns.Figure, Keep: 1}, {Kind: columns.Figure, Keep: 2}, {Kind: columns.Name, Keep: 3},
	})
	if more := len(f.Causes) - most; most > 0 && more > 0 {
		a.line("and %s; --all shows them", quantity.Count(more, "more cause", "more causes"))
	}
}

func (a *app) traceQueryVerb() *cobra.Command {
	var columns strings.Builder
	for _, c := range query.Columns() {
		fmt.Fprintf(&columns, "\n  %-8s  %s", c[0], c[1])
	}
	return &cobra.Command{
		Use:   "query DIR CONDITION",
		Short: "Print the executions and events of a recorded trace that meet a condition",
		Long: "Prints a line of JSON for each matching execution and single event in the traces at or below a folder: thread by thread, in\n" +
			"the order in which they ended. A condition consists of tests such as `dur > 1ms`, joined by `and`, `or`, `not` and brackets.\n" +
			"Compare texts with = and !=, or with regular expressions by ~ and !~; numbers and times with = != < <= > >=; `in` takes a\n" +
			"list, which may have ranges of numbers and times. A test fails if an event lacks the column. The columns are" + columns.String(),
		Example: examples(`pentode trace query traced 'region ~ "relax" and dur > 1ms and rank in 0-3'`, `pentode trace query traced 'call in "MPI_Wait", "MPI_Waitall" and at > 2s'`),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("give the folder of one trace, then the condition in quotes: 'dur > 1ms'")
			}
			q, err := query.Parse(args[1])
			var wrong *query.Error
			if errors.As(err, &wrong) {
				fmt.Fprintf(a.err, "error: %s\n", wrong.Message)
				a.underline(args[1], wrong.Start, wrong.End)
				if wrong.Help != "" {
					fmt.Fprintf(a.err, "help: %s\n", wrong.Help)
				}
				return exitCode(exitMisuse)
			}
			t, err := a.openTrace(args[0])
			if err != nil {
				return err
			}
			n, err := q.Run(a.exact(), t)
			if err == nil && n == 0 {
				fmt.Fprintln(a.err, "nothing in the trace meets the condition")
			}
			return a.no(err)
		},
	}
}
