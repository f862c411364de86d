package report

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// declared are the events in the tests' traces.
var declared = []ctf.Event{
	{Name: "pentode:region_begin", Fields: []ctf.Field{{Name: "name", Type: ctf.Text}}},
	{Name: "pentode:region_end", Fields: []ctf.Field{{Name: "name", Type: ctf.Text}}},
	{Name: "o:parallel_begin", Fields: []ctf.Field{{Name: "parallel_codeptr", Type: ctf.Hex}}},
	{Name: "o:parallel_end", Fields: []ctf.Field{{Name: "parallel_codeptr", Type: ctf.Hex}}},
	{Name: "o:flush"},
	{Name: "m:MPI_Send_begin", Fields: []ctf.Field{{Name: "dest", Type: ctf.U32}, {Name: "tag", Type: ctf.U32}, {Name: "bytes", Type: ctf.U64}, {Name: "comm", Type: ctf.I32}}},
	{Name: "m:MPI_Send_end"},
	{Name: "pentode:audit"},
}

// happening is an event: its kind, time and members.
type happening struct {
	kind   int
	time   uint64
	values []any
}

const (
	regionBegin = iota
	regionEnd
	parallelBegin
	parallelEnd
	flush
	sendBegin
	sendEnd
	audit
)

func at(time uint64, kind int, values ...any) happening { return happening{kind, time, values} }

// trace writes a trace. Each stream is a thread of a different rank.
func trace(t testing.TB, streams ...[]happening) *recorded.Trace {
	t.Helper()
	dir := t.TempDir()
	trace := &ctf.Trace{Context: []ctf.Field{{Name: "mpirank", Type: ctf.U32}, {Name: "global_thread_num", Type: ctf.U32}}, Events: declared}
	if err := ctf.Create(filepath.Join(dir, "ctf"), trace); err != nil {
		t.Fatal(err)
	}
	if err := trace.Describe(ctf.Clock{Frequency: 1e9}); err != nil {
		t.Fatal(err)
	}
	regions := `{"version":1,"program":"bin/heat","regions":[{"address":"0x10","function":"relax","file":"/src/heat.c","line":12},{"address":"0x20","function":"relax","file":"/src/heat.c","line":20}]}`
	if err := os.WriteFile(filepath.Join(dir, recorded.RegionsFile), []byte(regions), 0o666); err != nil {
		t.Fatal(err)
	}
	for rank, events := range streams {
		s, err := trace.Stream(fmt.Sprint("stream_", rank), uint32(100+rank), uint32(200+rank))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if err := s.Event(e.kind, e.time); err != nil {
				t.Fatal(err)
			}
			s.Put(ctf.U32, uint64(rank))
			s.Put(ctf.U32, 3)
			for i, f := range declared[e.kind].Fields {
				if f.Type == ctf.Text {
					s.Text(e.values[i].(string))
				} else {
					s.Put(f.Type, uint64(e.values[i].(int)))
				}
			}
		}
		s.Discarded = uint64(rank)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	opened, err := recorded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// sample has two ranks: a recursive region, parallel regions at two places of a function,
// messages, and an unfinished region.
func sample(t *testing.T) *recorded.Trace {
	return trace(t,
		[]happening{
			at(100, regionBegin, "step"), at(110, regionBegin, "step"), at(130, regionEnd, "step"),
			at(140, parallelBegin, 0x10), at(150, sendBegin, 1, 5, 800, 0), at(160, sendEnd), at(180, parallelEnd, 0x10),
			at(200, regionEnd, "step"),
			at(200, sendBegin, 1, 5, 200, 0), at(205, sendEnd), at(206, flush), at(206, audit),
		},
		[]happening{
			at(100, regionBegin, "step"), at(400, regionEnd, "step"),
			at(400, parallelBegin, 0x20), at(410, parallelEnd, 0x20),
			at(420, sendBegin, 0, 5, 7, 99), at(430, sendEnd),
			at(440, regionBegin, "cut"), at(450, flush),
		})
}

// Every column of every kind of report matches what was written.
func TestReport(t *testing.T) {
	for by, want := range map[By][]string{
		Region: {
			"step: 3 times, 400 total, 360 self, mean 140, longest 300, 2 threads, imbalance 0.50, waste 200",
			"parallel heat.c:12 in `relax`: 1 times, 40 total, 30 self, mean 40, longest 40, 1 threads, imbalance 0.00, waste 0",
			"MPI_Send: 3 times, 25 total, 25 self, mean 8, longest 10, 2 threads, imbalance 0.20, waste 5",
			"parallel heat.c:20 in `relax`: 1 times, 10 total, 10 self, mean 10, longest 10, 1 threads, imbalance 0.00, waste 0",
			"cut: 0 times, 0 total, 0 self, mean 0, longest 0, 0 threads, imbalance 0.00, waste 0",
		},
		Function: {"relax: 2 times, 50 total, 40 self, mean 25, longest 40, 2 threads, imbalance 0.60, waste 30"},
		Call:     {"MPI_Send: 3 times, 25 total, 25 self, mean 8, longest 10, 2 threads, imbalance 0.20, waste 5"},
		Rank: {
			"MPI rank 1: 3 times, 320 total, 320 self, mean 106, longest 300, 1 threads, imbalance 0.00, waste 0",
			"MPI rank 0: 5 times, 105 total, 105 self, mean 35, longest 100, 1 threads, imbalance 0.00, waste 0",
		},
		Thread: {
			"MPI rank 1, thread 3: 3 times, 320 total, 320 self, mean 106, longest 300, 1 threads, imbalance 0.00, waste 0",
			"MPI rank 0, thread 3: 5 times, 105 total, 105 self, mean 35, longest 100, 1 threads, imbalance 0.00, waste 0",
		},
		Event: {
			"pentode:region_begin: 4 times", "m:MPI_Send_begin: 3 times", "m:MPI_Send_end: 3 times", "pentode:region_end: 3 times",
			"o:flush: 2 times", "o:parallel_begin: 2 times", "o:parallel_end: 2 times",
		},
	} {
		r, err := Make(sample(t), by)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range r.Rows {
			line := fmt.Sprintf("%s: %d times", row.Name, row.Count)
			if by != Event {
				line += fmt.Sprintf(", %d total, %d self, mean %d, longest %d, %d threads, imbalance %.2f, waste %d", row.Total, row.Self, row.Mean, row.Longest, row.Threads, row.Imbalance, row.Waste)
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", by, diff)
		}
		r.Rows, r.Sizes = nil, nil // TestSizes checks them
		unfinished := uint64(1)
		if by == Event {
			unfinished = 0
		}
		if diff := cmp.Diff(&Report{
			Program: "heat", By: by, Elapsed: 350, Processes: 2, Threads: 2, Events: 19, Lost: 1, Unfinished: unfinished, Unknown: 1,
			Messages: []Traffic{{From: 0, To: 1, Count: 2, Bytes: 1000}},
		}, r); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", by, diff)
		}
	}
}

// Median and p99 are within 1 % of the values computed from the sorted durations.
func TestQuantiles(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int64{1, 50, 1000, 1e6, 1e12} {
		var h histogram
		var all []int64
		for range 5001 {
			d := g.Int64N(size) + g.Int64N(size)/2
			all = append(all, d)
			h.add(d)
		}
		slices.Sort(all)
		for _, part := range []float64{0.5, 0.99} {
			want := all[int(part*float64(len(all)))]
			if got := h.quantile(part); float64(max(got-want, want-got)) > 0.01*float64(want) {
				t.Errorf("%v of %d durations up to %d is %d, want %d", part, len(all), size, got, want)
			}
		}
	}
	var none histogram
	if none.quantile(0.5) != 0 {
		t.Error("nothing has a median")
	}
	none.add(-5) // a negative duration, from two different clocks
	if none.quantile(0.5) != 0 || none.sum != 0 {
		t.Error("a duration is not negative")
	}
}

// A thread with an unfinished frame has no part of its row.
func TestUnfinishedThread(t *testing.T) {
	r, err := Make(trace(t, []happening{at(1, regionBegin, "a"), at(9, regionEnd, "a")}, []happening{at(1, regionBegin, "a")}), Region)
	if err != nil || len(r.Rows) != 1 || r.Rows[0].Threads != 1 || r.Rows[0].Imbalance != 0 || r.Rows[0].Waste != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A trace without events has a report without rows.
func TestEmpty(t *testing.T) {
	r, err := Make(trace(t), Region)
	if err != nil || len(r.Rows) > 0 || r.Elapsed != 0 || strings.Join(Bys, " ") == "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// BenchmarkMake makes reports of a trace of four threads with PENTODE_EVENTS events.
func BenchmarkMake(b *testing.B) {
	dir, events := b.TempDir(), played.Events()
	if err := played.Large(dir, events); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		t, err := recorded.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if r, err := Make(t, Region); err != nil || r.Events != uint64(events/4*4) || len(r.Rows) != 30 {
			b.Fatal(r, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events*b.N), "ns/event")
}
