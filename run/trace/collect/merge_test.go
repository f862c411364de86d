//go:build linux

package collect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// happening is an event of a trace that a test writes.
type happening struct {
	kind   int
	time   uint64
	fields []ctf.Value
}

// write makes a trace of one rank, whose process, thread and losses have numbers of their own.
func write(t *testing.T, dir string, rank uint32, clock ctf.Clock, events ...happening) {
	t.Helper()
	trace := Schema()
	if err := ctf.Create(dir, trace); err != nil {
		t.Fatal(err)
	}
	if err := trace.Describe(clock); err != nil {
		t.Fatal(err)
	}
	s, err := trace.Stream("stream_0", 10+rank, 20+rank)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := s.Event(e.kind, e.time); err != nil {
			t.Fatal(err)
		}
		put(s, trace.Context, []ctf.Value{{Text: "node"}, {Number: 1}, {Number: uint64(rank)}, {}, {}, {}})
		put(s, trace.Events[e.kind].Fields, e.fields)
	}
	s.Discarded = uint64(rank)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// mark is the moment at which MPI begins (0) or ends (1) on a rank.
func mark(which, time uint64) happening {
	return happening{agent.ClockRecord, time, []ctf.Value{{Number: which}}}
}

func region(time uint64) happening {
	return happening{kind("region_begin"), time, []ctf.Value{{Text: "step"}, {Number: 3}}}
}

// second is a clock whose trace began so many seconds after the epoch.
func second(offset int64) ctf.Clock { return ctf.Clock{Frequency: 1e9, Offset: offset * 1e9} }

// Clocks that differ by an offset and in speed agree after a merge.
func TestMerge(t *testing.T) {
	const begin, middle, end = 1e9, 15e8, 2e9
	merged := ""
	for name, c := range map[string]struct {
		events []happening // of the second trace, whose clock is 94 seconds ahead
		want   []int64     // their times; those of the first trace stay
	}{
		"as fast":           {[]happening{mark(0, begin), region(middle), mark(1, end)}, []int64{6e9, 65e8, 7e9}},
		"faster":            {[]happening{mark(0, 1.001e9), region(1.5015e9), mark(1, 2.002e9)}, []int64{6e9, 65e8, 7e9}},
		"several of a mark": {[]happening{mark(0, 1), mark(0, begin), region(middle), mark(1, 18e8), mark(1, end)}, []int64{5e9 + 1, 6e9, 65e8, 68e8, 7e9}},
		"killed":            {[]happening{mark(0, begin), region(3e9)}, []int64{6e9, 8e9}},
		"ended at once":     {[]happening{mark(0, begin), mark(1, begin), region(3e9)}, []int64{6e9, 6e9, 8e9}},
		"without MPI":       {[]happening{region(middle)}, []int64{1005e8}},
		"unknown marks":     {[]happening{mark(2, begin), region(middle)}, []int64{100e9, 1005e8}},
		"before the epoch":  {[]happening{region(0), mark(0, 20e9)}, []int64{0, 6e9}},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a", "ctf"), 0, second(5), mark(0, begin), region(middle), mark(1, end))
		write(t, filepath.Join(dir, "b", "ctf"), 1, second(99), c.events...)
		out := filepath.Join(dir, "all", "ctf")
		traces, events, err := Merge(out, []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")})
		if err != nil || traces != 2 || events != 3+len(c.events) {
			t.Fatal(name, traces, events, err)
		}
		r, err := ctf.Open(out)
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
				if o.PID != uint32(10+rank) || o.TID != uint32(20+rank) || o.Discarded != rank {
					t.Errorf("%s: rank %d is process %d, thread %d, and lost %d events", name, rank, o.PID, o.TID, o.Discarded)
				}
			}
		}
		for rank, want := range [][]int64{{6e9, 65e8, 7e9}, c.want} {
			if !slices.Equal(times[uint64(rank)], want) {
				t.Errorf("%s: the events of rank %d are at %v, want %v", name, rank, times[uint64(rank)], want)
			}
		}
		if name == "faster" {
			merged = out
		}
	}
	babeltrace(t)(merged)
}

func TestMergeRefuses(t *testing.T) {
	dir := t.TempDir()
	empty, file, damaged := filepath.Join(dir, "empty"), filepath.Join(dir, "file"), filepath.Join(dir, "damaged")
	good := filepath.Join(dir, "good")
	write(t, good, 0, second(1), region(1))
	write(t, damaged, 0, second(1), region(1))
	if err := errors.Join(os.Mkdir(empty, 0o777), os.WriteFile(file, nil, 0o666), os.Truncate(filepath.Join(damaged, "stream_0"), 5)); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other")
	if err := ctf.Create(other, &ctf.Trace{}); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign")
	if err := errors.Join(
		os.WriteFile(filepath.Join(other, "metadata"), []byte("/* CTF 1.8 */"), 0o666),
		os.Mkdir(foreign, 0o777),
		os.WriteFile(filepath.Join(foreign, "metadata"), []byte("trace { byte_order = le; }; event { name = demo; };"), 0o666),
	); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Merge(filepath.Join(dir, "merged"), []string{good}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, out, in, want string }{
		{"no trace", "all", empty, "holds no trace"},
		{"no folder", "all", filepath.Join(dir, "none"), "no such file or directory"},
		{"a damaged stream", "all", damaged, "the stream `stream_0` is damaged"},
		{"a trace of something else", "all", other, "there is no `trace` block"},
		{"a trace of another tracer", "all", foreign, "is not one of `pentode trace run`: its event `demo` has other fields"},
		{"a file in the way", "file/all", good, "not a directory"},
		{"a trace in the way", "merged", good, "file exists"},
	} {
		if _, _, err := Merge(filepath.Join(dir, c.out), []string{good, c.in}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// A trace is shown as slices and instants of threads.
func TestPerfetto(t *testing.T) {
	dir := t.TempDir()
	const place, other = 0x4010, 0x4020
	number := func(list ...uint64) (values []ctf.Value) {
		for _, n := range list {
			values = append(values, ctf.Value{Number: n})
		}
		return values
	}
	write(t, dir, 4, ctf.Clock{Frequency: 1e9},
		mark(0, 1000),
		region(2000),
		happening{kind("region_end"), 3500, []ctf.Value{{Text: "step"}, {Number: 3}}},
		happening{kind("parallel_begin"), 4000, number(place, 7, 8, 1<<64-1, 0x9000)},
		happening{kind("parallel_end"), 5000, number(other, 7, 2)},
		happening{kind("flush"), 6000, number(place, 7, 0xab)},
		happening{agent.AuditRecord, 7000, number(make([]uint64, len(auditFields))...)},
	)
	var out bytes.Buffer
	if err := Perfetto(&out, dir, 1000, func(address uint64) string { return map[uint64]string{place: "solve.c:12"}[address] }); err != nil {
		t.Fatal(err)
	}
	want := `{"traceEvents":[
{"name":"thread_name","ph":"M","pid":14,"tid":24,"args":{"name":"thread 0"}},
{"name":"step","cat":"pentode","ph":"B","ts":1,"pid":14,"tid":24,"args":{"execution":3,"mpirank":4,"name":"step"}},
{"name":"step","cat":"pentode","ph":"E","ts":2.5,"pid":14,"tid":24,"args":{"execution":3,"mpirank":4,"name":"step"}},
{"name":"parallel","cat":"ompt_pinsight_lttng_ust","ph":"B","ts":3,"pid":14,"tid":24,"args":{"flag":-1,"mpirank":4,"parallel_codeptr":"0x4010","parallel_record_id":7,"parent_task_frame":"0x9000","place":"solve.c:12","team_size":8}},
{"name":"parallel","cat":"ompt_pinsight_lttng_ust","ph":"E","ts":4,"pid":14,"tid":24,"args":{"flag":2,"mpirank":4,"parallel_codeptr":"0x4020","parallel_record_id":7}},
{"name":"flush","cat":"ompt_pinsight_lttng_ust","ph":"i","ts":5,"pid":14,"tid":24,"args":{"flush_codeptr":"0xab","mpirank":4,"parallel_codeptr":"0x4010","parallel_record_id":7,"place":"solve.c:12"}}
]}
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	others, joined := filepath.Join(t.TempDir(), "others"), filepath.Join(t.TempDir(), "joined")
	write(t, others, 5, ctf.Clock{Frequency: 1e9}, mark(0, 1000), region(2000))
	if _, _, err := Merge(joined, []string{dir, others}); err != nil {
		t.Fatal(err)
	}
	if err := Perfetto(&out, joined, 0, func(uint64) string { return "" }); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"pid":14,"tid":0,"args":{"name":"MPI rank 4"}`, `"pid":15,"tid":0,"args":{"name":"MPI rank 5"}`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("two processes have no %s:\n%s", want, out.String())
		}
	}
	if err := Perfetto(io.Discard, t.TempDir(), 0, nil); err == nil || !strings.Contains(err.Error(), "holds no trace") {
		t.Errorf("no trace: %v", err)
	}
	if err := os.Truncate(filepath.Join(dir, "stream_0"), 5); err != nil {
		t.Fatal(err)
	}
	if err := Perfetto(io.Discard, dir, 0, nil); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("a damaged stream: %v", err)
	}
}

// The time stamps of agents are known as times of day, and run as fast as those, from either clock.
func TestClock(t *testing.T) {
	const pause = 100 * time.Millisecond
	pass := func(c clock) error {
		c.ticks, c.at = c.now(), time.Now()
		begin, from := time.Now(), c.now()
		time.Sleep(pause)
		to, end := c.now(), time.Now()
		measured := c.measure()
		if got, want := measured.Nanoseconds(to), end.UnixNano(); time.Duration(want-got).Abs() > time.Minute {
			return fmt.Errorf("the time is %v, want %v", time.Unix(0, got), time.Unix(0, want))
		}
		if took := time.Duration(measured.Nanoseconds(to) - measured.Nanoseconds(from)); took < pause*2/3 || took > end.Sub(begin)*3/2 {
			return fmt.Errorf("%v passed in a pause of %v to %v", took, pause, end.Sub(begin))
		}
		return nil
	}
	for _, c := range []clock{newClock(), {}} {
		err := pass(c)
		for try := 0; try < 20 && err != nil; try++ { // it had no turn between two readings that belong together
			err = pass(c)
		}
		if err != nil {
			t.Errorf("steady %v: %v", c.steady, err)
		}
	}
}
