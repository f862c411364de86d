//go:build linux

package collect

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// write makes a trace of one rank whose clock is shifted by so many nanoseconds
// and runs so much faster than the real one: MPI begins at 1 s and ends at 2 s,
// with a region from 1.5 s on.
func write(t *testing.T, dir string, rank uint64, shift int64, faster float64) {
	t.Helper()
	trace := Schema()
	if err := ctf.Create(dir, trace); err != nil {
		t.Fatal(err)
	}
	if err := trace.Describe(ctf.Clock{Frequency: 1e9, Offset: shift}); err != nil {
		t.Fatal(err)
	}
	s, err := trace.Stream("stream_0", 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct {
		kind   int
		time   float64
		fields []ctf.Value
	}{
		{agent.ClockRecord, 1e9, []ctf.Value{{Number: 0}}},
		{agent.ClockRecord + 2, 1.5e9, []ctf.Value{{Text: "step"}, {Number: 3}}},
		{agent.ClockRecord, 2e9, []ctf.Value{{Number: 1}}},
	} {
		if err := s.Event(e.kind, uint64(e.time*faster)); err != nil {
			t.Fatal(err)
		}
		put(s, trace.Context, []ctf.Value{{Text: "node"}, {Number: 1}, {Number: rank}, {}, {}, {}})
		put(s, trace.Events[e.kind].Fields, e.fields)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// Clocks that differ by an offset and in speed agree after a merge.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a", "ctf"), 0, 5e9, 1)
	write(t, filepath.Join(dir, "b", "ctf"), 1, 99e9, 1.001)
	out := filepath.Join(dir, "all", "ctf")
	traces, events, err := Merge(out, []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")})
	if err != nil || traces != 2 || events != 6 {
		t.Fatal(traces, events, err)
	}
	r, err := ctf.Open(out, Schema())
	if err != nil {
		t.Fatal(err)
	}
	times := map[uint64][]int64{}
	for _, stream := range r.Streams {
		for o, err := range r.Events(stream) {
			if err != nil {
				t.Fatal(err)
			}
			rank := o.Context[2].Number
			times[rank] = append(times[rank], r.Clock.Nanoseconds(o.Time))
		}
	}
	for i, want := range []int64{6e9, 6.5e9, 7e9} {
		for rank := range uint64(2) {
			if got := times[rank][i]; got < want-1000 || got > want+1000 {
				t.Errorf("event %d of rank %d happened at %d, want %d", i, rank, got, want)
			}
		}
	}
	readable(t, out)
}

func TestMergeRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := Merge(filepath.Join(dir, "all"), []string{dir}); err == nil {
		t.Error("a folder without a trace was merged")
	}
}

func TestPerfetto(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 0, 0, 1)
	var out bytes.Buffer
	if err := Perfetto(&out, dir, func(uint64) string { return "" }); err != nil {
		t.Fatal(err)
	}
	var got struct {
		TraceEvents []struct {
			Name  string
			Phase string  `json:"ph"`
			Time  float64 `json:"ts"`
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if e := got.TraceEvents; len(e) != 1 || e[0].Name != "step" || e[0].Phase != "B" || e[0].Time != 1.5e6 {
		t.Errorf("%+v", e)
	}
}
