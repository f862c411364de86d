package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/columns"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/trace/recorded"
	"github.com/pentode-dev/pentode/run/trace/report"
)

func (a *app) traceReportVerb() *cobra.Command {
	var by, format, compare string
	var rows int
	bys := strings.Join(report.Bys, "|")
	cmd := &cobra.Command{
		Use:   "report [--by " + bys + "] DIR",
		Short: "Add up what a recorded trace holds",
		Long: "Adds up the traces at or below a folder, of this program in any version, of LTTng and of PInsight, or the trace.json of a\n" +
			"run with pipelines: how often and how long something was, alone and with what lies in it, how evenly threads share it, and\n" +
			"which rank sent messages to which.\n" +
			"What was lost, and what has no end in the trace, is said. With --compare it says what became slower or faster since another\n" +
			"trace; what is no more than chance, by how much the executions of a row differ among themselves, is said to be that.",
		Example: examples("pentode trace report --by call --format csv traced > calls.csv", "pentode trace report --compare before traced"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			if len(dirs) != 1 {
				return errors.New("give the folder of one trace; `pentode trace merge` makes one trace of several")
			}
			r, err := makeReport(dirs[0], report.By(by))
			if err != nil {
				return err
			}
			if compare != "" {
				before, err := makeReport(compare, report.By(by))
				if err != nil {
					return err
				}
				return a.reportComparison(report.Compare(before, r), format, rows)
			}
			switch format {
			case "json":
				return a.json(r)
			case "csv":
				return a.reportCSV(r)
			case "html":
				return a.buffered(func() error { return reportHTML(a.out, r) })
			}
			a.reportText(r, rows)
			return nil
		},
	}
	cmd.Flags().StringVar(&by, "by", string(report.Region), "what a row is: `"+bys+"`")
	cmd.Flags().StringVar(&format, "format", "text", "`text|json|csv|html`")
	cmd.Flags().StringVar(&compare, "compare", "", "the `FOLDER` of an earlier trace: say what differs from it")
	cmd.Flags().IntVar(&rows, "rows", 10, "how many rows the text has at most; 0: all")
	return cmd
}

func makeReport(dir string, by report.By) (*report.Report, error) {
	t, err := recorded.Open(dir)
	if err != nil {
		return nil, err
	}
	return report.Make(t, by)
}

// reportText prints a report for a person.
func (a *app) reportText(r *report.Report, most int) {
	out := visible.Below(a.out)
	name := r.Program
	if name == "" {
		name = "the trace"
	}
	fmt.Fprintf(out, "%s: %s in %s, %s, %s\n", name, count(int(r.Events), "event", "events"), short(time.Duration(r.Elapsed)),
		count(r.Processes, "process", "processes"), count(r.Threads, "thread", "threads"))
	if r.Lost > 0 {
		fmt.Fprintf(out, "%s lost to full buffers: what is below is less than there was\n", count(int(r.Lost), "event was", "events were"))
	}
	if r.Unfinished > 0 {
		fmt.Fprintf(out, "%s no end in the trace, and no time below\n", count(int(r.Unfinished), "begin has", "begins have"))
	}
	fmt.Fprintln(out)
	columns.Write(out, reportRows(r, most), "  ")
	if more := len(r.Rows) - most; most > 0 && more > 0 {
		fmt.Fprintf(out, "and %s; --rows 0 shows all\n", count(more, "more row", "more rows"))
	}
	if len(r.Sizes) > 0 {
		fmt.Fprintln(out)
		rows := [][]string{{"call", "from bytes", "count", "bytes", "total"}}
		for _, s := range r.Sizes {
			rows = append(rows, []string{s.Call, live.Grouped(s.From), live.Grouped(s.Count), live.Grouped(s.Bytes), short(time.Duration(s.Total))})
		}
		columns.Write(out, rows, "  ")
	}
	if len(r.Messages) > 0 {
		fmt.Fprintln(out)
		rows := [][]string{{"from rank", "to rank", "messages", "bytes"}}
		for i, m := range r.Messages {
			if most > 0 && i == most {
				rows = append(rows, []string{"…"})
				break
			}
			rows = append(rows, []string{strconv.Itoa(m.From), strconv.Itoa(m.To), live.Grouped(m.Count), live.Grouped(m.Bytes)})
		}
		columns.Write(out, rows, "  ")
	}
	if r.Unknown > 0 {
		fmt.Fprintf(out, "%s to ranks that cannot be determined: the making of the communicator is not in the trace\n", count(int(r.Unknown), "message went", "messages went"))
	}
}

// reportRows are the rows of a report with their heads.
func reportRows(r *report.Report, most int) [][]string {
	list := r.Rows
	if most > 0 {
		list = list[:min(most, len(list))]
	}
	if r.By == report.Event {
		rows := [][]string{{"event", "count"}}
		for _, row := range list {
			rows = append(rows, []string{row.Name, live.Grouped(row.Count)})
		}
		return rows
	}
	rows := [][]string{{string(r.By), "count", "total", "self", "wait", "mean", "median", "p99", "longest", "threads", "imbalance", "waste", "slowest"}}
	for _, row := range list {
		cells := []string{row.Name, live.Grouped(row.Count), short(time.Duration(row.Total)), short(time.Duration(row.Self)), percentOf(row.Wait, row.Total)}
		for _, t := range []int64{row.Mean, row.Median, row.P99, row.Longest} {
			cells = append(cells, short(time.Duration(t)))
		}
		rows = append(rows, append(cells, strconv.Itoa(row.Threads), fmt.Sprintf("%.0f%%", 100*row.Imbalance), short(time.Duration(row.Waste)), row.Slowest))
	}
	return rows
}

// short is a time with three digits.
func short(d time.Duration) string {
	for unit := time.Duration(1); unit < d; unit *= 10 {
		if d/unit < 1000 {
			return d.Round(unit).String()
		}
	}
	return d.String()
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
