package cli

import (
	"cmp"
	_ "embed" // for the style of the page
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/trace/report"
)

//go:embed trace_report.css
var reportStyle string

// maxMatrix is up to how many ranks messages are shown as a matrix.
const maxMatrix = 64

// reportHTML writes a report as a page that needs no other file. Names of the trace are
// escaped where a cell is written, and nowhere else. Go's templates would do it too, and make the
// program a tenth larger.
func reportHTML(w io.Writer, r *report.Report) error {
	var p reportPage
	p.head(cmp.Or(r.Program, "Trace"))
	p.line("<h1>%s</h1>", html.EscapeString(cmp.Or(r.Program, "The trace")))
	p.line("<p>%s events in %s, processes: %d, threads: %d</p>", live.Grouped(r.Events), short(time.Duration(r.Elapsed)), r.Processes, r.Threads)
	p.missing(r.Lost, "events were lost to full buffers: what is below is less than there was.")
	p.missing(r.Unfinished, "begins have no end in the trace, and no time below.")
	p.rows(r)
	p.sizes(r.Sizes)
	p.messages(r.Messages)
	p.missing(r.Unknown, "messages went to ranks that cannot be determined: the making of the communicator is not in the trace.")
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

// missing says what is not in the report, where something is not.
func (p *reportPage) missing(n uint64, what string) {
	if n > 0 {
		p.line("<p class=\"missing\">%s %s</p>", live.Grouped(n), what)
	}
}

// table begins a table under a title; the row of its names is the first.
func (p *reportPage) table(title string, names ...string) {
	p.line("<h2>%s</h2>\n<div class=\"scroll\"><table>", title)
	p.text.WriteString("<tr>")
	for _, name := range names {
		p.text.WriteString("<th>" + name)
	}
	p.line("</tr>")
}

func (p *reportPage) end() { p.line("</table></div>") }

// row writes the cells of a row, of which the first may have attributes.
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
			p.row("", r.Rows[i].Name, live.Grouped(r.Rows[i].Count))
		}
		p.end()
		return
	}
	p.table("By "+string(r.By), string(r.By), "count", "total", "self", "wait", "mean", "median", "p99", "longest", "threads", "imbalance", "waste", "slowest")
	most := int64(0)
	for i := range r.Rows {
		most = max(most, r.Rows[i].Total)
	}
	ns := func(n int64) string { return short(time.Duration(n)) }
	for i := range r.Rows {
		row := &r.Rows[i]
		p.row(` class="bar" style="--part: `+percentOf(row.Total, most)+`"`, row.Name, live.Grouped(row.Count), ns(row.Total), ns(row.Self), percentOf(row.Wait, row.Total),
			ns(row.Mean), ns(row.Median), ns(row.P99), ns(row.Longest), strconv.Itoa(row.Threads), fmt.Sprintf("%.2f", row.Imbalance), ns(row.Waste), row.Slowest)
	}
	p.end()
}

func (p *reportPage) sizes(list []report.Size) {
	if len(list) == 0 {
		return
	}
	p.table("MPI by message size", "call", "from bytes", "count", "bytes", "total")
	for _, s := range list {
		p.row("", s.Call, live.Grouped(s.From), live.Grouped(s.Count), live.Grouped(s.Bytes), short(time.Duration(s.Total)))
	}
	p.end()
}

// messages shows who sent how much to whom: as a matrix, or as a list where that would be too large.
func (p *reportPage) messages(list []report.Traffic) {
	if len(list) == 0 {
		return
	}
	rows := matrix(list)
	if rows == nil {
		p.table("Messages", "from rank", "to rank", "messages", "bytes")
		for _, t := range list {
			p.row("", strconv.Itoa(t.From), strconv.Itoa(t.To), live.Grouped(t.Count), live.Grouped(t.Bytes))
		}
		p.end()
		return
	}
	names := []string{"bytes from the rank of the row to that of the column"}
	for to := range rows {
		names = append(names, strconv.Itoa(to))
	}
	p.table("Messages", names...)
	for from, row := range rows {
		cells := []string{strconv.Itoa(from)}
		for _, t := range row {
			cell := ""
			if t.Count > 0 {
				cell = live.Grouped(t.Bytes)
			}
			cells = append(cells, cell)
		}
		p.row("", cells...)
	}
	p.end()
}

// matrix is who sent how much to whom, or nil where it would be too large.
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
