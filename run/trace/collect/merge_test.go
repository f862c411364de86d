//go:build linux

package collect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// happening is an event of a test's trace.
type happening struct {
	kind   int
	time   uint64
	fields []ctf.Value
}

// write makes a trace of one rank with its own process, thread and loss numbers.
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

// mark is the moment when MPI begins (0) or ends (1) on a rank.
func mark(which, time uint64) happening {
	return happening{agent.ClockRecord, time, []ctf.Value{{Number: which}}}
}

func region(time uint64) happening {
	return happening{kind("region_begin"), time, []ctf.Value{{Text: "step"}, {Number: 3}}}
}

// second is a clock whose trace began offset seconds after the epoch.
func second(offset int64) ctf.Clock { return ctf.Clock{Frequency: 1e9, Offset: offset * 1e9} }

// Merging corrects clocks that differ in offset and speed.
func TestMerge(t *testing.T) {
	const begin, middle, end = 1e9, 15e8, 2e9
	merged := ""
	for name, c := range map[string]struct {
		events []happening // of the second trace, whose clock is 94 seconds ahead
		want   []int64     // their times; the times of the first trace do not change
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
		traces, events, err := Merge(out, []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}, nil)
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

// After a merge the places of regions are known: ranks of one program share places, and the
// addresses of another program are kept apart.
func TestMergeKeepsRegions(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	flush := func(address uint64) happening {
		return happening{kind("flush"), 5, []ctf.Value{{Number: address}, {}, {Number: address}}}
	}
	library := InModule(1, 0x20)
	for i, regions := range []string{
		`{"program":"./a","build_id":"aa","regions":[{"address":"0x10","function":"f","file":"a.c","line":3},{"address":"0x1000000000020","function":"lib","module":"/x.so","build_id":"xx"}]}`,
		`{"program":"./a","build_id":"aa","regions":[{"address":"0x10","function":"f","file":"a.c","line":3},{"address":"0x1000000000020","function":"other","module":"/y.so","build_id":"yy"}]}`,
		`{"program":"./b","build_id":"bb","regions":[{"address":"0x10","function":"g","file":"b.c","line":4}]}`,
		``,
	} {
		name := string(rune('a' + i))
		write(t, filepath.Join(at(name), "ctf"), uint32(i), second(1), flush(0x10), flush(library))
		if err := os.WriteFile(filepath.Join(at(name), recorded.RegionsFile), []byte(regions), 0o666); regions != "" && err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := Merge(at("all/ctf"), []string{at("a"), at("b"), at("c"), at("d")}, nil); err != nil {
		t.Fatal(err)
	}
	regions := recorded.ReadRegions(at("all"))
	if regions.Program != "./a" || regions.BuildID != "aa" {
		t.Errorf("the program is %s %s; want regions.Program = %q and regions.BuildID = %q", regions.Program, regions.BuildID, "./a", "aa")
	}
	r, err := ctf.Open(at("all/ctf"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, stream := range r.Streams {
		for o, err := range r.Events(stream) {
			if err != nil {
				t.Fatal(err)
			}
			place := regions.At(o.Fields[0].Number)
			if place == nil {
				place = &recorded.Region{}
			}
			got = append(got, fmt.Sprintf("%d %s %s %s %s %v", o.Context[2].Number, place.Function, place.Module, place.BuildID, place.Region, o.Fields[0].Number == o.Fields[2].Number))
		}
	}
	want := []string{
		"0 f    true", "0 lib /x.so xx x.so+0x20 true", "1 f    true", "1 other /y.so yy y.so+0x20 true",
		"2 g ./b bb b+0x10 true", "2     true", "3     true", "3     true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
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
	if _, _, err := Merge(filepath.Join(dir, "merged"), []string{good}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, out, in, want string }{
		{"no trace", "all", empty, "contains no trace"},
		{"no folder", "all", filepath.Join(dir, "none"), "contains no trace: there is no such folder"},
		{"a damaged stream", "all", damaged, "the stream `stream_0` is damaged"},
		{"a trace of something else", "all", other, "there is no `trace` block"},
		{"a trace of another tracer", "all", foreign, "was not made by `pentode trace record`: its event `demo` has other fields"},
		{"a file in the way", "file/all", good, "not a directory"},
		{"a trace in the way", "merged", good, "file exists"},
	} {
		if _, _, err := Merge(filepath.Join(dir, c.out), []string{good, c.in}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// With either clock, the agents' time stamps convert to times of day and run at the same speed.
func TestClock(t *testing.T) {
	const pause = 100 * time.Millisecond
	pass := func(c clock) error {
		c.ticks, c.at = c.now(), time.Now()
		begin, from := time.Now(), c.now()
		time.Sleep(pause) // the pause that is measured
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
		for try := 0; try < 20 && err != nil; try++ { // a busy machine may have delayed one of two readings that belong together
			err = pass(c)
		}
		if err != nil {
			t.Errorf("steady %v: %v", c.steady, err)
		}
	}
}
