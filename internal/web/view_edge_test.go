package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

const watchedPipe = `process solver
  :: heat
  rows = 48
  cols = 64
  steps = 4000000000
  every = 20
  conductivity = 0.001
process paint
  :: colormap
process columns
  :: reduce
  axes = 0
process painted
  :: sink
process line
  :: sink
process number
  :: sink
connect from solver.field
        to   paint.field
connect from solver.field
        to   columns.array
connect from paint.image
        to   painted.sink
connect from columns.result
        to   line.sink
connect from solver.step
        to   number.sink
`

// TestEdgeView looks at edges of a live pipeline that carry a number, a curve, a heat map and an image, from the table with the keyboard
// and from the picture with the pointer. An edge is watched only while its panel is open.
func TestEdgeView(t *testing.T) {
	need.Slow(t)
	need.Program(t, "chromium")
	dir := t.TempDir()
	pipe := filepath.Join(dir, "watched.pipe")
	if err := os.WriteFile(pipe, []byte(watchedPipe), 0o644); err != nil {
		t.Fatal(err)
	}
	here := desk{t, t.TempDir(), t.TempDir()}
	b := browser(t, here.serve(dir))
	watched := func() int {
		t.Helper()
		out, err := here.program("control", "stats", "--format", "json").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.Count(string(out), `"watched": true`) + strings.Count(string(out), `"watched":true`)
	}
	unwatched := func() { // the server notices that the stream was closed
		t.Helper()
		for end := time.Now().Add(golden.Patience); watched() != 0; {
			if time.Now().After(end) {
				t.Fatal("an edge is looked at although nobody asks any more")
			}
		}
	}
	b.open("graph", at(pipe))
	b.click("Start")
	b.click("Start")
	b.has("watched.pipe running")
	row := func(name string) string {
		return "[...document.querySelectorAll('[aria-label=Edges] th button')].find(e => e.textContent === " + quote(name) + ")"
	}
	look := func(name string) {
		t.Helper()
		b.until(name, row(name))
		b.press(row(name), kb.Enter)
		b.until("the panel", "document.activeElement.getAttribute('aria-label') === 'Edge' && document.querySelector('.panel h2').innerText === "+quote(name))
	}
	b.until("the table", row("solver.step → number.sink"))
	if loaded := js[bool](b, "performance.getEntriesByType('resource').some(e => e.name.includes('edge-view'))"); loaded || watched() != 0 {
		t.Error("edges are looked at although nobody has asked")
	}

	look("solver.step → number.sink")
	b.until("a number", "/^\\d+$/.test(document.querySelector('.datum .number')?.innerText)")
	before := b.text(".datum .number")
	b.until("another number", "document.querySelector('.datum .number').innerText !== "+quote(before))
	b.has("a whole number, 8 B; stamp ")
	b.until("its costs", "/data that have passed\\s+[\\d,]+\\s+skipped since the last one\\s+[\\d,]+\\s+time of the producer\\s+.* in .* %\\s+to draw and send\\s+.* beside the run, [\\d.]+ K?B/.test(document.querySelector('.costs').innerText)")
	if watched() != 1 {
		t.Errorf("%d edges are looked at, want 1", watched())
	}
	b.click("Hold")
	b.until("nobody looks", "document.querySelector('.panel [aria-pressed=true]')")
	unwatched()
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("the panel is closed, and the keyboard where it was", "document.querySelector('.panel').hidden && document.activeElement === "+row("solver.step → number.sink"))

	look("columns.result → line.sink")
	b.until("a curve", "document.querySelector('.datum pentode-curve')?.cells()[0] === 64")
	b.has("an array of 64 float64, 512 B")
	b.picture("edge-curve")

	look("paint.image → painted.sink")
	b.until("an image", "document.querySelector('.datum canvas[role=img]')?.width === 192 && document.querySelector('.datum canvas').height === 144")
	b.until("its colours", "document.querySelector('.datum canvas').getContext('2d').getImageData(96, 72, 1, 1).data[3] === 255")
	b.picture("edge-image")
	b.accessible("edge-image")
	b.click("Close")

	// In one of the next frames, the picture grows into the space of the closed panel.
	js[bool](b, "(document.querySelector('pentode-graph').scrollIntoView({block: 'center'}), true)")
	x, y := b.rests("(() => { const e = document.querySelector('.over .edge[data-edge=\"0\"]'), p = e.getPointAtLength(e.getTotalLength() / 4), m = e.getScreenCTM(); return [m.a * p.x + m.e + 3, m.d * p.y + m.f]; })()")
	b.do(chromedp.MouseClickXY(x, y))
	b.until("a heat map", "document.querySelector('.datum pentode-heat-map')?.columns === 64")
	b.has("an array of 48 × 64 float64")
	b.picture("edge-map")
	b.inBounds("edge-map")
	b.open("run", "")
	unwatched()
}
