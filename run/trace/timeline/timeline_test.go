package timeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// rounds is the number of tries with random values: a few, or PENTODE_ROUNDS.
func rounds(few int) int {
	if n, err := strconv.Atoi(os.Getenv("PENTODE_ROUNDS")); err == nil {
		return n
	}
	return few
}

// memory is the file of an index.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// play makes the index of the trace that a text describes, and opens both.
func play(t testing.TB, text string) (*recorded.Trace, *Index) {
	t.Helper()
	dir := t.TempDir()
	if err := played.Write(dir, text); err != nil {
		t.Fatal(err)
	}
	return index(t, dir)
}

func index(t testing.TB, path string) (*recorded.Trace, *Index) {
	t.Helper()
	trace, err := recorded.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Make(t.Context(), trace, &b, nil); err != nil {
		t.Fatal(err)
	}
	x, err := Open(memory{bytes.NewReader(b.Bytes())}, int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return trace, x
}

// text returns an index as lines.
func (x *Index) text(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	for _, track := range x.Tracks {
		fmt.Fprintf(&b, "%s, %s, rank %d, lost %d\n", track.Process, track.Name, track.Rank, track.Lost)
		for i, l := range track.Lanes {
			fmt.Fprintf(&b, "  %d", i)
			if l.Instants {
				b.WriteString(" moments")
			}
			err := x.spans(l, 0, x.Length+1, func(_ uint64, s *Span) bool {
				label := x.Labels[s.Label]
				fmt.Fprintf(&b, " │ %d–%d %s %s", s.Begin/1000, s.End/1000, label.Name, label.Where)
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
			b.WriteByte('\n')
		}
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

const small = `
place 0x10 relax /src/heat.c:12
rank 0
10us region_begin name=step
20us MPI_Send_begin dest=1 bytes=4096
30us MPI_Send_end
31us mark name=half
32us parallel_begin parallel_codeptr=0x10
40us parallel_end parallel_codeptr=0x10
50us region_end name=step
60us region_begin name=cut
rank 0 thread 1
33us region_begin name=work
70us region_end name=work
lost 7
rank 1
15us MPI_Recv_begin source=0 bytes=4096
35us MPI_Recv_end source=0 bytes=4096
`

// An index has a track for each thread, lanes by depth, events in a separate lane, and the place of each frame.
func TestMake(t *testing.T) {
	_, x := play(t, small)
	want := "MPI rank 0, thread 0, rank 0, lost 0\n" +
		"  0 │ 0–40 step  │ 50–50 cut\n" +
		"  1 │ 10–20 MPI_Send  │ 22–30 parallel relax heat.c:12 in `relax`\n" +
		"  2 moments │ 21–21 half\n" +
		"MPI rank 0, thread 1, rank 0, lost 7\n" +
		"  0 │ 23–60 work\n" +
		"MPI rank 1, thread 0, rank 1, lost 0\n" +
		"  0 │ 5–25 MPI_Recv\n"
	if diff := gocmp.Diff(want, x.text(t)); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
	if x.Length != 60_000 || x.Spans != 7 || x.Program != "heat" || x.Start != 10_000 {
		t.Errorf("the head is %+v, want x.Length = 60_000, x.Spans = 7, x.Program = %q and x.Start = 10_000", x.Head, "heat")
	}
	label := slices.IndexFunc(x.Labels, func(l Label) bool { return l.Name == "parallel relax" })
	if l := x.Labels[label]; l.File != "/src/heat.c" || l.Line != 12 || !strings.HasSuffix(l.Event, ":parallel_begin") {
		t.Errorf("the label of the construct is %+v, want l.File = %q, l.Line = 12 and l.Event = %q at the end", l, "/src/heat.c", ":parallel_begin")
	}
}

// Messages, tasks and device activities become arrows. An end of an arrow whose other end is missing is counted.
func TestArrows(t *testing.T) {
	_, x := play(t, small+`
36us MPI_Send_begin dest=0 tag=9
37us MPI_Send_end
`)
	got, whole := x.Arrows(0, x.Length, 1, 100)
	want := []Arrow{{From: 0, To: 2, Sent: 10_000, Come: 25_000, Bytes: 4096}}
	if diff := gocmp.Diff(want, got); diff != "" || !whole || x.Apart != 1 {
		t.Errorf("%s, whole %t, %d apart; want no difference (-want +got), whole, and 1 apart", diff, whole, x.Apart)
	}
	for _, c := range []struct {
		from, to int64
		n        int
	}{{0, 10_000, 0}, {0, 10_001, 1}, {12_000, 13_000, 1}, {25_000, 26_000, 1}, {25_001, 60_000, 0}} {
		if got, _ := x.Arrows(c.from, c.to, 1, 100); len(got) != c.n {
			t.Errorf("between %d and %d: %d arrows, want %v", c.from, c.to, len(got), c.n)
		}
	}
	if got, whole := x.Arrows(0, x.Length, 1, 0); len(got) != 0 || whole {
		t.Errorf("with a limit: %v %t; want none, and not whole", got, whole)
	}
	_, x = play(t, `
rank 0
1us task_create task_id=5
2us region_begin name=wait
9us region_end name=wait
rank 0 thread 1
4us task_schedule next_task_id=5
6us task_schedule prior_task_id=5 prior_task_status=1
`)
	got, _ = x.Arrows(0, x.Length, 1, 100)
	if diff := gocmp.Diff([]Arrow{{From: 0, To: 1, Sent: 0, Come: 3000, Kind: TaskArrow}}, got); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
}

// The trace of a pipeline has tracks for its processes and for the threads of programs.
func TestMakePipeline(t *testing.T) {
	path := filepath.Join(t.TempDir(), recorded.TimelineFile)
	err := os.WriteFile(path, []byte(`{"traceEvents":[
{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"heat"}},
{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"solver","place":"heat.pipe:4"}},
{"name":"solver step 1","cat":"flow_step","ph":"X","pid":1,"tid":1,"ts":1,"dur":1.000,"args":{"step":1}},
{"name":"solver waits for room","cat":"flow_block","ph":"X","pid":1,"tid":1,"ts":2,"dur":5.5,"args":{"edge":"solver.x → out.y"}},
{"name":"solver step 1 (goes on)","cat":"flow_step","ph":"X","pid":1,"tid":1,"ts":7.5,"dur":0.5,"args":{"step":1}},
{"name":"process_name","ph":"M","pid":2,"tid":0,"args":{"name":"solve (rank 0): solve"}},
{"name":"thread_name","ph":"M","pid":2,"tid":7,"args":{"name":"thread 0"}},
{"name":"MPI_Barrier","ph":"B","pid":2,"tid":7,"ts":4.000,"cat":"pmpi_pinsight_lttng_ust","args":{"mpirank":2}},
{"name":"MPI_Barrier","ph":"E","pid":2,"tid":7,"ts":6.000,"cat":"pmpi_pinsight_lttng_ust","args":{"mpirank":2}}`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, x := index(t, path)
	want := "heat, solver, rank -1, lost 0\n" +
		"  0 │ 0–7 solver step heat.pipe:4\n" +
		"  1 │ 1–6 waits for room at solver.x → out.y\n" +
		"solve (rank 0): solve, thread 0, rank 2, lost 0\n" +
		"  0 │ 3–5 MPI_Barrier\n"
	if diff := gocmp.Diff(want, x.text(t)); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
}

// random writes threads that enter and leave frames, often within a nanosecond.
func random(r *rand.Rand, events int) string {
	var b strings.Builder
	for thread := range 1 + r.IntN(3) {
		fmt.Fprintf(&b, "rank %d thread %d\n", thread%2, thread)
		var open []string
		at, step := r.IntN(1000), []int{2, 50, 100_000}[r.IntN(3)]
		for range r.IntN(events) {
			at += r.IntN(step)
			switch n := r.IntN(10); {
			case n < 5 && len(open) < 5:
				open = append(open, fmt.Sprint("f", r.IntN(80)))
				fmt.Fprintf(&b, "%dns region_begin name=%s\n", at, open[len(open)-1])
			case n < 6:
				fmt.Fprintf(&b, "%dns mark name=m%d\n", at, r.IntN(3))
			case len(open) > 0:
				fmt.Fprintf(&b, "%dns region_end name=%s\n", at, open[len(open)-1])
				open = open[:len(open)-1]
			}
		}
		for _, name := range slices.Backward(open) { // frames without an end are tested elsewhere
			fmt.Fprintf(&b, "%dns region_end name=%s\n", at, name)
		}
		fmt.Fprintf(&b, "%dns mark name=last\n", at)
	}
	return b.String()
}

// plain is a span found by walking through the trace.
type plain struct {
	Span
	name    string
	thread  *recorded.Thread
	depth   int // -1: an event
	around  string
	instant bool
}

// walk finds the spans of a trace without an index.
func walk(t *testing.T, trace *recorded.Trace) (list []plain) {
	t.Helper()
	stacks := map[*recorded.Thread][]string{}
	err := trace.Walk(recorded.Handler{
		Enter: func(e *recorded.Event, f *recorded.Frame) error {
			stacks[e.Thread] = append(stacks[e.Thread], f.Name)
			return nil
		},
		Leave: func(th *recorded.Thread, f *recorded.Frame, end int64, _ bool, _ *recorded.Event) error {
			p := plain{Span: Span{Begin: f.Begin - trace.Start, End: end - trace.Start}, name: f.Name, thread: th, depth: len(stacks[th]) - 1}
			if stacks[th] = stacks[th][:p.depth]; p.depth > 0 {
				p.around = stacks[th][p.depth-1]
			}
			list = append(list, p)
			return nil
		},
		Instant: func(e *recorded.Event) error {
			list = append(list, plain{Span: Span{Begin: e.Time - trace.Start, End: e.Time - trace.Start}, name: e.Title(), thread: e.Thread, instant: true, depth: -1})
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(list, func(a, b plain) int { return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End)) })
	return list
}

// In any window, the index agrees with the sums over all events.
func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range rounds(2) {
		text := random(r, 3000)
		trace, x := play(t, text)
		all := walk(t, trace)
		if int(x.Spans) != len(all) {
			t.Fatalf("%d spans, want %d", x.Spans, len(all))
		}
		for range 30 {
			from := r.Int64N(x.Length + 1)
			to := from + 1 + r.Int64N([]int64{10, 1000, x.Length + 1}[r.IntN(3)])
			pixel := r.Int64N([]int64{1, 20, 1 + (to-from)/10}[r.IntN(3)] + 1)
			if r.IntN(10) == 0 {
				from, to = 0, x.Length+1
			}
			windowIs(t, x, all, from, to, pixel)
			totalsAre(t, x, all, from, to)
			busyIs(t, x, all, from, to, 1+r.IntN(40))
			findIs(t, x, all, from, r.IntN(2) == 0, fmt.Sprint("f", r.IntN(100)))
		}
		if t.Failed() {
			t.Fatalf("the trace is\n%s", text)
		}
	}
}

// of returns the spans of a lane.
func of(x *Index, all []plain, track, lane int) (list []plain) {
	for _, p := range all {
		same := p.thread.PID == x.Tracks[track].PID && p.thread.TID == x.Tracks[track].TID
		if same && p.instant == x.Tracks[track].Lanes[lane].Instants && (p.instant || p.depth == lane) {
			list = append(list, p)
		}
	}
	return list
}

// windowIs checks that the bars contain exactly the spans of the window, each span longer than a pixel is one bar, and there
// are not many more bars than pixels.
func windowIs(t *testing.T, x *Index, all []plain, from, to, pixel int64) {
	t.Helper()
	for track := range x.Tracks {
		for lane, l := range x.Tracks[track].Lanes {
			bars, err := x.Window(l, from, to, pixel, nil)
			if err != nil {
				t.Fatal(err)
			}
			if pixel > 0 && int64(len(bars)) > 2*((to-from)/pixel)+4 {
				t.Errorf("%d bars in %d pixels, want at most 2 a pixel and 4 more", len(bars), (to-from)/pixel)
			}
			spans, at := of(x, all, track, lane), 0
			for _, p := range spans {
				if !p.overlaps(from, to) {
					continue
				}
				for at < len(bars) && (bars[at].End < p.End || bars[at].End == p.End && bars[at].Begin > p.Begin) {
					at++
				}
				if at == len(bars) || bars[at].Begin > p.Begin {
					t.Errorf("window %d–%d, pixel %d: %s %d–%d is in no bar", from, to, pixel, p.name, p.Begin, p.End)
					return
				}
				if b := bars[at]; p.End-p.Begin > pixel && (b.Begin != p.Begin || b.End != p.End || b.Spans != 1 || x.Labels[b.Label].Name != p.name) {
					t.Errorf("%s %d–%d is in the bar %+v, want a bar of its own", p.name, p.Begin, p.End, b)
				}
			}
			count, want := 0, 0
			for i, b := range bars {
				if i > 0 && b.Begin < bars[i-1].End {
					t.Errorf("the bar %+v overlaps %+v, want it behind", b, bars[i-1])
				}
				if b.Spans != 1 && b.End-b.Begin > pixel {
					t.Errorf("the bar %+v is longer than a pixel", b)
				}
				count += int(b.Spans)
			}
			for _, p := range spans {
				if p.overlaps(from, to) {
					want++
				}
			}
			// With pixels of length 0 every bar is a span; a bar of several spans may reach beyond the window.
			if all := from == 0 && to > x.Length; (all || pixel == 0 && !l.Instants) && count != want || count < want {
				t.Errorf("window %d–%d, pixel %d: %d spans, want %d", from, to, pixel, count, want)
			}
		}
	}
}

func totalsAre(t *testing.T, x *Index, all []plain, from, to int64) {
	t.Helper()
	clipped := func(s Span) int64 { return min(s.End, to) - max(s.Begin, from) }
	want, got := map[string]Total{}, map[string]Total{}
	for _, p := range all {
		if !p.overlaps(from, to) {
			continue
		}
		s := want[p.name]
		s.Count++
		s.Total += clipped(p.Span)
		s.Self += clipped(p.Span)
		want[p.name] = s
	}
	for _, p := range all {
		if s, ok := want[p.around]; ok && p.depth > 0 && p.overlaps(from, to) {
			s.Self -= clipped(p.Span)
			want[p.around] = s
		}
	}
	tracks := make([]int, len(x.Tracks))
	for i := range tracks {
		tracks[i] = i
	}
	list, err := x.Totals(tracks, from, to)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		name := x.Labels[s.Label].Name
		s.Label = 0
		got[name] = s
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("window %d–%d: %s; want nothing", from, to, diff)
	}
	if !slices.IsSortedFunc(list, func(a, b Total) int { return cmp.Compare(b.Total, a.Total) }) {
		t.Errorf("not sorted: %v", list)
	}
}

func busyIs(t *testing.T, x *Index, all []plain, from, to int64, n int) {
	t.Helper()
	want, got := int64(0), int64(0)
	buckets := make([]int64, n)
	for i := range x.Tracks {
		if err := x.Busy(x.Tracks[i].Lanes[0], from, to, buckets); err != nil {
			t.Fatal(err)
		}
		for _, p := range of(x, all, i, 0) {
			want += max(0, min(p.End, to)-max(p.Begin, from))
		}
	}
	width := max((to-from)/int64(n), 1)
	for i, b := range buckets {
		got += b
		if i < n-1 && b > width*int64(len(x.Tracks)) {
			t.Errorf("bucket %d of %d ns is busy for %d, want at most %v", i, width, b, width*int64(len(x.Tracks)))
		}
	}
	if got != want {
		t.Errorf("window %d–%d in %d buckets: busy for %d, want %d", from, to, n, got, want)
	}
}

func findIs(t *testing.T, x *Index, all []plain, after int64, back bool, name string) {
	t.Helper()
	want := int64(-1)
	for _, p := range all {
		if p.name != name {
			continue
		}
		if !back && p.Begin > after && (want < 0 || p.Begin < want) || back && p.Begin < after && p.Begin > want {
			want = p.Begin
		}
	}
	tracks := make([]int, len(x.Tracks))
	for i := range tracks {
		tracks[i] = i
	}
	labels := make([]bool, len(x.Labels))
	for i, l := range x.Labels {
		labels[i] = l.Name == name
	}
	f, ok, err := x.Find(tracks, labels, after, back)
	if err != nil || ok != (want >= 0) || ok && (f.Begin != want || !labels[f.Label]) {
		t.Fatalf("%s after %d, back %t: %+v %t %v, want %d", name, after, back, f, ok, err, want)
	}
	if !ok {
		return
	}
	if same, err := x.Span(f.Track, f.Lane, f.Number); err != nil || same != f {
		t.Errorf("span %d is %+v, want %+v (%v)", f.Number, same, f, err)
	}
	if at, err := x.At(f.Track, f.Lane, f.Begin); err != nil || at.Begin > f.Begin || at.End < f.Begin {
		t.Errorf("at %d is %+v, want %+v (%v)", f.Begin, at, f, err)
	}
}

// A truncated or modified index, or a file of another kind, is reported as damaged, and nothing crashes.
func TestDamaged(t *testing.T) {
	var b bytes.Buffer
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	if err := played.Write(dir, random(r, 3000)); err != nil {
		t.Fatal(err)
	}
	trace, err := recorded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := Make(t.Context(), trace, &b, nil); err != nil {
		t.Fatal(err)
	}
	for range rounds(60) {
		text := bytes.Clone(b.Bytes())
		if r.IntN(3) == 0 {
			text = text[:r.IntN(len(text))]
		} else {
			for range 1 + r.IntN(4) {
				text[len(text)-1-r.IntN(min(len(text), []int{32, 2000, len(text)}[r.IntN(3)]))] = byte(r.Uint32())
			}
		}
		x, err := Open(memory{bytes.NewReader(text)}, int64(len(text)))
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			continue
		}
		for i, track := range x.Tracks {
			for _, l := range track.Lanes {
				if _, err := x.Window(l, 0, x.Length, 5, nil); err != nil && !errors.Is(err, ErrDamaged) {
					t.Fatal(err)
				}
			}
			if _, err := x.Totals([]int{i}, 0, x.Length); err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
		}
	}
}

// A cancelled Make ends.
func TestMakeCanceled(t *testing.T) {
	dir := t.TempDir()
	if err := played.Large(dir, 20_000); err != nil {
		t.Fatal(err)
	}
	trace, err := recorded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Make(ctx, trace, new(bytes.Buffer), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func BenchmarkMake(b *testing.B) {
	dir, events := b.TempDir(), played.Events()
	if err := played.Large(dir, events); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	size := int64(0)
	for b.Loop() {
		t, err := recorded.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		f, err := os.Create(filepath.Join(dir, "index"))
		if err != nil {
			b.Fatal(err)
		}
		if err := Make(b.Context(), t, f, nil); err != nil {
			b.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			b.Fatal(err)
		}
		size = info.Size()
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events*b.N), "ns/event")
	b.ReportMetric(float64(size)/float64(events), "B/event")
}

// BenchmarkWindow draws windows of all lengths, 1,400 pixels wide.
func BenchmarkWindow(b *testing.B) {
	dir := b.TempDir()
	if err := played.Large(dir, played.Events()); err != nil {
		b.Fatal(err)
	}
	_, x := index(b, dir)
	b.ReportAllocs()
	var bars []Bar
	var err error
	r := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		length := max(x.Length>>r.IntN(20), 1)
		from := r.Int64N(x.Length - length + 1)
		for _, t := range x.Tracks {
			for _, l := range t.Lanes {
				if bars, err = x.Window(l, from, from+length, length/1400, bars[:0]); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

func BenchmarkTotals(b *testing.B) {
	dir := b.TempDir()
	if err := played.Large(dir, played.Events()); err != nil {
		b.Fatal(err)
	}
	_, x := index(b, dir)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := x.Totals([]int{0, 1, 2, 3}, 0, x.Length); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(x.Spans), "ns/span")
}
