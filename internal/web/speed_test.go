package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/pentode-dev/pentode/internal/golden"
)

// TestSpeed measures in the browser: the first useful paint, and how smoothly a
// picture of 1,000 processes is moved and zoomed. It reports and does not judge:
// other programs run on the machine too.
func TestSpeed(t *testing.T) {
	golden.Slow(t)
	dir := t.TempDir()
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "process p%d\n  :: multiplication\n", i)
	}
	for i := range 999 {
		fmt.Fprintf(&text, "connect from p%d.product\n        to   p%d.factor%d\n", i, i+1, 1+i%2)
	}
	path := filepath.Join(dir, "large.pipe")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}

	b := browser(t, serve(t, copyOf(t, "../../examples/heat")))
	b.do(chromedp.Reload())
	b.ready("run")
	paint := js[float64](b, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
	useful := js[float64](b, "performance.getEntriesByType('resource').filter(e => e.name.includes('/api/run')).map(e => e.responseEnd)[0]")
	t.Logf("first paint after %.0f ms, the answer of the first view after %.0f ms", paint, useful)

	b = browser(t, serve(t, dir))
	began := time.Now()
	b.open("graph", at(path))
	b.until("1,000 nodes", "document.querySelectorAll('[data-node]').length === 1000")
	t.Logf("1,000 nodes are there after %s", time.Since(began).Round(time.Millisecond))
	const moves = `new Promise(done => {
		const graph = document.querySelector('pentode-graph');
		let frames = 0, start = 0;
		const step = now => {
			start ||= now;
			frames++;
			%s
			graph.place();
			if (now - start < 2000) requestAnimationFrame(step);
			else done(1000 * frames / (now - start));
		};
		requestAnimationFrame(step);
	})`
	for what, change := range map[string]string{
		"panning": "graph.x = -400 + 300 * Math.sin(frames / 20); graph.y = -200 + 150 * Math.cos(frames / 20);",
		"zooming": "graph.zoomBy(frames % 60 < 30 ? 1.02 : 1 / 1.02);",
	} {
		rate := js[float64](b, fmt.Sprintf(moves, change))
		t.Logf("%s: %.0f frames/s", what, rate)
		if rate == 0 {
			t.Errorf("%s shows nothing", what)
		}
	}
}
