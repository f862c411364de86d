package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestFormView changes settings of a pipeline in a form with the keyboard: a preview is shown before anything is written, and a wrong
// value is not written.
func TestFormView(t *testing.T) {
	need.Slow(t)
	dir := copyOf(t, "../../examples/heat")
	pipe := filepath.Join(dir, "heat.pipe")
	b := browser(t, serve(t, dir))
	b.open("files", at(pipe))
	b.press("[...document.querySelectorAll('.file button')].find(e => e.textContent === 'Form')", kb.Enter)
	b.until("the fields", "[...document.querySelectorAll('.form label')].map(e => e.textContent).join() === 'plate:rows,plate:cols,plate:steps'")
	b.until("types and where it is read", "document.activeElement.type === 'number' && document.activeElement.value === '128' && /int.*heat.pipe:4.*read by solver:rows/.test(document.querySelector('.field .doc').innerText)")
	b.do(chromedp.KeyEvent(kb.ArrowUp))
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("the preview", "/-  rows = 128[^]*\\+  rows = 129/.test(document.querySelector('.diff')?.textContent) && /Also changes:.*solver:rows 128 → 129/.test(document.querySelector('.would').innerText)")
	b.looks("form")
	b.narrow("form")
	if text, _ := os.ReadFile(pipe); strings.Contains(string(text), "129") {
		t.Fatal("it is written before it was asked for")
	}
	b.press("[...document.querySelectorAll('.would button')].find(e => e.textContent === 'Write')", kb.Enter)
	b.until("it is written", "document.querySelector('#field-0')?.value === '129' && !document.querySelector('.diff')")
	if text, _ := os.ReadFile(pipe); !strings.Contains(string(text), "rows = 129    # of each part") {
		t.Errorf("the file has\n%s\nwant %q in it", text, "rows = 129    # of each part")
	}
	js[bool](b, "(e => { e.focus(); e.select(); return true })(document.querySelector('#field-0'))")
	b.do(chromedp.KeyEvent("-3"))
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("an error", "document.querySelector('.would .finding.error') && !document.querySelector('.would .primary')")
}
