package main

import (
	"strconv"
	"strings"
	"testing"
)

// BenchmarkC measures calls as a C program makes them.
func BenchmarkC(b *testing.B) {
	p := prefix(b)
	program := compile(b, p, "bench.c", "-O2")
	b.Setenv("PENTODE_CHECK", "errors")
	for _, what := range []string{"share", "expose", "event", "init", "write"} {
		b.Run(what, func(b *testing.B) {
			status, out := start(b, p, program, what, strconv.Itoa(b.N))
			ns, err := strconv.ParseFloat(strings.TrimSpace(out), 64)
			if status != 0 || err != nil {
				b.Fatalf("ended with %d\n%s", status, out)
			}
			b.ReportMetric(ns, "ns/op")
		})
	}
}
