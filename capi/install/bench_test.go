package main

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// BenchmarkC measures calls of a C program.
func BenchmarkC(b *testing.B) {
	p := prefix(b)
	program := compile(b, p, "bench.c", "-O2")
	b.Setenv("PENTODE_CHECK", "errors")
	for _, what := range []string{"share", "expose", "event", "init"} {
		b.Run(what, func(b *testing.B) {
			b.ReportMetric(measure(b, p, program, what, strconv.Itoa(b.N)), "ns/op")
		})
	}
}

// BenchmarkWrite writes a file of 64 MB from C, and with libhdf5 for comparison. They alternate, because the
// disk may still be busy with earlier writes, and the median counts.
func BenchmarkWrite(b *testing.B) {
	p := prefix(b)
	ours := compile(b, p, "bench.c", "-O2")
	theirs := filepath.Join(b.TempDir(), "bench_hdf5")
	cmd := exec.Command(need.Program(b, "h5cc"), "-O2", "-o", theirs, testdata(b, "bench_hdf5.c"))
	cmd.Dir = filepath.Dir(theirs) // it leaves an object file
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var here, there, ratios []float64
	for b.Loop() {
		h, t := measure(b, p, ours, "write", "1"), measure(b, p, theirs, "1")
		here, there, ratios = append(here, h), append(there, t), append(ratios, t/h)
	}
	b.ReportMetric(median(here), "ns/op")
	b.ReportMetric(median(there), "libhdf5-ns/op")
	b.ReportMetric(median(ratios), "×libhdf5")
}

// BenchmarkAsync runs a program that computes for 100 ms and writes 16 MB in each step, with a thread of the
// library. It alternates with the same program without output, and the best of each counts.
func BenchmarkAsync(b *testing.B) {
	p := prefix(b)
	program := compile(b, p, "bench_async.c", "-O2")
	run := func(how string) (step, calls, copying float64) {
		status, out := start(b, p, program, how, "20")
		if _, err := fmt.Sscan(out, &step, &calls, &copying); err != nil || status != 0 {
			b.Fatalf("ended with %d\n%s\nwant err nil and status = 0", status, out)
		}
		return step, calls, copying
	}
	none, with, ratio := math.Inf(1), math.Inf(1), math.Inf(1)
	for b.Loop() {
		step, _, _ := run("none")
		none = min(none, step)
		step, calls, copying := run("async")
		with, ratio = min(with, step), min(ratio, calls/copying)
	}
	b.ReportMetric(with, "ns/op")
	b.ReportMetric(with/none, "×none")
	b.ReportMetric(ratio, "×memcpy")
}

// BenchmarkParallel lets four processes write one file with the store and with parallel libhdf5, alternating. It
// measures how many times as fast the store is, in elapsed time and in processor time, as medians.
func BenchmarkParallel(b *testing.B) {
	p := prefix(b)
	flags, err := exec.Command(need.Program(b, "pkg-config"), "--cflags", "--libs", "hdf5-openmpi").Output()
	need.Ability(b, "hdf5-openmpi", err)
	program := filepath.Join(b.TempDir(), "bench_parallel")
	args := append([]string{"-O2", "-I", filepath.Join(p, "include"), "-o", program, testdata(b, "bench_parallel.c"), "-L", filepath.Join(p, "lib"), "-lpdi", "-lparaconf",
		"-Wl,-rpath," + filepath.Join(p, "lib")}, strings.Fields(string(flags))...)
	if out, err := exec.Command(need.Program(b, "mpicc.openmpi", "--version"), args...).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, what := range []string{"one", "independent", "collective", "many", "events"} {
		b.Run(what, func(b *testing.B) {
			lines, err := launch(b, "openmpi", b.TempDir(), program, what, strconv.Itoa(b.N))
			var here, ratios, processor []float64
			for _, line := range lines {
				var ours, theirs, used, theyUsed float64
				if _, e := fmt.Sscan(line, &ours, &theirs, &used, &theyUsed); e == nil {
					here, ratios, processor = append(here, ours), append(ratios, theirs/ours), append(processor, theyUsed/used)
				}
			}
			if err != nil || len(here) != b.N {
				b.Fatalf("%v\n%s", err, strings.Join(lines, "\n"))
			}
			b.ReportMetric(median(here), "ns/op")
			b.ReportMetric(median(ratios), "×libhdf5")
			b.ReportMetric(median(processor), "×libhdf5-processor")
		})
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// measure runs a program that prints how many nanoseconds one call took.
func measure(b *testing.B, prefix, program string, args ...string) float64 {
	b.Helper()
	status, out := start(b, prefix, program, args...)
	ns, err := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if status != 0 || err != nil {
		b.Fatalf("ended with %d\n%s\nwant status = 0 and err nil", status, out)
	}
	return ns
}
