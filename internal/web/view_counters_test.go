package web_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/need"
)

// flowing writes the trace of a run with two ranks, each a pipeline whose edges repeatedly fill up and empty.
func flowing(out string, edges, values int) error {
	f, err := os.Create(filepath.Join(out, "trace.json"))
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	w.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	for pid := 1; pid <= 2; pid++ {
		if pid > 1 {
			w.WriteString(",")
		}
		fmt.Fprintf(w, "\n"+`{"name":"process_name","ph":"M","pid":%d,"tid":0,"args":{"name":"heat (rank %d)"}}`, pid, pid-1)
		for e := range edges {
			fmt.Fprintf(w, ",\n"+`{"name":"thread_name","ph":"M","pid":%d,"tid":%d,"args":{"name":"stage%d","place":"heat.pipe:%d"}}`, pid, e+1, e, 4*e+1)
			edge := fmt.Sprintf("stage%d.field → stage%d.field", e, e+1)
			fmt.Fprintf(w, ",\n"+`{"name":"edge","ph":"M","pid":%d,"tid":0,"args":{"name":"%s","place":"heat.pipe:%d"}}`, pid, edge, 4*e+3)
			for i := range values {
				at := 100*i + 13*e
				fmt.Fprintf(w, ",\n"+`{"name":"stage%d step %d","cat":"flow_step","ph":"X","pid":%d,"tid":%d,"ts":%d,"dur":%d,"args":{"step":%[2]d}}`, e, i, pid, e+1, at, 40+i*7%50)
				fmt.Fprintf(w, ",\n"+`{"name":"%s","cat":"flow_push","ph":"C","pid":%d,"tid":%d,"ts":%d.500,"args":{"data":%d}}`, edge, pid, e+1, at+20, i/3%(5+4*e)+i%2)
			}
		}
	}
	w.WriteString("\n]}\n")
	return w.Flush()
}

// TestTimelineCountersView: counters are shown below the tracks of their process, and the pointer and the keyboard reach their
// values.
func TestTimelineCountersView(t *testing.T) {
	need.Slow(t)
	here := desk{t, t.TempDir(), t.TempDir()}
	dir := tracedRun(t, here, func(out string) error { return flowing(out, 3, 200) })
	b := browser(t, here.serve(dir))
	b.open("timeline", "?run=20260101-120000-traced&path=trace.json")
	const line = "document.querySelector('pentode-timeline')"
	drawn := func(what, want string) {
		t.Helper()
		b.until(what, fmt.Sprintf("(l => l.window && !l.asking && !l.frame && (%s))(%s)", want, line))
	}
	b.has("1,200 spans on 6 tracks, 20.009 ms, 6 counters")
	drawn("the window", "l.window.tracks.size === 12")
	b.until("what counters were", "/^stage0.field → stage1.field\\theat \\(rank 0\\)\\t0\\t2.46\\t5$/m.test(document.querySelector('.timeline-totals').innerText)")
	// The line of a counter is drawn in its two lanes, in the accent colour.
	if n := js[int](b, `(l => {
		const { data } = l.canvas.getContext("2d").getImageData(200, 58 + l.tops[3], 1000, 36);
		return data.filter((blue, i) => i % 4 === 2 && blue > data[i - 2] + 60).length;
	})(`+line+`)`); n < 1000 {
		t.Errorf("%d pixels of a counter are drawn, want at least 1000", n)
	}
	b.looks("timeline-counters")
	b.narrow("timeline-counters")

	// The counters of a process follow its last track.
	js[bool](b, "("+line+".focus(), true)")
	b.keys("w", "w", "w")
	drawn("nearer", "l.to - l.from < 8e6")
	step := func(key, text string) {
		t.Helper()
		b.keys(key)
		b.said(text)
	}
	step(kb.ArrowRight, "on stage0 of heat (rank 0)")
	step(kb.ArrowDown, "on stage1 of heat (rank 0)")
	step(kb.ArrowDown, "on stage2 of heat (rank 0)")
	step(kb.ArrowDown, "on stage0.field → stage1.field of heat (rank 0); 100 of 200 there")
	b.said("data for 100 µs, from")
	b.said("heat.pipe:3")
	step(kb.ArrowRight, "101 of 200 there")
	b.keys(kb.Enter)
	b.has("Totals of the selection")
	drawn("the value", "l.to - l.from < 2e5 && l.selected.value >= 0")
	b.picture("timeline-counters-selected")
	b.keys(kb.Escape, kb.Home)
	drawn("all", "l.to - l.from > 2e7")

	// The value under the pointer is drawn on the canvas.
	texts := func() string {
		return js[string](b, `(l => {
			const canvas = CanvasRenderingContext2D.prototype, fillText = canvas.fillText, all = [];
			canvas.fillText = function (text, ...at) { all.push(text); fillText.call(this, text, ...at); };
			l.draw();
			canvas.fillText = fillText;
			return all.join("|");
		})(`+line+`)`)
	}
	before := texts()
	x, y := b.rests("(l => { const r = l.getBoundingClientRect(); return [r.x + 700, r.y + 58 + l.tops[4] + 20]; })(" + line + ")")
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
	b.until("the pointer", line+".pointer[0] > 0")
	b.picture("timeline-counters-pointer")
	if now := texts(); len(now) <= len(before) {
		t.Errorf("with the pointer on a counter there is %q, without it %q", now, before)
	}

	// If the counters are hidden, the keys skip them; a search that finds a counter shows them again.
	b.click("Counters")
	drawn("no counters", "l.tall(3) === 0 && l.tall(6) > 0")
	b.looks("timeline-counters-folded")
	js[bool](b, "("+line+".focus(), true)")
	step(kb.ArrowRight, "on stage0 of heat (rank 0)")
	step(kb.ArrowDown, "on stage1 of heat (rank 0)")
	step(kb.ArrowDown, "on stage2 of heat (rank 0)")
	step(kb.ArrowDown, "on stage0 of heat (rank 1)")
	step(kb.ArrowUp, "on stage2 of heat (rank 0)")
	b.keys(kb.Escape)
	js[bool](b, "(document.querySelector('.search').focus(), true)")
	b.do(chromedp.KeyEvent("2.field → stage3"))
	b.has("1 name")
	b.keys(kb.Enter)
	b.said("0 data for 100 µs, from 46.5 µs after the beginning, on stage2.field → stage3.field of heat (rank 0); 1 of 200 there")
	drawn("counters", "l.tall(3) > 0")
}
