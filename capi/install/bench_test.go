package main

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkC measures calls as a C program makes them, and a file that libhdf5 writes.
func BenchmarkC(b *testing.B) {
	p := prefix(b)
	program := compile(b, p, "bench.c", "-O2")
	b.Setenv("PENTODE_CHECK", "errors")
	for _, what := range []string{"share", "expose", "event", "init", "write"} {
		b.Run(what, func(b *testing.B) { measure(b, p, program, what, strconv.Itoa(b.N)) })
	}
	b.Run("write-libhdf5", func(b *testing.B) {
		program := filepath.Join(b.TempDir(), "bench_hdf5")
		cmd := exec.Command("h5cc", "-O2", "-o", program, testdata(b, "bench_hdf5.c"))
		cmd.Dir = filepath.Dir(program) // it leaves an object file behind
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Skipf("libhdf5 was not found: %v\n%s", err, out)
		}
		measure(b, p, program, strconv.Itoa(b.N))
	})
}

// measure runs a program that writes how many nanoseconds one call took.
func measure(b *testing.B, prefix, program string, args ...string) {
	status, out := start(b, prefix, program, args...)
	ns, err := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if status != 0 || err != nil {
		b.Fatalf("ended with %d\n%s", status, out)
	}
	b.ReportMetric(ns, "ns/op")
}
