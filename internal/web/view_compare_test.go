package web_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/need"
)

// press focuses an element and presses a key.
func (b *tab) press(find, key string) {
	b.Helper()
	b.until(find, find)
	js[bool](b, "("+find+".focus(), true)")
	b.do(chromedp.KeyEvent(key))
}

// narrow saves screenshots of a view on a screen 400 pixels wide, light and dark. It checks that only scrollable parts are wider
// than that.
func (b *tab) narrow(name string) {
	b.Helper()
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		b.size(400, 800)
		b.picture(name + "-400-" + scheme)
		if wide := js[int](b, "Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('.view > *, .view section, .scroll, figure')].map(e => Math.ceil(e.getBoundingClientRect().right)))"); wide > 400 {
			b.Errorf("%s is %d pixels wide on a %s screen of 400, want at most 400", name, wide, scheme)
		}
	}
	b.scheme("light")
	b.size(1400, 900)
}

// TestRunsCompared chooses two runs of the list with the keyboard, and checks the comparison: settings, results, pictures side by
// side, and causes.
func TestRunsCompared(t *testing.T) {
	need.Slow(t)
	dir := copyOf(t, "../../examples/heat")
	pipe := filepath.Join(dir, "heat.pipe")
	here := desk{t, t.TempDir(), t.TempDir()}
	for _, change := range [][2]string{{"steps = 400", "steps = 60"}, {"steps = 60", "steps = 40"}, {"high = 90", "high = 80"}} {
		rewrite(t, pipe, change[0], change[1])
		run := here.program("run", "-o", filepath.Join(t.TempDir(), "results"), "heat.pipe")
		run.Dir, run.Env = dir, append(run.Env, "PENTODE_RANK=0", "PENTODE_SIZE=1")
		if text, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if change[1] == "steps = 60" {
			rewrite(t, pipe, "high = 100", "high = 90")
		}
	}
	b := browser(t, here.serve(dir))
	b.do(chromedp.KeyEvent("6"))
	b.ready("runs")
	row := func(i int) string {
		return "document.querySelectorAll('[aria-label=\"Recorded runs\"] tbody tr')[" + strconv.Itoa(i) + "]"
	}
	b.until("what was set since", "/^paint:high 90 → 80$/m.test("+row(0)+".innerText) && /paint:high 100 → 90[^]*plate:steps 60 → 40/.test("+row(1)+".innerText) && /the first/.test("+row(2)+".innerText)")
	const button = "[...document.querySelectorAll('button')].find(e => e.textContent === 'Compare')"
	b.until("nothing to compare yet", button+".disabled")
	for _, i := range []int{0, 1, 2} { // the third choice replaces the first
		b.press(row(i)+".querySelector('input')", " ")
	}
	b.until("the last two are chosen", "!"+button+".disabled && [...document.querySelectorAll('.choose')].map(e => e.checked).join() === 'false,true,true'")
	b.looks("runs-list")
	b.narrow("runs-list")
	b.press(button, kb.Enter)
	b.ready("runs")
	b.until("the setting", `/^paint:high\t100\t90\theat.pipe:\d+\theat.pipe$/.test(document.querySelector('[aria-label="Settings that differ"] tbody tr')?.innerText)`)
	b.until("both pictures", "(l => l.length === 2 && l.every(i => i.complete && i.naturalWidth > 0) && new Set(l.map(i => i.src)).size === 2)([...document.querySelectorAll('.pair img')])")
	b.until("how much they differ", "/plate_02.png, 1 of 3[^]*points differ, by at most/.test(document.querySelector('figcaption')?.innerText)")
	b.until("why", `/paint:high heat.pipe:\d+/.test(document.querySelector('[aria-label="Results that differ"] tbody tr')?.innerText)`)
	b.has("Figures beyond noise")
	b.press("document.querySelector('.viewer input')", kb.ArrowRight)
	b.until("the next step", "/^plate_03.png, 2 of 3/.test(document.querySelector('figcaption')?.innerText) && document.querySelector('.pair img').alt === 'plate_03.png of the first run'")
	b.looks("runs-compared")
	b.narrow("runs-compared")
	b.click("Swap the runs")
	b.until("the other way round", `/^paint:high\t90\t100\t/.test(document.querySelector('[aria-label="Settings that differ"] tbody tr')?.innerText)`)
}
