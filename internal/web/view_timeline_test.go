package web_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/runs/record"
)

// tracedRun returns a folder with a recorded run that has a trace among its results.
func tracedRun(t *testing.T, here desk, write func(dir string) error) (dir string) {
	t.Helper()
	dir, out := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "heat.c"), []byte(strings.Repeat("// a line\n", 20)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(out); err != nil {
		t.Fatal(err)
	}
	r := &record.Record{ID: "20260101-120000-traced", Kind: record.Trace, Started: time.Now(), Ended: time.Now(), Command: []string{"trace", "record", "heat"}, Folder: dir, Out: out}
	err := filepath.WalkDir(out, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(out, path)
		r.Results = append(r.Results, record.Result{Path: filepath.ToSlash(name), Size: info.Size(), Time: info.ModTime()})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := (record.Store{Dir: filepath.Join(here.state, "pentode")}).Write(r, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// steps returns the events of two ranks with two threads each that exchange messages.
func steps() string {
	var b strings.Builder
	b.WriteString("place 0x10 relax DIR/heat.c:12\n")
	for rank := range 2 {
		fmt.Fprintf(&b, "rank %d\n", rank)
		for i := range 40 {
			at, other := 1000*i+100, 1-rank
			fmt.Fprintf(&b, "%dus region_begin name=step\n", at)
			fmt.Fprintf(&b, "%dus parallel_begin parallel_codeptr=0x10\n%dus parallel_end parallel_codeptr=0x10\n", at+20, at+500+100*(i%3))
			if rank == i%2 {
				fmt.Fprintf(&b, "%dus MPI_Send_begin dest=%d bytes=4096\n%dus MPI_Send_end\n", at+750, other, at+800)
			} else {
				fmt.Fprintf(&b, "%dus MPI_Recv_begin source=%d\n%dus MPI_Recv_end source=%d bytes=4096\n", at+710, other, at+850, other)
			}
			fmt.Fprintf(&b, "%dus mark name=iterate\n%dus region_end name=step\n", at+900, at+950)
		}
		fmt.Fprintf(&b, "rank %d thread 1\n", rank)
		for i := range 40 {
			fmt.Fprintf(&b, "%dus region_begin name=work\n%dus region_end name=work\n", 1000*i+130, 1000*i+580+60*(i%5))
		}
	}
	return b.String()
}

// TestTimelineView opens the time line of a trace from its run, and navigates it with the keyboard.
func TestTimelineView(t *testing.T) {
	need.Slow(t)
	here := desk{t, t.TempDir(), t.TempDir()}
	served := ""
	dir := tracedRun(t, here, func(out string) error {
		served = out
		if err := played.Write(filepath.Join(out, "traced"), strings.ReplaceAll(steps(), "DIR", "/src")); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(out, "traced", "trace_config.txt"), []byte("[Lexgion.default]\n    tracing_rate = 1\n"), 0o644)
	})
	b := browser(t, here.serve(dir))
	b.open("runs", "?run=20260101-120000-traced")
	const loaded = "performance.getEntriesByName(location.origin + '/static/view-timeline.js').length"
	if js[int](b, loaded) != 0 {
		t.Error("the view is loaded before it is opened")
	}
	b.click("Time line")
	b.ready("timeline")
	const line = "document.querySelector('pentode-timeline')"
	drawn := func(what, want string) {
		t.Helper()
		b.until(what, fmt.Sprintf("(l => l.window && !l.asking && !l.frame && (%s))(%s)", want, line))
	}
	drawn("the window", "l.window.labels.length > 300 && l.window.sent.length === 40")
	b.has("400 spans on 4 tracks")
	b.until("totals", "/^step\\t80\\t76 ms\\t/m.test(document.querySelector('.timeline-totals').innerText)")
	// Something is drawn: there are more colours than the background.
	if n := js[int](b, "(c => new Set(new Uint32Array(c.getContext('2d').getImageData(200, 70, 1000, 100).data.buffer)).size)("+line+".canvas)"); n < 5 {
		t.Errorf("%d colours are drawn, want at least 5", n)
	}
	b.looks("timeline")
	// Data finer than the screen, as after zooming out, are drawn as one bar for each pixel, without gaps.
	if got := js[[]int](b, `(l => {
		const room = l.wide - l.gutter, n = 4 * room, width = (l.to - l.from) / n, kept = l.window, canvas = CanvasRenderingContext2D.prototype, fillRect = canvas.fillRect;
		const begins = Float64Array.from({ length: n }, (_, i) => l.from + i * width), bars = [];
		l.window = { ...kept, tracks: new Map([[0, [[0, n]]]]), begins, ends: begins.map((at) => at + width), labels: new Uint32Array(n), spans: new Uint32Array(n).fill(1), sent: [] };
		canvas.fillRect = function (...at) { bars.push(at); fillRect.apply(this, at); };
		l.lanes(l.canvas.getContext("2d"), 0, 100, "black");
		canvas.fillRect = fillRect;
		l.window = kept;
		return [bars.length, room, bars.filter((at, i) => i > 0 && at[0] > bars[i - 1][0] + bars[i - 1][2] + 0.01).length];
	})(`+line+`)`); got[0] < got[1]/2 || got[0] > got[1]+1 || got[2] > 0 {
		t.Errorf("%d bars are drawn on %d pixels, with %d gaps; want got[0] at least %v, got[0] at most %v and got[2] at most 0", got[0], got[1], got[2], got[1]/2, got[1]+1)
	}

	focus := func() {
		t.Helper()
		js[bool](b, "("+line+".focus(), true)")
	}
	focus()
	b.keys("w", "w", "w")
	drawn("nearer", "l.to - l.from < 15e6 && l.window.pixel < 2e4")
	b.keys("d")
	drawn("further", "l.from > 14e6")
	b.keys(kb.ArrowRight)
	b.said("of 40 there")
	b.keys(kb.ArrowDown)
	b.said("within step")
	before := b.text(".span-said h3")
	b.keys(kb.ArrowRight)
	b.until("the next span", fmt.Sprintf("document.querySelector('.span-said h3').innerText !== %s", quote(before)))
	b.keys(kb.Enter)
	b.has("Totals of the selection")
	drawn("the whole span", "l.range && l.range[0] === l.selected.begin && l.from < l.selected.begin && l.to > l.selected.end && l.to - l.from < 2 * (l.selected.end - l.selected.begin)")
	b.looks("timeline-selected")
	b.keys(kb.Escape)
	b.has("Totals of the shown time")
	b.said("Nothing is selected")

	// The search finds the next match after the shown time, and moves the view there.
	b.keys(kb.Home)
	drawn("all", "l.to - l.from > 39e6")
	js[bool](b, "(document.querySelector('.search').focus(), true)")
	b.do(chromedp.KeyEvent("relax"))
	b.has("1 name")
	b.keys(kb.Enter)
	b.said("parallel relax")
	b.said("heat.c:12 in `relax`")
	b.said("tracing_rate 1 of Lexgion.default trace_config.txt:2:5")
	first := js[float64](b, line+".selected.begin")
	b.keys(kb.Enter)
	b.until("the next match", fmt.Sprintf("%s.selected.begin > %f", line, first))

	// Zoom in to the nanosecond.
	focus()
	b.keys(strings.Split(strings.Repeat("w", 60), "")...)
	drawn("nanoseconds of what is selected", "Math.round(l.to - l.from) === 10 && l.from > l.selected.begin && l.to < l.selected.end")
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		b.size(400, 800)
		b.picture("timeline-400-" + scheme)
		if wide := js[int](b, "document.documentElement.scrollWidth"); wide > 400 {
			t.Errorf("the time line is %d pixels wide on a %s screen of 400, want at most 400", wide, scheme)
		}
	}
	if err := os.Remove(filepath.Join(served, "traced", "ctf", "metadata")); err != nil {
		t.Fatal(err)
	}
	b.open("timeline", "?run=20260101-120000-traced&path=traced/ctf")
	b.has("is gone")
}

// said waits until the description of the selected span contains a text.
func (b *tab) said(text string) {
	b.Helper()
	b.until("said "+text, fmt.Sprintf("document.querySelector('.span-said').innerText.includes(%s)", quote(text)))
}
