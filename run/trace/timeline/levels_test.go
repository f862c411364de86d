package timeline

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// write writes the trace of a pipeline.
func write(t testing.TB, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), recorded.TimelineFile)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Counters are tracks after the tracks of their process. They have the place of their edge, and the duration of each value.
func TestMakeCounters(t *testing.T) {
	_, x := index(t, write(t, `[
{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"heat (rank 0)"}},
{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"solver"}},
{"name":"edge","ph":"M","pid":1,"tid":0,"args":{"name":"solver.x → out.y","place":"heat.pipe:9"}},
{"name":"solver step 1","cat":"flow_step","ph":"X","pid":1,"tid":1,"ts":10,"dur":9,"args":{"step":1}},
{"name":"solver.x → out.y","cat":"flow_push","ph":"C","pid":1,"tid":1,"ts":12,"args":{"data":1}},
{"name":"solver.x → out.y","cat":"flow_push","ph":"C","pid":1,"tid":1,"ts":13,"args":{"data":2}},
{"name":"solver.x → out.y","cat":"flow_push","ph":"C","pid":1,"tid":2,"ts":15,"args":{"data":1}},
{"name":"process_name","ph":"M","pid":2,"tid":0,"args":{"name":"heat (rank 1)"}},
{"name":"thread_name","ph":"M","pid":2,"tid":1,"args":{"name":"solver"}},
{"name":"solver step 1","cat":"flow_step","ph":"X","pid":2,"tid":1,"ts":11,"dur":9,"args":{"step":1}},
{"name":"solver.x → out.y","cat":"flow_push","ph":"C","pid":2,"tid":1,"ts":14,"args":{"data":7}}]`))
	var got strings.Builder
	for i, track := range x.Tracks {
		fmt.Fprintf(&got, "%s, %s\n", track.Process, track.Name)
		c := track.Lanes[0].Counter
		if c == nil {
			continue
		}
		fmt.Fprintf(&got, "  %s of %s to %d", x.Labels[c.Label].Where, x.Labels[c.Label].Event, c.Most)
		for n := range track.Lanes[0].Spans {
			f, err := x.Span(i, 0, n)
			if err != nil || x.Label(f) != c.Label {
				t.Fatal(f, err)
			}
			fmt.Fprintf(&got, " │ %d–%d %d", f.Begin/1000, f.End/1000, f.Span.Label)
		}
		got.WriteByte('\n')
	}
	want := "heat (rank 0), solver\n" +
		"heat (rank 0), solver.x → out.y\n" +
		"  heat.pipe:9 of flow_push to 2 │ 2–3 1 │ 3–5 2 │ 5–10 1\n" +
		"heat (rank 1), solver\n" +
		"heat (rank 1), solver.x → out.y\n" +
		"   of flow_push to 7 │ 4–10 7\n"
	if diff := gocmp.Diff(want, got.String()); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
	if x.Spans != 2 || x.Length != 10_000 {
		t.Errorf("%d spans are no values, and the trace has %d ns", x.Spans, x.Length)
	}
	labels := make([]bool, len(x.Labels))
	labels[x.Tracks[1].Lanes[0].Counter.Label] = true
	for _, c := range []struct {
		after int64
		back  bool
		want  string
	}{{-1, false, "1 2000"}, {2000, false, "none"}, {9000, true, "1 2000"}, {2000, true, "none"}} {
		got := "none"
		if f, ok, err := x.Find([]int{0, 1, 2, 3}, labels, c.after, c.back); err != nil {
			t.Fatal(err)
		} else if ok {
			got = fmt.Sprint(f.Track, f.Begin)
		}
		if got != c.want {
			t.Errorf("%+v: %s; want %v", c, got, c.want)
		}
	}
}

// counted writes counters whose values come in blocks from both ends, and returns the values of each in order.
func counted(r *rand.Rand, most int) (text string, values [][]Span) {
	var lines []string
	last := int64(0)
	for c := range 1 + r.IntN(3) {
		step := []int64{2, 50, 100_000}[r.IntN(3)]
		high := []uint32{2, 9, 5000, math.MaxUint32}[r.IntN(4)]
		at := r.Int64N(1000)
		ends := [2][]string{}
		var list []Span
		for range 1 + r.IntN(most) {
			end := r.IntN(2)
			for again := true; again; again = r.IntN(20) == 0 { // if several values have the same time, the last one counts
				s := Span{Begin: at, Label: r.Uint32N(high)}
				if n := len(list); n > 0 && list[n-1].Begin == at {
					list = list[:n-1]
				}
				list = append(list, s)
				ends[end] = append(ends[end], fmt.Sprintf(`{"name":"c%d","cat":"flow_push","ph":"C","pid":1,"tid":%d,"ts":%d.%03d,"args":{"data":%d}}`, c, end, at/1000, at%1000, s.Label))
			}
			at += 1 + r.Int64N(step)
			last = max(last, at)
		}
		values = append(values, list)
		lines = append(lines, append(ends[1], ends[0]...)...)
	}
	for _, list := range values {
		for i := range list {
			list[i].End = last
			if i+1 < len(list) {
				list[i].End = list[i+1].Begin
			}
		}
	}
	lines = append(lines, fmt.Sprintf(`{"name":"a","ph":"X","pid":1,"tid":1,"ts":0,"dur":%d.%03d}`, last/1000, last%1000))
	return "[" + strings.Join(lines, ",\n") + "]", values
}

// In any window, the index agrees with a search through all values.
func TestLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range rounds(10) {
		text, values := counted(r, 5000)
		_, x := index(t, write(t, text))
		if len(x.Tracks) != 1+len(values) {
			t.Fatalf("%d tracks, want %v", len(x.Tracks), 1+len(values))
		}
		for range 30 {
			from := r.Int64N(x.Length+100) - 50
			to := from + 1 + r.Int64N([]int64{10, 1000, x.Length + 1}[r.IntN(3)])
			pixel := r.Int64N([]int64{1, 20, 1 + (to-from)/10}[r.IntN(3)] + 1)
			levels, err := x.Levels([]int{0, 1, 2, 3}[:len(x.Tracks)], from, to)
			if err != nil {
				t.Fatal(err)
			}
			for i, list := range values {
				levels = levelIs(t, list, i+1, from, to, levels)
				stepsAre(t, x, list, i+1, from, to, pixel)
			}
			if len(levels) > 0 {
				t.Errorf("window %d–%d: %+v are too many", from, to, levels)
			}
		}
		if t.Failed() {
			t.Fatalf("the trace is\n%s", text)
		}
	}
}

// levelIs checks that the first level belongs to a counter, if the counter has a value in the window.
func levelIs(t *testing.T, all []Span, track int, from, to int64, levels []Level) []Level {
	t.Helper()
	want, any, area, time := Level{Track: track, Least: math.MaxUint32}, false, 0.0, int64(0)
	for _, s := range all {
		if s.overlaps(from, to) {
			any = true
			want.Least, want.Most = min(want.Least, s.Label), max(want.Most, s.Label)
			long := min(s.End, to) - max(s.Begin, from)
			area, time = area+float64(s.Label)*float64(long), time+long
		}
	}
	if !any {
		return levels
	}
	if want.Mean = float64(want.Most); time > 0 {
		want.Mean = area / float64(time)
	}
	if len(levels) == 0 {
		t.Errorf("window %d–%d: no level, want %+v", from, to, want)
		return levels
	}
	got := levels[0]
	if math.Abs(got.Mean-want.Mean) > 1e-9*(1+want.Mean) {
		t.Errorf("window %d–%d: mean %v, want %v", from, to, got.Mean, want.Mean)
	}
	if got.Mean = want.Mean; got != want {
		t.Errorf("window %d–%d: %+v, want %+v", from, to, got, want)
	}
	return levels[1:]
}

// stepsAre checks the bars of a counter: they are consecutive from the first value in the window to the last, each has
// the smallest and the largest of its values, and only a bar shorter than a pixel has several values.
func stepsAre(t *testing.T, x *Index, all []Span, track int, from, to, pixel int64) {
	t.Helper()
	bars, err := x.Window(x.Tracks[track].Lanes[0], from, to, pixel, nil)
	if err != nil {
		t.Fatal(err)
	}
	if pixel > 0 && int64(len(bars)) > 2*((to-from)/pixel)+4 {
		t.Errorf("%d bars in %d pixels, want at most 2 a pixel and 4 more", len(bars), (to-from)/pixel)
	}
	next := slices.IndexFunc(all, func(s Span) bool { return s.overlaps(from, to) })
	if next < 0 {
		if len(bars) > 0 {
			t.Errorf("window %d–%d: %+v, want none", from, to, bars)
		}
		return
	}
	// The first bar may begin before the window.
	for len(bars) > 0 && all[next].Begin > bars[0].Begin {
		next--
	}
	for i, b := range bars {
		if i > 0 && bars[i-1].End != b.Begin {
			t.Errorf("between the bars %+v and %+v is nothing", bars[i-1], b)
		}
		low, high, n := uint32(math.MaxUint32), uint32(0), 0
		for next < len(all) && all[next].Begin >= b.Begin && all[next].End <= b.End {
			low, high, n = min(low, all[next].Label), max(high, all[next].Label), n+1
			next++
		}
		if n == 0 || low != b.Spans || high != b.Label || n > 1 && b.End-b.Begin > pixel {
			t.Errorf("window %d–%d, pixel %d: the bar %+v has %d values from %d to %d; want at least one, these two in the bar, and several only within a pixel", from, to, pixel, b, n, low, high)
			return
		}
	}
	if next < len(all) && all[next].overlaps(from, to) {
		t.Errorf("window %d–%d: %+v is in no bar", from, to, all[next])
	}
}

// An index with counters that was modified is reported as damaged, and nothing crashes.
func TestDamagedCounters(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	text, _ := counted(r, 3000)
	trace, err := recorded.Open(write(t, text))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Make(t.Context(), trace, &b, nil); err != nil {
		t.Fatal(err)
	}
	for range rounds(200) {
		text := bytes.Clone(b.Bytes())
		for range 1 + r.IntN(4) {
			text[len(text)-1-r.IntN(min(len(text), []int{700, 3000, len(text)}[r.IntN(3)]))] = byte(r.Uint32())
		}
		x, err := Open(memory{bytes.NewReader(text)}, int64(len(text)))
		for i := 0; err == nil && i < len(x.Tracks); i++ {
			var levels []Level
			levels, err = x.Levels([]int{i}, 0, x.Length/2)
			if len(levels) > 0 && (math.IsNaN(levels[0].Mean) || math.IsInf(levels[0].Mean, 0)) {
				t.Fatalf("%+v, want a mean that is a number", levels)
			}
			for _, l := range x.Tracks[i].Lanes {
				if _, werr := x.Window(l, 0, x.Length, 5, nil); err == nil {
					err = werr
				}
			}
			if _, _, ferr := x.Find([]int{i}, make([]bool, len(x.Labels)), 0, false); err == nil {
				err = ferr
			}
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
	}
}

// BenchmarkCounterWindow draws windows of all lengths, 1,400 pixels wide, of a counter with a million values.
func BenchmarkCounterWindow(b *testing.B) {
	var text strings.Builder
	text.WriteString(`[{"name":"a","ph":"X","pid":1,"tid":1,"ts":0,"dur":1}`)
	for i := range 1_000_000 {
		fmt.Fprintf(&text, `,{"name":"c","cat":"flow_push","ph":"C","pid":1,"tid":1,"ts":%d,"args":{"data":%d}}`, i, i*7919%13)
	}
	_, x := index(b, write(b, text.String()+"]"))
	r := rand.New(rand.NewPCG(1, 2))
	var bars []Bar
	var err error
	b.ReportAllocs()
	for b.Loop() {
		length := max(x.Length>>r.IntN(20), 1)
		from := r.Int64N(x.Length - length + 1)
		if bars, err = x.Window(x.Tracks[1].Lanes[0], from, from+length, length/1400, bars[:0]); err != nil {
			b.Fatal(err)
		}
	}
}
