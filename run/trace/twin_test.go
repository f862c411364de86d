package trace

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// buildTwin compiles the decision written in C and returns the program's path.
func buildTwin(tb testing.TB) string {
	tb.Helper()
	gcc := need.Compiler(tb, "gcc")
	twin := filepath.Join(tb.TempDir(), "twin")
	if out, err := exec.Command(gcc, "-O2", "-Wall", "-Werror", "-o", twin, filepath.Join("twin", "twin.c")).CombinedOutput(); err != nil {
		tb.Fatalf("gcc: %v\n%s", err, out)
	}
	return twin
}

// runTwin returns the nanoseconds of all rounds and the number of traced executions.
func runTwin(tb testing.TB, twin, what string, rounds, regions int) (ns float64, traced int) {
	tb.Helper()
	out, err := exec.Command(twin, what, strconv.Itoa(rounds), strconv.Itoa(regions)).Output()
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := fmt.Sscan(string(out), &ns, &traced); err != nil {
		tb.Fatal(err)
	}
	return ns, traced
}

// The C program must trace exactly the executions that the engine traces.
func TestTwin(t *testing.T) {
	const rounds = 12345
	want := 0
	p := compile(t, fixture(t), oneInTen(1))
	for range p.Executions(Region{Address: 0x400000}, 5, nil, rounds) {
		want++
	}
	if _, got := runTwin(t, buildTwin(t), "cycle", rounds, 1); got != want || got == 0 {
		t.Errorf("the twin traced %d of %d executions, the engine %d", got, rounds, want)
	}
}

// BenchmarkTwin measures in C what the other benchmarks measure in Go.
func BenchmarkTwin(b *testing.B) {
	twin := buildTwin(b)
	for _, c := range []struct {
		what    string
		regions int
	}{{"decide", 1}, {"constrained", 1}, {"cycle", 1}, {"cycle", 400}, {"cycle", 10000}} {
		b.Run(fmt.Sprintf("%s/%d", c.what, c.regions), func(b *testing.B) {
			ns, _ := runTwin(b, twin, c.what, b.N, c.regions)
			b.ReportMetric(ns/float64(b.N), "ns/op")
		})
	}
}
