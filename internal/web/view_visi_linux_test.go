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

const visiPlan = `
process { name "worker"; command "sh"; args { "-c" "i=0; while :; do i=$((i+1)); [ $((i % 5000)) = 0 ] && sleep 0.1; done" }; host "localhost"; daemon "pentode"; }
process { name "idle"; command "sleep"; args { "600" }; host "localhost"; daemon "pentode"; }
process { name "pipe"; command "pentode"; args { "run" "count.pipe" }; host "localhost"; daemon "pentode"; }
visi { name "Hist"; command "rthist"; }
visi { name "Bars"; command "/p/paradyn/bin/barChart"; }
visi { name "Values"; command "tableVisi"; }
visi { name "Phases"; command "phaseTable"; }
visi { name "Land"; command "terrain"; }
visi { name "Other"; command "plotter"; }
`

const countPipe = `process source
  :: numbers
  end = 100000000000
process last
  :: sink
connect from source.number
        to   last.sink
`

// TestVisualisations runs a plan with Paradyn's five visualisations, none of which is installed, and reads each on the page
// with live figures.
func TestVisualisations(t *testing.T) {
	need.Slow(t)
	need.Program(t, "chromium")
	dir := t.TempDir()
	for name, text := range map[string]string{"run.psdl": visiPlan, "count.pipe": countPipe} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := browser(t, serve(t, dir))
	js[bool](b, "fetch('/api/start', {method: 'POST', headers: {'Content-Type': 'application/json', 'Pentode-Token': document.querySelector('meta[name=token]').content}, body: JSON.stringify({path: "+quote(filepath.Join(dir, "run.psdl"))+"})}).then(r => r.ok)")
	b.open("processes", "")
	b.has("program `rthist` is not installed: `pentode serve` shows its view in its place")
	if n := js[int](b, "document.querySelectorAll('tbody a[href*=visi]').length"); n != 5 {
		t.Errorf("%d visualisations can be shown, want 5", n)
	}
	b.click("Show Hist")
	b.ready("visi")
	b.has("The page replaces Paradyn's rthist: program `rthist` is not installed.")
	rows := "[...document.querySelectorAll('.view tbody tr')].map(r => r.innerText.replace(/\\s+/g, ' '))"
	row := func(what, test string) {
		t.Helper()
		b.until(what, fmt.Sprintf("%s.some(r => %s)", rows, test))
	}
	b.click("Numbers")
	row("the curve of a program at work", "/^worker .*\\d/.test(r)")
	b.until("curves of the programs", "document.querySelectorAll('fieldset input:checked').length === 3")
	js[bool](b, "(document.querySelector('fieldset input').click(), document.querySelector('pentode-curve canvas').focus(), true)")
	b.do(chromedp.KeyEvent(kb.ArrowLeft))
	b.until("a value that the keys read", "/^[\\d.]+ to [\\d.]+ s: idle [\\d.]+/.test(document.querySelector('.said').innerText)")
	pick := func(label, value string) {
		t.Helper()
		js[bool](b, fmt.Sprintf("(e => (e.value = %s, e.dispatchEvent(new Event('change')), true))(document.querySelector('select[aria-label=%s]'))", quote(value), label))
	}
	b.until("metrics of the pipeline", "[...document.querySelector('select[aria-label=Metric]').options].map(o => o.value).join() === 'cpu,memory,data,steps,busy'")
	pick("Metric", "steps")
	row("the steps of the pipeline", "/^pipe.source .*\\d/.test(r)")
	b.looks("visi-rthist")

	pick("Visualisation", "Bars")
	row("the bar of a program at work", "/^worker (?!0.00)[\\d.]+ CPUs/.test(r)")
	if wide := js[float64](b, "Math.max(...[...document.querySelectorAll('.fillbar')].map(e => parseFloat(e.style.width)))"); wide != 100 {
		t.Errorf("the longest bar has %g %%, want 100", wide)
	}
	b.looks("visi-bars")

	pick("Visualisation", "Values")
	row("the processor time of a program", "/^worker cpu [\\d.]+ CPUs [\\d.]+ CPUs [\\d.]+ m?s/.test(r)")
	row("its memory", "/^worker memory [\\d.]+ .B [\\d.]+ .B –/.test(r)")
	row("the steps of a process", "/^pipe.source steps \\S+.s \\S+.s [1-9]/.test(r)")
	row("its share", "/^pipe.source busy \\d+ % \\d+ % –/.test(r)")
	b.looks("visi-table")

	pick("Visualisation", "Phases")
	row("a phase that goes on", "/^worker running \\d+ \\d.* continues –/.test(r)")
	row("one that is over", "/^worker waiting \\d+ 0 µs \\d/.test(r)")
	b.looks("visi-phases")

	pick("Visualisation", "Land")
	b.until("a surface", "document.querySelector('pentode-terrain')?.columns > 1")
	js[bool](b, "(document.querySelector('pentode-terrain canvas').focus(), true)")
	b.do(chromedp.KeyEvent(kb.ArrowDown))
	b.until("a value of the surface", "/^worker, 0 to [\\d.]+ s: /.test(document.querySelector('.said').innerText)")
	b.looks("visi-terrain")
}
