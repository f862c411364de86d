package web_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestSpeed measures in the browser how long the first useful paint takes, and how smoothly a
// picture of 1,000 processes can be moved and zoomed, with and without a live pipeline. It only
// reports, because other programs may disturb it: frames per second are meaningful only on an idle
// machine, the processor time of the page's main thread also on a busy one.
//
//	PENTODE_FULL=1 go test ./internal/web -run TestSpeed -v
func TestSpeed(t *testing.T) {
	need.Slow(t)
	b := browser(t, serve(t, copyOf(t, "../../examples/heat")))
	b.do(chromedp.Reload())
	b.ready("run")
	paint := js[float64](b, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
	useful := js[float64](b, "performance.getEntriesByType('resource').filter(e => e.name.includes('/api/run')).map(e => e.responseEnd)[0]")
	t.Logf("first paint after %.0f ms, the answer of the first view after %.0f ms", paint, useful)

	path := filepath.Join(t.TempDir(), "large.pipe")
	if err := os.WriteFile(path, []byte(chain(1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	here := desk{t, t.TempDir(), t.TempDir()}
	b = browser(t, here.serve(filepath.Dir(path)))
	began := time.Now()
	b.open("graph", at(path))
	b.until("1,000 nodes", "document.querySelectorAll('[data-node]').length === 1000")
	t.Logf("1,000 nodes are there after %s", time.Since(began).Round(time.Millisecond))
	b.smooth("at rest")

	run := here.program("run", path)
	lines, feed := io.Pipe()
	run.Stdin = lines
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for ; ; time.Sleep(50 * time.Millisecond) { // the load of the pipeline: twenty lines a second
			if _, err := io.WriteString(feed, "line\n"); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		run.Process.Kill()
		lines.Close()
		run.Wait()
	})
	b.until("figures in the picture", "/busy \\d+ %/.test(document.querySelector('.stage').textContent) && / of 40 /.test(document.querySelector('.stage').textContent)")
	b.smooth("while it runs")
}

// chain returns a pipeline of the given number of processes that passes on lines from standard
// input.
func chain(processes int) string {
	var text strings.Builder
	text.WriteString("process p0\n  :: text_read\n  file_name = -\n")
	for i := 1; i < processes-1; i++ {
		fmt.Fprintf(&text, "process p%d\n  :: pass\n", i)
	}
	fmt.Fprintf(&text, "process p%d\n  :: sink\nconnect from p0.text\n        to   p1.pass\n", processes-1)
	for i := 1; i < processes-2; i++ {
		fmt.Fprintf(&text, "connect from p%d.pass\n        to   p%d.pass\n", i, i+1)
	}
	fmt.Fprintf(&text, "connect from p%d.pass\n        to   p%d.sink\n", processes-2, processes-1)
	return text.String()
}

// smooth moves and zooms the picture for a while, and reports the frame rate.
func (b *tab) smooth(when string) {
	b.Helper()
	const moves = `new Promise(done => {
		const graph = document.querySelector('pentode-graph');
		let frames = 0, start = 0, last = 0, longest = 0;
		const step = now => {
			start ||= now;
			longest = Math.max(longest, now - (last || now));
			last = now;
			frames++;
			%s
			graph.place();
			if (now - start < 3000) requestAnimationFrame(step);
			else done([frames - 1, now - start, longest]);
		};
		requestAnimationFrame(step);
	})`
	for _, m := range []struct{ what, change string }{
		{"nothing moves", "document.title = frames;"},
		{"panning", "graph.x = -400 + 300 * Math.sin(frames / 20); graph.y = -200 + 150 * Math.cos(frames / 20);"},
		{"zooming", "graph.zoomBy(frames % 60 < 30 ? 1.02 : 1 / 1.02);"},
		{"panning all of it", "if (frames == 1) graph.all(); graph.x += 3 * Math.cos(frames / 20);"},
	} {
		before := b.mainThread()
		got := js[[]float64](b, fmt.Sprintf(moves, m.change))
		took := b.mainThread()
		for name := range took {
			took[name] = 1000 * (took[name] - before[name]) / got[0]
		}
		b.Logf("%s, %s: %.0f frames/s, the longest %.0f ms; of the main thread a frame takes %.1f ms (script %.1f, style %.1f, layout %.1f)",
			m.what, when, 1000*got[0]/got[1], got[2], took["TaskDuration"], took["ScriptDuration"], took["RecalcStyleDuration"], took["LayoutDuration"])
		if got[0] == 0 {
			b.Errorf("%s, %s: nothing is shown", m.what, when)
		}
	}
}

// mainThread returns the processor time of the page's main thread so far, in seconds, by kind of
// work.
func (b *tab) mainThread() map[string]float64 {
	b.Helper()
	times := map[string]float64{}
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
		if err != nil {
			return chromedp.Void{}, err
		}
		now, err := cdp.Call(ctx, t, performance.GetMetrics, cdp.Empty{})
		for _, m := range now.Metrics {
			times[m.Name] = m.Value
		}
		return chromedp.Void{}, err
	})
	return times
}
