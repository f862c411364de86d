package cli

import (
	_ "embed" // for the page
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/trace/report"
)

//go:embed trace_report.html
var reportPage string

// maxMatrix is up to how many ranks messages are shown as a matrix.
const maxMatrix = 64

// reportHTML writes a report as a page that needs no other file.
func reportHTML(w io.Writer, r *report.Report) error {
	page, err := template.New("report").Funcs(template.FuncMap{
		"time":    func(ns int64) string { return short(time.Duration(ns)) },
		"percent": percentOf,
		"grouped": live.Grouped,
	}).Parse(reportPage)
	if err != nil {
		return err
	}
	most := int64(0)
	for i := range r.Rows {
		most = max(most, r.Rows[i].Total)
	}
	return page.Execute(w, struct {
		*report.Report
		Most   int64 // total of a row
		Matrix [][]report.Traffic
	}{r, most, matrix(r.Messages)})
}

// percentOf is a part of a whole in percent.
func percentOf(part, whole int64) string {
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(max(whole, 1)))
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
