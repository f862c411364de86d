package web

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/run/trace/timeline"
	"github.com/pentode-dev/pentode/runs/record"
)

// TestTimelineOfCounters: a counter is a track whose spans have values. If one pixel covers several values, it has the smallest and
// the largest.
func TestTimelineOfCounters(t *testing.T) {
	h := newHistory(t)
	trace := `[{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"solver"}},
{"name":"edge","ph":"M","pid":1,"tid":0,"args":{"name":"solver.x → out.y","place":"a.pipe:9"}},
{"name":"solver step 1","cat":"flow_step","ph":"X","pid":1,"tid":1,"ts":1,"dur":10,"args":{"step":1}},
{"name":"solver.x → out.y","cat":"flow_push","ph":"C","pid":1,"tid":1,"ts":3,"args":{"data":1}},
{"name":"solver.x → out.y","cat":"flow_push","ph":"C","pid":1,"tid":1,"ts":5,"args":{"data":4}},
{"name":"solver.x → out.y","cat":"flow_push","ph":"C","pid":1,"tid":2,"ts":6,"args":{"data":3}}]`
	h.keep("r1", []record.Result{h.leave("trace.json", trace)}, func(r *record.Record) {
		r.Files = []record.File{{Path: filepath.Join(h.dir, "a.pipe")}}
	})
	a := h.line("r1", "trace.json")
	if c := a.Head.Tracks[1].Lanes[0].Counter; a.Head.Spans != 1 || len(a.Head.Tracks) != 2 || a.Head.Labels[c.Label].Name != "solver.x → out.y" || c.Most != 4 {
		t.Fatalf("the head is %+v, want 1 span, 2 tracks, and the counter %q of at most 4", a.Head, "solver.x → out.y")
	}
	for width, want := range map[string]string{
		"1000": "0.0 0–10 solver step×1\n1.0 2–4 from 1 to 1 4–5 from 4 to 4 5–10 from 3 to 3\nat work 10, whole 1\n",
		"3":    "0.0 0–10 solver step×1\n1.0 2–5 from 1 to 4 5–10 from 3 to 3\nat work 10, whole 1\n",
	} {
		if got := h.drawn(a, "from", "0", "to", "10000", "width", width, "first", "0", "count", "9"); got != want {
			t.Errorf("%s pixels are\n%s\nwant %v", width, got, want)
		}
	}
	span := get[spanAnswer](h, 200, "span", "of", a.Of, "track", "1", "lane", "0", "at", "4500")
	if span.Value == nil || *span.Value != 4 || span.Number != 1 || span.Of != 3 || a.Head.Labels[span.Label].Name != "solver.x → out.y" || span.placeEntry != (placeEntry{filepath.Join(h.dir, "a.pipe"), 9}) {
		t.Errorf("the value is %+v, want 4, number 1 of 3, of solver.x → out.y, at line 9 of a.pipe", span)
	}
	if span := get[spanAnswer](h, 200, "find", "of", a.Of, "text", "OUT.Y", "after", "-1"); span.Track != 1 || span.Begin != 2000 || *span.Value != 1 {
		t.Errorf("found is %+v, want 1 on track 1 from 2000 on", span)
	}
	sums := get[totalsAnswer](h, 200, "totals", "of", a.Of, "from", "0", "to", "10000", "first", "0", "count", "2")
	if want := []timeline.Level{{Track: 1, Least: 1, Mean: 21. / 8, Most: 4}}; !slices.Equal(sums.Counters, want) || len(sums.Rows) != 1 || sums.MoreCounters != 0 {
		t.Errorf("the totals are %+v, want the counters %v, one row, and no more counters", sums, want)
	}
	if sums := get[totalsAnswer](h, 200, "totals", "of", a.Of, "from", "0", "to", "2000", "first", "0", "count", "2"); len(sums.Counters) != 0 {
		t.Errorf("before the first value: %+v", sums.Counters)
	}
}
