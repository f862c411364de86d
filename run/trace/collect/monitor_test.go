//go:build linux

package collect

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/trace"
)

// monitoring returns options with these domains in the mode MONITORING.
func (b *testBed) monitoring(domains ...string) Options {
	b.t.Helper()
	layers := map[string]trace.DomainLayer{}
	for _, d := range domains {
		layers[d] = trace.DomainLayer{Mode: trace.Monitoring}
	}
	p, err := trace.Compile(b.catalog, &trace.Config{Domains: layers})
	if err != nil {
		b.t.Fatal(err)
	}
	o := b.options(p)
	o.Audit = false
	return o
}

// monitored runs the program and returns its monitored regions.
func (b *testBed) monitored(o Options, started func(*Session) func(), args ...string) ([]Monitored, Counts) {
	b.t.Helper()
	code, c, err := Run(context.Background(), o, Program{
		Args: slices.Concat(b.args, []string{b.program}, args), Library: b.library, Dir: filepath.Join(b.t.TempDir(), "trace"), Host: "node", Out: io.Discard, Err: os.Stderr, Started: started,
	})
	if err != nil || code != 0 {
		b.t.Fatalf("the program ended with %d, %v", code, err)
	}
	return c.Monitored, c.Counts
}

// TestMonitored: in the mode MONITORING, the executions of regions are counted and timed on each
// thread, also on threads that run one after the other, and nothing is recorded.
func TestMonitored(t *testing.T) {
	b := newFaults(t)
	for _, c := range []struct {
		args []string
		want map[string]uint64 // executions by thread and region
	}{
		{[]string{"calls", "aaaAAAbaAB"}, map[string]uint64{"0 a": 4, "0 b": 1}},
		{[]string{"calls", "aAaAa"}, map[string]uint64{"0 a": 2}},
		{[]string{"threads", "5"}, map[string]uint64{"0 work": 10, "1 work": 10, "2 work": 10, "3 work": 10, "4 work": 10}},
		{[]string{"some", "100000"}, map[string]uint64{"0 work": 100_000}},
	} {
		list, counts := b.monitored(b.monitoring("User"), nil, c.args...)
		got := map[string]uint64{}
		for _, m := range list {
			got[fmt.Sprintf("%d %s", m.Thread, m.Region)] += m.Count
			if m.Domain != "User" || m.Total <= 0 || m.Longest <= 0 || m.Longest > m.Total {
				t.Errorf("%q: %+v, want m.Domain = %q, m.Total more than 0, m.Longest more than 0 and m.Longest at most %v", c.args, m, "User", m.Total)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || counts.Events != 0 {
			t.Errorf("%q: %v and %d events, want %v and none", c.args, got, counts.Events, c.want)
		}
	}
}

// TestMonitoredNames: regions are distinguished by their names, however long, and not by the addresses of the names.
func TestMonitoredNames(t *testing.T) {
	b := newFaults(t)
	const longest = 60
	list, _ := b.monitored(b.monitoring("User"), nil, "names", fmt.Sprint(longest))
	got := map[int]uint64{}
	for _, m := range list {
		got[len(m.Region)] += m.Count
	}
	for length := 1; length <= longest; length++ {
		if got[length] != 3 {
			t.Errorf("a name of %d letters: %d executions, want 3", length, got[length])
		}
	}
	if len(list) != longest {
		t.Errorf("%d regions, want %d", len(list), longest)
	}
}

// TestMonitoredRanks: MPI calls are counted and timed on each rank.
func TestMonitoredRanks(t *testing.T) {
	for _, mpi := range []string{"openmpi", "mpich"} {
		t.Run(mpi, func(t *testing.T) {
			b := newTestBed(t, mpi)
			const rounds = 5
			list, _ := b.monitored(b.monitoring("MPI"), nil, fmt.Sprint(rounds))
			calls, places := map[uint32]uint64{}, map[uint32]int{}
			for _, m := range list {
				if m.Domain != "MPI" {
					continue
				}
				if m.Total <= 0 || m.Longest > m.Total || b.function(m.Address) != "main" {
					t.Errorf("%+v in %s; want m.Total more than 0, m.Longest at most %v and b.function(m.Address) = %q", m, b.function(m.Address), m.Total, "main")
				}
				calls[m.Rank] += m.Count
				places[m.Rank]++
			}
			// MPI_Init, Comm_rank, Comm_size and Finalize; six calls in each round.
			for rank := range uint32(4) {
				if calls[rank] != 4+6*rounds || places[rank] != 4+6 {
					t.Errorf("rank %d: %d calls at %d places, want %d at 10", rank, calls[rank], places[rank], 4+6*rounds)
				}
			}
			if len(calls) != 4 {
				t.Errorf("the ranks have %v calls, want 4", calls)
			}
		})
	}
}

// TestMonitoredTeams: each thread of a team has its own row for a parallel region.
func TestMonitoredTeams(t *testing.T) {
	b := newTestBed(t, "")
	list, counts := b.monitored(b.monitoring("OpenMP"), nil, "6")
	got := map[string]uint64{}
	for _, m := range list {
		if m.Domain == "OpenMP" {
			got[fmt.Sprintf("%d %s", m.Thread, b.function(m.Address))] += m.Count
		}
	}
	for region, want := range map[string]uint64{"0 loop": 6, "1 loop": 6, "2 loop": 6, "0 shared": 6, "0 tasks": 3, "1 tasks": 3, "0 nested": 6} {
		if got[region] != want {
			t.Errorf("%s: %d executions, want %d; all: %v", region, got[region], want, got)
		}
	}
	if counts.Events != 2*2*6 { // the program's own regions, which are traced
		t.Errorf("%d events, want %v", counts.Events, 2*2*6)
	}
}

// TestMonitoredWhileItRuns: Monitored may be called at any time.
func TestMonitoredWhileItRuns(t *testing.T) {
	b := newFaults(t)
	stop := filepath.Join(t.TempDir(), "stop")
	var seen uint64
	last, _ := b.monitored(b.monitoring("User"), func(s *Session) func() {
		asked := make(chan struct{})
		go func() {
			defer close(asked)
			defer os.WriteFile(stop, nil, 0o600)
			_ = golden.Comes(func() bool { // checked below
				list, err := s.Monitored(context.Background())
				if err != nil {
					t.Error(err)
				}
				for _, m := range list {
					if m.Count < seen {
						t.Errorf("%d executions after %d", m.Count, seen)
					}
					seen = m.Count
				}
				return seen >= 20
			})
		}()
		return func() { <-asked }
	}, "until", stop)
	if len(last) != 2 || last[0].Count < seen || seen < 20 {
		t.Errorf("%d were seen, and at the end %+v; want len(last) = 2, last[0].Count at least %v and seen at least 20", seen, last, seen)
	}
}

// BenchmarkMonitored measures an event of a region in the mode MONITORING (half of a begin and an
// end), relative to a region whose domain is off. The variants alternate. It also measures two
// readings of the clock, which any measurement needs.
func BenchmarkMonitored(b *testing.B) {
	bed := newFaults(b)
	bed.compile("pairs.c", "gcc", "-O2")
	off, err := trace.Compile(bed.catalog, &trace.Config{Domains: map[string]trace.DomainLayer{"User": {Mode: trace.Off}}})
	if err != nil {
		b.Fatal(err)
	}
	on, quiet := bed.monitoring("User"), bed.options(off)
	quiet.Audit = false
	least := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	for range 5 {
		for i, c := range []struct {
			options Options
			args    []string
		}{{quiet, nil}, {on, nil}, {quiet, []string{"clock"}}} {
			pair, _ := bed.figures(b, c.options, append([]string{"1000000"}, c.args...)...)
			least[i] = min(least[i], pair/2)
		}
	}
	b.ReportMetric(0, "ns/op") // the time to start the programs
	b.ReportMetric(least[0], "ns/event-off")
	b.ReportMetric(least[1]-least[0], "ns/event-monitored-over-off")
	b.ReportMetric(least[2], "ns/clock-alone")
}
