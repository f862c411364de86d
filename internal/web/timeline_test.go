package web

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/run/trace/timeline"
	"github.com/pentode-dev/pentode/runs/record"
)

// playedTrace is a trace of two ranks, with one source position in a file of the page and one elsewhere.
const playedTrace = `
place 0x10 relax DIR/heat.c:12
place 0x20 far /src/far.c:7
rank 0
10us region_begin name=step
20us MPI_Send_begin dest=1 bytes=4096
30us MPI_Send_end
31us mark name=half
32us parallel_begin parallel_codeptr=0x10
40us parallel_end parallel_codeptr=0x10
41us parallel_begin parallel_codeptr=0x20
42us parallel_end parallel_codeptr=0x20
50us region_end name=step
rank 1
15us MPI_Recv_begin source=0 bytes=4096
35us MPI_Recv_end source=0 bytes=4096
`

// play writes a trace as results of a run, and returns them.
func (t *history) play(folder, text string) (list []record.Result) {
	t.Helper()
	dir := filepath.Join(t.out, folder)
	if err := played.Write(dir, strings.ReplaceAll(text, "DIR", t.dir)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(t.out, path)
		list = append(list, record.Result{Path: filepath.ToSlash(name), Size: info.Size(), Time: info.ModTime()})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// line opens the time line of a trace, and waits until its index is complete.
func (t *history) line(run, path string) timelineAnswer {
	t.Helper()
	for {
		if a := get[timelineAnswer](t, 200, "timeline", "run", run, "path", path); a.Making < 0 {
			return a
		}
	}
}

// drawn returns a window of the time line as text.
func (t *history) drawn(a timelineAnswer, query ...string) string {
	t.Helper()
	w := ask(t.page, "GET", address("window", append([]string{"of", a.Of}, query...)...), "", nil)
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/octet-stream" {
		t.Fatalf("%q: %d %s; want w.Code = 200 and w.Header().Get(\"Content-Type\") = %q", query, w.Code, w.Body, "application/octet-stream")
	}
	b := w.Body.Bytes()
	whole := func(n int) []uint32 {
		list := make([]uint32, n)
		for i := range list {
			list[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		b = b[4*n:]
		return list
	}
	real := func(n int) []float64 {
		list := make([]float64, n)
		for i := range list {
			list[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		b = b[8*n:]
		return list
	}
	n := whole(8)
	lanes, bars, arrows, points := int(n[0]), int(n[1]), int(n[2]), int(n[3])
	begins, ends, sent, come, curve := real(bars), real(bars), real(arrows), real(arrows), real(points)
	table, labels, spans, from, to, kinds := whole(3*lanes), whole(bars), whole(bars), whole(arrows), whole(arrows), whole(arrows)
	if len(b) != 0 {
		t.Fatalf("%d bytes are left", len(b))
	}
	var out strings.Builder
	at := 0
	for i := 0; i < len(table); i += 3 {
		fmt.Fprintf(&out, "%d.%d", table[i], table[i+1])
		counter := a.Head.Tracks[table[i]].Lanes[table[i+1]].Counter
		for range table[i+2] {
			if counter != nil {
				fmt.Fprintf(&out, " %g–%g from %d to %d", begins[at]/1000, ends[at]/1000, spans[at], labels[at])
				at++
				continue
			}
			fmt.Fprintf(&out, " %g–%g %s×%d", begins[at]/1000, ends[at]/1000, a.Head.Labels[labels[at]].Name, spans[at])
			at++
		}
		out.WriteByte('\n')
	}
	for i := range arrows {
		fmt.Fprintf(&out, "arrow %d→%d %g–%g kind %d\n", from[i], to[i], sent[i]/1000, come[i]/1000, kinds[i])
	}
	sum := 0.0
	for _, v := range curve {
		sum += v
	}
	fmt.Fprintf(&out, "at work %g, whole %d\n", sum/1000, n[4])
	return out.String()
}

// TestTimeline: a trace among the results of a run can be drawn, summarized and searched, and each span can be described.
func TestTimeline(t *testing.T) {
	h := newHistory(t)
	h.keep("r1", h.play("traced", playedTrace), nil)
	a := h.line("r1", "traced/ctf")
	if len(a.Head.Tracks) != 2 || a.Head.Length != 40_000 || a.Head.Tracks[1].Process != "MPI rank 1" || a.Head.Program != "heat" {
		t.Fatalf("the head is %+v, want 2 tracks of heat in 40000 ns, the second of %q", a.Head, "MPI rank 1")
	}
	want := "0.0 0–40 step×1\n0.1 10–20 MPI_Send×1 22–30 parallel relax×1 31–32 parallel far×1\n0.2 21–21 half×1\n1.0 5–25 MPI_Recv×1\narrow 0→1 10–25 kind 0\nat work 60, whole 1\n"
	if got := h.drawn(a, "from", "0", "to", "40000", "width", "1000", "first", "0", "count", "9"); got != want {
		t.Errorf("all is\n%s\nwant %v", got, want)
	}
	want = "0.0 0–40 step×1\n0.1 10–20 MPI_Send×1 22–32 parallel relax×2\n0.2 21–21 half×1\narrow 0→1 10–25 kind 0\nat work 39, whole 1\n"
	if got := h.drawn(a, "from", "13000", "to", "50000", "width", "2", "first", "0", "count", "1"); got != want {
		t.Errorf("a part, small, is\n%s\nwant %v", got, want)
	}
	sums := get[totalsAnswer](h, 200, "totals", "of", a.Of, "from", "0", "to", "40000", "first", "0", "count", "2")
	var rows []string
	for _, r := range sums.Rows {
		rows = append(rows, fmt.Sprintf("%s %d %d %d", a.Head.Labels[r.Label].Name, r.Count, r.Total, r.Self))
	}
	if want := []string{"step 1 40000 21000", "MPI_Recv 1 20000 20000", "MPI_Send 1 10000 10000", "parallel relax 1 8000 8000", "parallel far 1 1000 1000", "half 1 0 0"}; !slices.Equal(rows, want) {
		t.Errorf("the totals are %q, want %v", rows, want)
	}
	span := get[spanAnswer](h, 200, "span", "of", a.Of, "track", "0", "lane", "1", "at", "25000")
	if span.Number != 1 || span.Of != 3 || span.Begin != 22_000 || len(span.Around) != 1 || a.Head.Labels[span.Around[0]].Name != "step" || span.placeEntry != (placeEntry{filepath.Join(h.dir, "heat.c"), 12}) {
		t.Errorf("the span is %+v, want number 1 of 3, from 22000 on, in step, at line 12 of heat.c", span)
	}
	if span := get[spanAnswer](h, 200, "span", "of", a.Of, "track", "0", "lane", "1", "number", "2"); span.Begin != 31_000 || span.placeEntry != (placeEntry{}) || a.Head.Labels[span.Label].File != "/src/far.c" {
		t.Errorf("the span by its number is %+v, want it from 31000 on, in %s, without a place", span, "/src/far.c")
	}
	for _, c := range []struct{ text, after, back, want string }{{"relax", "-1", "0", "22000"}, {"MPI_", "-1", "0", "5000"}, {"mpi_", "5000", "0", "10000"}, {"MPI_", "10000", "1", "5000"}, {"far.c:7", "0", "0", "31000"}} {
		if f := get[spanAnswer](h, 200, "find", "of", a.Of, "text", c.text, "after", c.after, "back", c.back); fmt.Sprint(f.Begin) != c.want {
			t.Errorf("%+v: %+v, want %v", c, f, c.want)
		}
	}
	if f := get[*spanAnswer](h, 200, "find", "of", a.Of, "text", "none of these", "after", "-1"); f != nil {
		t.Errorf("found %+v, want none", f)
	}
}

// TestTimelineOfPipeline: spans in the trace of a pipeline link to lines of the files that the run has read.
func TestTimelineOfPipeline(t *testing.T) {
	h := newHistory(t)
	trace := `[{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"solver","place":"a.pipe:4"}},
{"name":"solver step 1","cat":"flow_step","ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"args":{"step":1}}]`
	h.keep("r1", []record.Result{h.leave("trace.json", trace), h.leave("figures.json", `{"a":1}`)}, func(r *record.Record) {
		r.Files = []record.File{{Path: filepath.Join(h.dir, "a.pipe")}}
	})
	a := h.line("r1", "trace.json")
	if got := h.drawn(a, "from", "0", "to", "5000", "width", "100", "first", "0", "count", "1"); got != "0.0 0–5 solver step×1\nat work 5, whole 1\n" {
		t.Errorf("the window is\n%s\nwant %q", got, "0.0 0–5 solver step×1\nat work 5, whole 1\n")
	}
	if span := get[spanAnswer](h, 200, "span", "of", a.Of, "track", "0", "lane", "0", "at", "0"); span.placeEntry != (placeEntry{filepath.Join(h.dir, "a.pipe"), 4}) {
		t.Errorf("the span is %+v, want %v", span, (placeEntry{filepath.Join(h.dir, "a.pipe"), 4}))
	}
	for range 2 { // an error is not cached
		if no := get[map[string]string](h, 422, "timeline", "run", "r1", "path", "figures.json"); !strings.Contains(no["error"], "`figures.json` contains no trace") {
			t.Errorf("%v, want %q in it", no, "`figures.json` contains no trace")
		}
	}
}

// TestTimelineFence: files of a trace are read only if the record names them and they are unchanged since the run.
func TestTimelineFence(t *testing.T) {
	h := newHistory(t)
	list := h.play("traced", playedTrace)
	changed, linked, folder := h.play("changed", playedTrace), h.play("linked", playedTrace), h.play("folder", playedTrace)
	h.play("unnamed", playedTrace)
	stream := filepath.Join(h.out, "traced", "ctf", "stream_0_0")
	for _, step := range []error{
		os.Link(stream, filepath.Join(h.out, "traced", "ctf", "stream_9_9")), // a file that no record names
		os.WriteFile(filepath.Join(h.out, "changed", "regions.json"), []byte("{}"), 0o644),
		os.Rename(filepath.Join(h.out, "linked", "ctf", "stream_0_0"), filepath.Join(h.out, "away")),
		os.Symlink(filepath.Join(h.out, "away"), filepath.Join(h.out, "linked", "ctf", "stream_0_0")),
		os.Rename(filepath.Join(h.out, "folder"), filepath.Join(h.out, "moved")),
		os.Symlink("moved", filepath.Join(h.out, "folder")),
	} {
		if step != nil {
			t.Fatalf("%v; want none", step)
		}
	}
	h.keep("r1", slices.Concat(list, changed, linked, folder, []record.Result{{Path: "../" + filepath.Base(h.out) + "/traced/ctf/metadata"}}), nil)
	h.keep("r2", list, func(r *record.Record) { r.Paths = []string{stream} }) // a run of another folder
	for _, c := range []struct{ run, path, want string }{
		{"r1", "changed/ctf", "regions.json` was written again"}, {"r1", "linked/ctf", "stream_0_0` is a link"}, {"r1", "folder/ctf", "is a link"},
		{"r1", "unnamed/ctf", "has no trace"}, {"r1", "", "has no trace"}, {"r1", "..", "has no trace"}, {"r1", "traced/ctf/", "has no trace"}, {"r1", "/traced/ctf", "has no trace"},
		{"r1", "traced/ctf/stream_0_0", "has no trace"}, {"r1", filepath.Join(h.out, "traced"), "has no trace"}, {"r1", "../" + filepath.Base(h.out) + "/traced/ctf", "has no trace"},
		{"r2", "traced/ctf", "no run"}, {"", "traced/ctf", "no run"}, {"../states/r1", "traced/ctf", "no run"},
	} {
		if no := get[map[string]string](h, 404, "timeline", "run", c.run, "path", c.path); !strings.Contains(no["error"], c.want) {
			t.Errorf("%+v: %v, want %q in it", c, no, c.want)
		}
	}
	if a := h.line("r1", "traced/ctf"); len(a.Head.Tracks) != 2 || a.Head.Spans != 6 {
		t.Errorf("with a stream that the record does not name: %d tracks, %d spans", len(a.Head.Tracks), a.Head.Spans)
	}
	a := h.line("r1", "traced/ctf")
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"", "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "1e9", "NaN", "traced/ctf", "..", "\x00", "2147483647", a.Of, "r1", "40000", "1000"}
	for range 1000 {
		what := []string{"timeline", "window", "totals", "span", "find"}[random.IntN(5)]
		query := []string{"run", "r1", "of", a.Of}
		for _, key := range []string{"run", "path", "of", "from", "to", "width", "first", "count", "track", "lane", "number", "at", "after", "text", "back"} {
			if random.IntN(3) > 0 {
				query = append(query, key, pieces[random.IntN(len(pieces))])
			}
		}
		w := ask(h.page, "GET", address(what, query...), "", nil)
		var no map[string]string
		if w.Code != 200 && (w.Code != 404 && w.Code != 400 || json.Unmarshal(w.Body.Bytes(), &no) != nil || no["error"] == "") || w.Body.Len() > 1<<20 {
			t.Fatalf("%s %q: %d, %d bytes %.200q, want 200, or 400 or 404 with an error, and at most 1 MiB", what, query, w.Code, w.Body.Len(), w.Body)
		}
	}
}

// TestTimelineKept: an index is stored with its run, used again, rebuilt if it is damaged, and deleted with the run. A read-only
// page stores none.
func TestTimelineKept(t *testing.T) {
	h := newHistory(t)
	h.keep("r1", h.play("traced", playedTrace), nil)
	store := record.Store{Dir: h.page.opt.StateDir}
	kept := func() (list []string) {
		t.Helper()
		list, err := filepath.Glob(filepath.Join(store.TimelineDir("r1"), "*"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	again := func() {
		t.Helper()
		h.page.timelines.Close()
		h.page.timelines = results.NewTimelines(h.page.opt.StateDir, h.page.opt.ReadOnly)
		if a := h.line("r1", "traced/ctf"); a.Head.Spans != 6 {
			t.Errorf("%d spans, want 6", a.Head.Spans)
		}
	}
	h.page.opt.ReadOnly = true
	again()
	if list := kept(); len(list) != 0 {
		t.Errorf("a page that writes nothing has left %q", list)
	}
	h.page.opt.ReadOnly = false
	again()
	list := kept()
	if len(list) != 1 {
		t.Fatalf("kept are %q, want 1", list)
	}
	// This answer can only come from the stored index.
	x := indexOf(t, list[0])
	if err := os.Chtimes(list[0], begun, begun); err != nil {
		t.Fatal(err)
	}
	again()
	if info, err := os.Stat(list[0]); err != nil || info.ModTime().Equal(begun) || x.Spans != 6 {
		t.Errorf("the index is not used: %v %v", info, err)
	}
	if err := os.WriteFile(list[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	again()
	if x := indexOf(t, list[0]); x.Spans != 6 {
		t.Errorf("it is made again with %d spans", x.Spans)
	}
	if err := store.Remove("r1"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(store.Path("r1"))); err == nil {
		t.Error("the folder of the run is still there")
	}
}

func indexOf(t *testing.T, path string) *timeline.Index {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	x, err := timeline.Open(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// TestTimelineDecided: for a span, the page shows the lines of the configuration that let it through, in the file that the run
// has read.
func TestTimelineDecided(t *testing.T) {
	h := newHistory(t)
	config := "# as it was\n[OpenMP.default]\n    omp_parallel_begin = on\n[Lexgion.default]\n    tracing_rate = 2\n"
	list := append(h.play("traced", playedTrace), h.leave("traced/trace_config.txt", config))
	original := filepath.Join(h.dir, "trace_config.txt")
	for run, files := range map[string][]record.File{"r1": {{Path: original, Hash: record.Hash(config)}}, "r2": nil} {
		h.keep(run, list, func(r *record.Record) { r.Files = files })
	}
	region := []string{"track", "0", "lane", "1", "number", "1"}
	decided := func(run string) string {
		t.Helper()
		var b strings.Builder
		for _, d := range get[[]decidedEntry](h, 200, "decided", append([]string{"of", h.line(run, "traced/ctf").Of}, region...)...) {
			fmt.Fprintf(&b, "%s %s %s %s:%d\n", d.About, d.Value, d.At, strings.TrimPrefix(d.Path, h.dir), d.Line)
		}
		return b.String()
	}
	for run, want := range map[string][]string{
		"r1": {"event on trace_config.txt:3:5 /trace_config.txt:3\n", "tracing_rate 2 trace_config.txt:5:5 /trace_config.txt:5\n"},
		"r2": {"event on trace_config.txt:3:5 :0\n"}, // the file is outside of the page's folder
	} {
		got := decided(run)
		for _, line := range want {
			if !strings.Contains(got, line) {
				t.Errorf("%s: %q is not in\n%s", run, line, got)
			}
		}
	}
	h.keep("r3", h.play("bare", playedTrace), nil)
	if no := get[map[string]string](h, 422, "decided", append([]string{"of", h.line("r3", "bare/ctf").Of}, region...)...); !strings.Contains(no["error"], "the run wrote no `trace_config.txt`") {
		t.Errorf("%v, want %q in it", no, "the run wrote no `trace_config.txt`")
	}
	if rows := get[[]decidedEntry](h, 200, "decided", "of", h.line("r1", "traced/ctf").Of, "track", "0", "lane", "2", "number", "0"); rows[1].At != "" || rows[1].Layer != "catalogue" {
		t.Errorf("a mark, which no line names: %+v", rows)
	}
}
