package web_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/need"
)

// slowLine is a script that simulates a slow connection: an answer whose address contains
// window.slow is held back until the test releases it. `start` is answered by the script, so that
// nothing runs.
const slowLine = `(() => {
	const fetched = window.fetch;
	window.slow = "";
	window.held = [];
	window.fetch = async (address, options) => {
		const answer = address.startsWith("/api/start") ? new Response('{"id": "none"}') : await fetched(address, options);
		const text = await answer.text();
		if (window.slow && address.includes(window.slow)) await new Promise((come) => window.held.push(come));
		return new Response(text, { status: answer.status });
	};
	return true;
})()`

// slow holds back answers from now on whose address contains what.
func (b *tab) slow(what string) { js[bool](b, "(window.slow = "+quote(what)+", true)") }

// held waits until n answers are held back.
func (b *tab) held(n int) {
	b.until("answers on their way", fmt.Sprintf("window.held.length === %d", n))
}

// come releases the first answer that is held back, and waits until the page has handled it.
func (b *tab) come() {
	js[bool](b, "(window.slow = '', window.held.shift()(), new Promise((done) => setTimeout(() => done(true), 100)))")
}

// TestLateAnswers: an answer has no effect if the part of the page that requested it has been
// closed, replaced or left.
func TestLateAnswers(t *testing.T) {
	need.Slow(t)
	dir := copyOf(t, "../../examples/heat")
	pipe, trace := filepath.Join(dir, "heat.pipe"), filepath.Join(dir, "heat.pinsight")
	rewrite(t, trace, "tracing_rate = 10", "tracing_rat = 10")
	b := browser(t, serve(t, dir))
	js[bool](b, slowLine)
	hidden := func(what string) {
		t.Helper()
		if !js[bool](b, "document.querySelector('.tip').hidden") {
			t.Errorf("the card is there %s, want it hidden", what)
		}
	}

	b.open("files", at(pipe))
	b.slow("/api/hover")
	b.point(".code .t-process")
	b.held(1)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.come()
	hidden("after Escape")
	b.point(".code .t-keyword")
	b.point(".code .t-process")
	b.until("a card", "!document.querySelector('.tip').hidden")
	b.do(chromedp.KeyEvent(kb.Escape))
	js[bool](b, "(document.querySelector('.code').prepend(document.createElement('hr')), new Promise((done) => setTimeout(() => done(true), 500)))")
	hidden("although the pointer rests where it was when the card was closed")

	b.slow("/api/fix")
	b.open("files", at(trace))
	b.until("the finding", "document.querySelector('.fix')")
	js[bool](b, "(document.querySelector('.fix').click(), true)")
	b.held(1)
	b.open("run", "")
	b.come()
	if js[bool](b, "document.querySelector('dialog').open") {
		t.Error("another view is asked about a fix")
	}

	b.open("graph", at(pipe))
	b.until("the picture", "document.querySelectorAll('[data-node]').length === 5")
	b.slow("node=solver")
	b.choose("solver")
	b.held(1)
	b.choose("paint")
	b.has("paint:")
	b.come()
	if panel := b.text(".panel h2"); !strings.HasPrefix(panel, "paint ") {
		t.Errorf("the panel of another node is there: %q, want %q at the start", panel, "paint ")
	}
	b.choose("solver")
	b.has("solver:steps")
	preview := func(value string) {
		field := `document.querySelector('[aria-label="new value of solver:steps"]')`
		js[bool](b, fmt.Sprintf("(%s.value = %s, %[1]s.form.requestSubmit(), true)", field, quote(value)))
	}
	b.slow("/api/set")
	preview("many")
	b.held(1)
	b.slow("")
	preview("500")
	b.has("+  steps = 500")
	b.come()
	b.has("+  steps = 500")
	b.slow("/api/set")
	b.click("Write")
	b.held(1)
	b.click("Close")
	b.come()
	b.has("solver:steps was written")
	if !js[bool](b, "document.querySelector('.panel').hidden") {
		t.Error("a panel that was closed opens again with what was written")
	}

	b.open("processes", "")
	b.slow("/api/start")
	b.click("Start")
	b.click("Start")
	b.held(1)
	b.open("scratch", "")
	b.come()
	if at := js[string](b, "location.hash"); at != "#/scratch" {
		t.Errorf("a run that was started in a view that was left leads to %s", at)
	}

	b.slow("/api/run")
	js[bool](b, "(location.hash = '#/files', true)")
	b.held(1)
	b.slow("")
	b.open("graph", at(pipe))
	b.come()
	b.ready("graph")
	if !js[bool](b, "document.querySelector('.view.graph') && !document.querySelector('.view.files')") {
		t.Error("a view that was left is shown")
	}
}
