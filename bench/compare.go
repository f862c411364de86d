package main

import (
	"fmt"
	"strings"
)

// twins maps our benchmarks to C benchmarks that do the same work.
var twins = map[string]string{
	"run/trace Decide":               "Twin/decide/1",
	"run/trace DecideConstrained":    "Twin/constrained/1",
	"run/trace BeginDecideEnd/1":     "Twin/cycle/1",
	"run/trace BeginDecideEnd/400":   "Twin/cycle/400",
	"run/trace BeginDecideEnd/10000": "Twin/cycle/10000",
}

// references are the figures of the original programs, in nanoseconds per
// operation. sprokit moves about 100,000 data a second over an edge and takes
// about 15 s for 200,000 data through a chain of ten. The figures of PDI are the
// best of several runs on an idle machine.
var references = map[string]float64{
	"run/flow Edge/thread_per_process":    10_000,
	"run/flow Chain10/thread_per_process": 75_000,
	"capi/install C/share":                793,
	"capi/install C/expose":               1_223,
	"capi/install C/event":                128,
	"capi/install C/init":                 158_000_000,
}

// compare adds to each result the comparison with the same work in another program.
func compare(list []*result) {
	times := map[string]float64{}
	for _, r := range list {
		times[r.pkg+" "+r.name] = r.ns
	}
	for _, r := range list {
		key := r.pkg + " " + r.name
		if c := times[r.pkg+" "+twins[key]]; twins[key] != "" && c > 0 {
			r.against = fmt.Sprintf("%.2f × C", r.ns/c)
		}
		if original := references[key]; original > 0 && r.ns > 0 {
			r.against = fmt.Sprintf("%.0f times as fast as the original", original/r.ns)
		}
	}
}

// table prints one line for each result, by package.
func table(list []*result) string {
	rows := [][]string{{"engine", "benchmark", "time", "allocations", "also", "compared"}}
	last := ""
	for _, r := range list {
		pkg := r.pkg
		if pkg == last {
			pkg = ""
		}
		last = r.pkg
		rows = append(rows, []string{pkg, r.name, duration(r.ns), r.allocs, strings.Join(r.rates, ", "), r.against})
	}
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", width[i]-len([]rune(cell))+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// duration formats a time with three digits; "" if a benchmark reports other figures instead.
func duration(ns float64) string {
	switch {
	case ns == 0:
		return ""
	case ns < 1e3:
		return fmt.Sprintf("%.3g ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	}
	return fmt.Sprintf("%.3g s", ns/1e9)
}
