package web_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/runs/traced"
)

// heat returns a copy of the example whose pipeline runs for a while. Its edges have small
// capacities, so that a change reaches the last process soon.
func heat(t *testing.T) (dir, pipe string) {
	t.Helper()
	dir = copyOf(t, "../../examples/heat")
	pipe = filepath.Join(dir, "heat.pipe")
	rewrite(t, pipe, "config plate", "config _pipeline:_edge\n  capacity = 4\nconfig plate")
	rewrite(t, pipe, "steps = 400", "steps = 4000000")
	rewrite(t, pipe, "every = 20", "every = 2")
	rewrite(t, filepath.Join(dir, "heat.yml"), "period: 100", "period: 100000000")
	return dir, pipe
}

// rewrite replaces a text in a file.
func rewrite(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s has no `%s`", path, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func at(path string) string { return "?path=" + url.QueryEscape(path) }

// TestRunView shows the five parts of the example, and the picture that joins them.
func TestRunView(t *testing.T) {
	need.Slow(t)
	dir := copyOf(t, "../../examples/heat")
	b := browser(t, serve(t, dir))
	for _, part := range []string{"TARGET", "LAUNCH", "FLOW", "DATA", "TRACE", "heat.coilcfg", "process west on", "Findings"} {
		b.has(part)
	}
	if n := js[int](b, "document.querySelectorAll('.badge.error, .badge.warning').length"); n > 0 {
		t.Errorf("%d errors and warnings in the example, want at most 0", n)
	}
	b.looks("run")
	b.click("Graph")
	b.ready("graph")
	nodes := func(what string, n int) {
		t.Helper()
		b.until(what, fmt.Sprintf("document.querySelectorAll('g[data-node]').length === %d", n))
	}
	nodes("the launch plan and the pipeline", 11)
	b.has("joins two parts of the run")
	b.looks("graph-run")
	b.choose("heat.pinsight")
	nodes("the regions that are traced", 15)
	b.until("that the part is open", "document.querySelector('button[title=\"Close heat.pinsight\"]').ariaPressed === 'true'")
	b.click("heat.yml")
	nodes("the data", 24)
	b.click("heat.pipe")
	nodes("the picture without the pipeline", 20)
	b.click("heat.pipe")
	nodes("all", 24)
	js[bool](b, "(document.querySelector('.search').value = 'solver', document.querySelector('.search').dispatchEvent(new Event('input')), true)")
	b.has("2 found")
	// A hidden page closes its connection.
	hide := "import('/static/stream.js').then(m => (Object.defineProperty(document, 'hidden', {value: %v, configurable: true}), document.dispatchEvent(new Event('visibilitychange')), m.stream.source === null))"
	if !js[bool](b, fmt.Sprintf(hide, true)) || js[bool](b, fmt.Sprintf(hide, false)) {
		t.Error("a hidden page keeps its stream, or does not take it again")
	}
	spans := "import('/static/units.js').then(m => [0.0005, 0.5, 59, 61, 3660, 345599, 345600, 4611686018].map(m.span).join('; '))"
	if have := js[string](b, spans); have != "500 µs; 500 ms; 59.0 s; 1 min 1 s; 1 h 1 min; 95 h 59 min; 4 days; 53,376 days" {
		t.Errorf("times are %s; want %q", have, "500 µs; 500 ms; 59.0 s; 1 min 1 s; 1 h 1 min; 95 h 59 min; 4 days; 53,376 days")
	}
}

// TestSetting changes a value from the picture: the page first shows what changes with it, and then
// writes it.
func TestSetting(t *testing.T) {
	need.Slow(t)
	dir := copyOf(t, "../../examples/heat")
	pipe := filepath.Join(dir, "heat.pipe")
	b := browser(t, serve(t, dir))
	b.open("graph", at(pipe))
	b.until("the picture", "document.querySelectorAll('[data-node]').length === 5")
	b.choose("solver")
	b.has("solver:rows")
	if panel := b.text(".panel"); !strings.Contains(panel, "heat.pipe:10") || !strings.Contains(panel, "plate:rows was 128") || !strings.Contains(panel, "Rows of the plate") {
		t.Errorf("the panel has no origin or documentation:\n%s", panel)
	}
	b.looks("node")
	change := func(value string) {
		js[bool](b, "(document.querySelector('[aria-label=\"new value of solver:steps\"]').value = "+quote(value)+", document.querySelector('[aria-label=\"new value of solver:steps\"]').form.requestSubmit(), true)")
	}
	change("many")
	b.has("Not written, because it would be an error")
	change("500")
	b.has("+  steps = 500")
	// There is no preview if the file can no longer be written.
	if err := os.Rename(pipe, pipe+".away"); err != nil {
		t.Fatal(err)
	}
	b.click("Write")
	b.until("a refusal in place of the preview", "document.querySelector('.would .refused') && !document.querySelector('.would .diff')")
	if err := os.Rename(pipe+".away", pipe); err != nil {
		t.Fatal(err)
	}
	change("500")
	b.has("+  steps = 500")
	b.click("Write")
	b.has("solver:steps was written")
	if text, _ := os.ReadFile(pipe); !strings.Contains(string(text), "  steps = 500") {
		t.Errorf("the file has\n%s\nwant %q in it", text, "  steps = 500")
	}
}

// TestLive starts a pipeline, checks its figures, pauses and stops it, and checks the results.
func TestLive(t *testing.T) {
	need.Slow(t)
	dir, pipe := heat(t)
	b := browser(t, serve(t, dir))
	b.open("graph", at(pipe))
	b.click("Start")
	b.has("results go to a folder beside it")
	b.click("Start")
	b.has("heat.pipe running")
	b.until("figures", "/Bottleneck: \\w+, busy \\d+ %/.test(document.body.innerText)")
	b.until("figures in the picture", "/\\d+ of 4 · [\\d.]+k?\\/s/.test(document.querySelector('.stage').textContent)")
	b.until("a bottleneck in the picture", "document.querySelector('.stage .bottleneck')")
	b.until("a curve", "document.querySelector('pentode-spark').values.length > 2")
	if edges := b.text("[aria-label=Edges]"); !strings.Contains(edges, "heat.pipe:41") {
		t.Errorf("the edges do not lead to the file:\n%s", edges)
	}
	b.looks("live")
	b.choose("solver")
	b.has("solver:conductivity")
	tune := func(value string) {
		js[bool](b, "(document.querySelector('[aria-label=\"new value of solver:conductivity\"]').value = "+quote(value)+", document.querySelector('[aria-label=\"new value of solver:conductivity\"]').form.requestSubmit(), true)")
	}
	tune("0.7")
	b.has("In the run:")
	b.until("a refusal", "document.querySelector('.would .refused')")
	tune("0.15")
	b.has("0.2 → 0.15")
	b.click("Change the run")
	b.has("solver:conductivity is now 0.15 in the run")
	if text, _ := os.ReadFile(pipe); strings.Contains(string(text), "0.15") {
		t.Errorf("the file has changed too:\n%s", text)
	}
	b.click("Pause")
	b.has("heat.pipe paused")
	b.click("Resume")
	b.has("heat.pipe running")
	b.click("Stop")
	b.click("Stop")
	b.has("no live run")
	b.has("The whole run stopped")
	b.looks("afterwards")
	b.open("run", "")
	b.has("stopped")
	b.open("processes", "")
	b.has("Log")
}

// TestOwnProgram starts the pipeline of a run with a user's program, and checks that the output of
// the program is painted on the page.
func TestOwnProgram(t *testing.T) {
	need.Slow(t)
	need.Python(t)
	here := desk{t, t.TempDir(), t.TempDir()}
	dir := filepath.Join(t.TempDir(), "drop")
	if out, err := here.program("init", dir, "--name", "drop", "--in", "python").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	source := filepath.Join(dir, "drop.py") // the program must run until it is stopped
	rewrite(t, source, "range(FRAMES * EVERY)", "range(1000000)")
	rewrite(t, source, "i // EVERY,", "i // EVERY % FRAMES,")
	b := browser(t, here.serve(dir))
	b.open("graph", at(filepath.Join(dir, "drop.pipe")))
	b.click("Start")
	b.has("results go to a folder beside it")
	b.click("Start")
	b.has("drop.pipe running")
	b.until("the newest picture", "[...document.querySelectorAll('img')].some(i => i.naturalWidth === 192)")
	b.until("figures in the picture", "/\\d+ of 40 · [\\d.]+k?\\/s/.test(document.querySelector('.stage').textContent)")
	b.until("a curve", "document.querySelector('pentode-spark').values.length > 9")
	b.until("the newest picture at the end", "[...document.querySelectorAll('img')].filter(i => i.naturalWidth === 192).map(i => i.scrollIntoView({block: 'end'})).length > 0")
	b.picture("own")
	b.click("Stop")
	b.click("Stop")
	b.has("no live run")
}

// TestElsewhere shows a pipeline that runs in another terminal, and controls it from the page.
func TestElsewhere(t *testing.T) {
	need.Slow(t)
	dir, pipe := heat(t)
	here := desk{t, t.TempDir(), t.TempDir()}
	run := here.program("run", pipe, "-o", t.TempDir())
	run.Dir = dir
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	t.Cleanup(func() { run.Process.Kill() })
	b := browser(t, here.serve(dir))
	b.has("heat.pipe in another terminal")
	b.click("watch " + js[string](b, "document.querySelector('td a .hidden').textContent.trim()"))
	b.ready("graph")
	b.until("figures", "/Bottleneck: \\w+, busy \\d+ %/.test(document.body.innerText)")
	steer := func(order string) {
		t.Helper()
		words := []string{"control", order}
		if order == "stop" {
			words = words[1:]
		}
		if out, err := here.program(words...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	steer("pause")
	b.has("heat.pipe paused")
	b.click("Resume")
	b.has("heat.pipe running")
	b.click("Pause")
	b.has("heat.pipe paused")
	steer("resume")
	b.has("heat.pipe running")
	steer("stop")
	b.has("The whole run stopped")
	if err := <-ended; err == nil {
		t.Error("a run that was stopped ends as if it had finished")
	}
}

// TestSites shows on which sites the parts of a pipeline run, and their state.
func TestSites(t *testing.T) {
	need.Slow(t)
	dir, pipe := heat(t)
	rewrite(t, pipe, "  :: image_writer\n", "  :: image_writer\n  _site = shore\n")
	here := desk{t, t.TempDir(), t.TempDir()}
	run := here.program("run", pipe, "--sites", "local", "-o", t.TempDir())
	run.Dir, run.Env = dir, append(run.Env, "PENTODE_RANK=0", "PENTODE_SIZE=1")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	b := browser(t, here.serve(dir))
	b.has("heat.pipe in another terminal")
	b.click("watch " + js[string](b, "document.querySelector('td a .hidden').textContent.trim()"))
	b.ready("graph")
	b.until("sites that run", "[...document.querySelectorAll('[aria-label=Sites] tbody tr')].map(r => r.innerText.split('\\t').slice(0, 2).join()).join() === 'main,running,shore,running'")
	b.looks("sites")
	if out, err := here.program("stop").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b.has("The whole run stopped")
	<-ended
}

// tracedHere registers a traced program in a folder that answers `control status`.
func (t desk) tracedHere(dir string) {
	t.Helper()
	sockets := filepath.Join(t.runtime, "pentode", "trace")
	if err := control.Private(sockets); err != nil {
		t.Fatal(err)
	}
	server, err := control.Listen(filepath.Join(sockets, "4711.sock"), control.Methods{
		"status": control.Answer(func(context.Context, struct{}) (traced.Live, error) {
			return traced.Live{PID: 4711, Program: "solver", Directory: dir, Regions: []traced.Monitored{
				{Domain: "User", Region: "<b>step</b>", Unit: "rank 1 thread 0", Count: 12345, Total: 2 * time.Second, Mean: 162, Longest: 3 * time.Millisecond},
			}}, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
}

// TestPipelinesOfAPlan follows links from the programs of a plan to their pipelines, and shows the
// regions of a traced program.
func TestPipelinesOfAPlan(t *testing.T) {
	need.Slow(t)
	dir, _ := heat(t)
	here := desk{t, t.TempDir(), t.TempDir()}
	here.tracedHere(dir)
	b := browser(t, here.serve(dir))
	b.click("Start")
	b.click("Start")
	b.click("Processes")
	b.ready("processes")
	for _, name := range []string{"west", "east"} {
		b.until("the pipeline of "+name, "[...document.querySelectorAll('[aria-label=Programs] a')].some(a => a.textContent === 'heat.pipe of "+name+"')")
	}
	b.until("the regions of a traced program", "document.querySelector('[aria-label=\"Regions of solver\"] tbody tr')?.innerText.split('\\t').join() === '<b>step</b> User,rank 1 thread 0,12,345,2.0 s,162 ns,3 ms'")
	b.looks("processes-pipelines")
	b.click("heat.pipe of west")
	b.ready("graph")
	b.until("figures", "/Bottleneck: \\w+, busy \\d+ %/.test(document.body.innerText)")
	b.until("the runs of the file", "document.querySelector('[aria-label=Run]').selectedOptions[0].textContent.startsWith('west of a plan')")
}

// TestFiles shows a file with coloured text, a finding at its place and the value of a line, and
// applies a fix.
func TestFiles(t *testing.T) {
	need.Slow(t)
	dir := copyOf(t, "../../examples/heat")
	trace := filepath.Join(dir, "heat.pinsight")
	rewrite(t, trace, "tracing_rate = 10", "tracing_rat = 10")
	b := browser(t, serve(t, dir))
	b.open("files", at(filepath.Join(dir, "heat.pipe"))+"&line=10")
	b.has("A plate is heated")
	b.until("colours", "document.querySelectorAll('.code .t-comment').length > 0 && document.querySelectorAll('.code .t-keyword').length > 5 && document.querySelectorAll('.code .t-process').length > 0")
	b.until("the line", "document.querySelector('.target').textContent.includes('rows')")
	js[bool](b, "(document.querySelector('.target summary').click(), true)")
	b.has("plate:rows was 128 at heat.pipe")
	b.point(".code .t-process")
	b.until("a card", "!document.querySelector('.tip').hidden && /heat|solver|plate/.test(document.querySelector('.tip').innerText)")
	b.looks("pointing")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("no card", "document.querySelector('.tip').hidden")
	b.point("nav a") // away from the text
	b.looks("files")
	b.open("files", at(trace))
	b.until("the finding", "document.querySelector('.code .finding')")
	b.looks("finding")
	fix := js[string](b, "document.querySelector('.fix')?.textContent ?? ''")
	if fix == "" {
		t.Fatal("the finding has no fix")
	}
	b.click(fix)
	b.has("Write this fix?")
	b.click("Write")
	b.has("the fix was written")
	if text, _ := os.ReadFile(trace); !strings.Contains(string(text), "tracing_rate = 10") {
		t.Errorf("the file has\n%s\nwant %q in it", text, "tracing_rate = 10")
	}
}

// TestCountedFindings: the view of a file shows as many findings as it counts, including findings
// at the end of the text and in an included file.
func TestCountedFindings(t *testing.T) {
	need.Slow(t)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "a.pipe")
	for path, text := range map[string]string{pipe: "include broken.cl\nprocess a\n  :: numbers\nconnect from a.number\n\n", filepath.Join(dir, "broken.cl"): "process b\n  :: sink\nend what\n"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := browser(t, serve(t, dir))
	b.open("files", at(pipe))
	b.has("In files that this file reads")
	b.until("3 findings", "document.querySelector('.file .summary .badge').textContent === '3 errors' && document.querySelectorAll('.file .finding').length === 3")
}

// TestScratch types a text, and sees its findings and values at once.
func TestScratch(t *testing.T) {
	need.Slow(t)
	b := browser(t, serve(t, copyOf(t, "../../examples/heat")))
	b.open("scratch", "")
	b.has("numbers:start")
	b.until("a picture", "document.querySelectorAll('[data-node]').length === 2")
	b.looks("scratch")
	js[bool](b, "(document.querySelector('textarea').value = 'process a\\n  :: nunbers\\n', document.querySelector('textarea').dispatchEvent(new Event('input')), true)")
	b.has("unknown type nunbers")
	for _, language := range []string{"coil", "paradyn", "pdi", "pinsight"} {
		js[bool](b, "(document.querySelector('select').value = "+quote(language)+", document.querySelector('select').dispatchEvent(new Event('change')), true)")
		b.until("values of "+language, "document.querySelectorAll('.results tbody tr').length > 0")
		b.has("no finding")
	}
}

// TestPlan runs a plan with failing programs, and controls the others.
func TestPlan(t *testing.T) {
	need.Slow(t)
	dir := filepath.Join(t.TempDir(), "plan")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	plan := `daemon { name "guard"; command "sleep 1000"; host "localhost"; }
process { name "steady"; command "sh"; args { "-c" "while true; do echo tick; echo warning: slow >&2; sleep 0.2; done" }; host "localhost"; daemon "sleep 1000"; }
process { name "other"; command "sh"; args { "-c" "echo '<img src=x onerror=alert(1)>'; sleep 1000" }; host "localhost"; daemon "sleep 1000"; }
process { name "broken"; command "sh"; args { "-c" "sleep 8; echo error: no input; exit 3" }; host "localhost"; daemon "sleep 1000"; }
`
	if err := os.WriteFile(filepath.Join(dir, "site.psdl"), []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
	b := browser(t, serve(t, dir))
	b.click("Start")
	b.click("Start")
	b.click("Processes")
	b.ready("processes")
	b.has("<img src=x onerror=alert(1)>") // shown as text, not as an element
	b.until("programs", "document.querySelectorAll('[aria-label=Programs] tbody tr').length === 4")
	b.until("memory", "/\\d+\\.\\d (KB|MB)/.test(document.querySelector('[aria-label=Programs]').innerText)")
	b.click("Pause other")
	b.click("Pause")
	b.until("a pause", "document.querySelector('[aria-label=Programs] .chip.paused')")
	b.click("Continue other")
	b.click("Continue")
	b.has("failed, code 3")
	b.has("error: no input")
	js[bool](b, "(document.querySelector('[aria-label=Level]').value = 'error', document.querySelector('[aria-label=Level]').dispatchEvent(new Event('change')), true)")
	b.until("errors only", "!document.querySelector('.log').textContent.includes('tick') && document.querySelector('.log').textContent.includes('no input')")
	b.looks("processes")
	b.has("it ended with code 3")
}

// TestRareVIAME shows a VIAME pipeline of 37 processes, which includes further processes, if
// PENTODE_VIAME names the folder of an installation's pipelines.
func TestRareVIAME(t *testing.T) {
	dir := os.Getenv("PENTODE_VIAME")
	if dir == "" {
		t.Skip("PENTODE_VIAME names no folder")
	}
	path := filepath.Join(dir, "measurement_gfit_groups_v3_viame_dual.pipe")
	b := browser(t, serve(t, dir, "--read-only"))
	b.open("graph", at(path))
	b.until("37 processes", "document.querySelectorAll('[data-node]').length >= 37")
	size := js[float64](b, "document.querySelector('pentode-graph').width / document.querySelector('pentode-graph').height")
	if size > 3 {
		t.Errorf("the picture is %.1f times as wide as high, want at most 3", size)
	}
	overlaps := js[int](b, `(() => {
		const boxes = [...document.querySelectorAll('.edgelabel, .label, .kind, .port')].map(e => e.getBoundingClientRect());
		let n = 0;
		for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
			const a = boxes[i], b = boxes[j];
			if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2) n++;
		}
		return n;
	})()`)
	if overlaps > 0 {
		t.Errorf("%d texts overlap, want at most 0", overlaps)
	}
	b.looks("viame")
	js[bool](b, "(document.querySelector('.search').value = 'tracker', document.querySelector('.search').dispatchEvent(new Event('input')), true)")
	b.has("2 found")
	b.choose("tracker_l")
	b.has("tracker_l:")
	if panel := b.text(".panel"); !strings.Contains(panel, "unknown type track_objects") || !strings.Contains(panel, "dual.pipe:") {
		t.Errorf("the panel has no finding:\n%s", panel)
	}
	if !js[bool](b, "[...document.querySelectorAll('.panel .primary')].every(e => e.disabled)") {
		t.Error("a read-only page can be written")
	}
}
