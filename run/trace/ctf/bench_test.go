package ctf

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkCursor reads a trace in the form that `trace record` writes: a context of a text
// and five numbers, then fields of whole bytes. No memory is allocated per event.
func BenchmarkCursor(b *testing.B) {
	const events = 200_000
	dir := filepath.Join(b.TempDir(), "ctf")
	number := func(name string, t Type) Field { return Field{name, t} }
	trace := &Trace{
		Context: []Field{
			{"hostname", Text}, number("pid", U32), number("mpirank", U32), number("global_thread_num", U32), number("omp_team_num", U32), number("omp_thread_num", U32),
		},
		Events: []Event{{Name: "work_begin", Fields: []Field{number("parallel_codeptr", Hex), number("parallel_record_id", U32), number("wstype", U16), number("count", U32)}}},
	}
	if err := Create(dir, trace); err != nil {
		b.Fatal(err)
	}
	if err := trace.Describe(Clock{Frequency: 2e9}); err != nil {
		b.Fatal(err)
	}
	s, err := trace.Stream("stream_0", 1, 1)
	if err != nil {
		b.Fatal(err)
	}
	for i := range events {
		if err := s.Event(0, uint64(i)); err != nil {
			b.Fatal(err)
		}
		s.Text("node17")
		for _, f := range trace.Context[1:] {
			s.Put(f.Type, uint64(i))
		}
		for _, f := range trace.Events[0].Fields {
			s.Put(f.Type, uint64(i))
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "stream_0"))
	if err != nil {
		b.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		c := r.Cursor("stream_0")
		n, sum := 0, uint64(0)
		for c.Next() {
			n++
			sum += c.Fields[3].Number
		}
		c.Close()
		if c.Err() != nil || n != events || sum == 0 {
			b.Fatal(n, c.Err())
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
}

// Reading allocates memory per stream, not per event.
func TestCursorAllocates(t *testing.T) {
	for _, events := range []int{100, 10_000} {
		dir := record(t, Clock{Frequency: 1e9}, func(s *Stream) {
			for i := range events {
				begin(t, s, 1, uint64(i))
				s.Put(U16, 1)
				s.Put(I32, 2)
				s.Put(U64, 3)
				s.Put(Hex, 4)
				s.Text([]string{"red", "green"}[i%2])
			}
		})
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		n := testing.AllocsPerRun(5, func() {
			c := r.Cursor("stream_0")
			for c.Next() {
			}
			c.Close()
		})
		if n > 60 {
			t.Errorf("%s: %v allocations, want at most 60", fmt.Sprint(events, " events"), n)
		}
	}
}
