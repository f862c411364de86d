package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestRunsView opens a recorded run with the keyboard: its pictures by step, a table part by part, and the process that wrote each
// result.
func TestRunsView(t *testing.T) {
	need.Slow(t)
	dir, out := copyOf(t, "../../examples/heat"), filepath.Join(t.TempDir(), "results")
	pipe := filepath.Join(dir, "heat.pipe")
	rewrite(t, pipe, "steps = 400", "steps = 60")
	rewrite(t, pipe, "process paint", "process count\n  :: numbers\n  end = 500\nprocess print\n  :: print_number\n  output = <b>count.csv\nconnect from count.number\n        to   print.number\n\nprocess paint")
	here := desk{t, t.TempDir(), t.TempDir()}
	run := here.program("run", "-o", out, "heat.pipe")
	run.Dir, run.Env = dir, append(run.Env, "PENTODE_RANK=0", "PENTODE_SIZE=1")
	if text, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if text, err := here.program("runs", "tag", "newest", "paper").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	b := browser(t, here.serve(dir))
	const loaded = "performance.getEntriesByName(location.origin + '/static/view-runs.js').length"
	if js[int](b, loaded) != 0 {
		t.Error("the view is loaded before it is opened")
	}
	b.do(chromedp.KeyEvent("6"))
	b.ready("runs")
	if js[int](b, loaded) != 1 {
		t.Error("the view is not loaded when it is opened")
	}
	b.until("the run", "/^heat.pipe.*\\tfinished\\t.*paper$/s.test(document.querySelector('[aria-label=\"Recorded runs\"] tbody tr').innerText.trim())")
	b.looks("runs")

	press := func(find, key string) {
		t.Helper()
		b.until(find, find)
		js[bool](b, "("+find+".focus(), true)")
		b.do(chromedp.KeyEvent(key))
	}
	press("document.querySelector('tbody a')", kb.Enter)
	b.ready("runs")
	picture := func(name string) {
		t.Helper()
		b.until(name, fmt.Sprintf("(i => i && i.alt === %q && i.complete && i.naturalWidth > 0)(document.querySelector('.viewer img'))", name))
	}
	picture("plate_01.png")
	if have := b.text(".viewer figcaption"); have == "" || !js[bool](b, "/heat.pipe\\/pictures, from paint.image heat.pipe:\\d+/.test(document.querySelector('.viewer figcaption').innerText)") {
		t.Errorf("the words of the picture are %q, want heat.pipe/pictures, from paint.image of heat.pipe with its line", have)
	}
	press("document.querySelector('.viewer input')", kb.ArrowRight)
	picture("plate_02.png")
	b.until("the step in words", "document.querySelector('.viewer input').getAttribute('aria-valuetext') === 'plate_02.png' && document.querySelector('.viewer figcaption').innerText.includes('2 of 4')")

	press("[...document.querySelectorAll('[aria-label=Results] button')].find(e => e.textContent === '<b>count.csv')", kb.Enter)
	page := func(rows string) {
		t.Helper()
		b.until(rows, fmt.Sprintf("document.querySelector('.opened p.toolbar [role=status]')?.innerText.startsWith(%q)", rows))
	}
	const next = "[...document.querySelectorAll('.opened button')].find(e => e.textContent === 'Next rows')"
	page("rows 1 to 200")
	press(next, kb.Enter)
	page("rows 201 to 400")
	press(next, kb.Enter)
	page("rows 401 to ")
	b.until("the end", next+".disabled")
	for _, text := range []string{"plate:steps", "Settings written in files", "solver steps"} {
		b.has(text)
	}
	rewrite(t, pipe, "high = 100", "high = 90")
	press("[...document.querySelectorAll('.viewer figcaption button')].find(e => e.textContent.startsWith('Origin'))", kb.Enter)
	b.until("the origin", "/heat.pipe\\/pictures, through paint.image/.test(document.querySelector('dialog.origin')?.innerText) && /heat.pipe\\/paint, heat.pipe\\/solver/.test(document.querySelector('dialog.origin').innerText)")
	b.until("a setting that has changed", "[...document.querySelectorAll('dialog.origin tbody tr')].some(e => /^paint:high\\s+100\\s+90\\s+heat.pipe:\\d+/.test(e.innerText))")
	b.looks("runs-origin")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("the page again", "!document.querySelector('dialog.origin')")
	b.looks("runs-one")
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		b.size(400, 800)
		b.picture("runs-one-400-" + scheme)
		if wide := js[int](b, "Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('.view > *, .viewer *, .opened')].map(e => Math.ceil(e.getBoundingClientRect().right)))"); wide > 400 {
			t.Errorf("the run is %d pixels wide on a %s screen of 400, want at most 400", wide, scheme)
		}
	}

	// A file that was overwritten after the run is not shown as a result of the run.
	if err := os.WriteFile(filepath.Join(out, "plate_01.png"), []byte("another"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.open("runs", js[string](b, "location.hash.replace(/^[^?]*/, '')"))
	picture("plate_02.png")
	b.has("was written again after the run")
	if right := js[int](b, "Math.floor(document.querySelector('#tabs a[aria-current]').getBoundingClientRect().right)"); right > 400 {
		t.Errorf("the tab of the view ends at %d on a screen of 400, want at most 400", right)
	}
}
