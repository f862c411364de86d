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

// TestEditFile edits a file with the keyboard: findings appear while typing, a completion can be accepted, an error is saved only if the user
// insists, and a change made elsewhere is not overwritten.
func TestEditFile(t *testing.T) {
	need.Slow(t)
	dir := copyOf(t, "../../examples/heat")
	pipe := filepath.Join(dir, "heat.pipe")
	file := func() string {
		t.Helper()
		text, err := os.ReadFile(pipe)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if err := os.MkdirAll(filepath.Join(dir, "more", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "more", "deep", "a.pipe"), []byte("process a\n  :: numbers\n  end = x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := browser(t, serve(t, dir))
	b.open("files", at(pipe))
	b.until("the tree", `[...document.querySelectorAll('.filelist summary')].map(e => e.textContent).join() .startsWith('more/ 1 file')`)
	b.press("document.querySelector('.filelist input')", "d")
	b.do(chromedp.KeyEvent("eep"))
	b.until("the filter", `/^1 of \d+ files$/.test(document.querySelector('.filelist [role=status]').textContent) && document.querySelectorAll('.filelist li a').length === 1`)
	b.looks("files-tree")
	b.press("[...document.querySelectorAll('.filelist > a')].find(e => e.textContent.startsWith('All findings'))", kb.Enter)
	b.until("all findings", "document.querySelector('.file .finding-list .badge.error')")
	b.looks("files-findings")
	js[bool](b, "(document.querySelector('.filelist input').value = '', document.querySelector('.filelist input').dispatchEvent(new Event('input')), true)")

	b.open("files", at(pipe))
	edit := func() {
		t.Helper()
		b.press("[...document.querySelectorAll('.file button')].find(e => e.textContent === 'Edit')", kb.Enter)
		b.until("the text", "document.activeElement?.tagName === 'TEXTAREA' && document.querySelector('.file .summary')")
	}
	typeAt := func(find, text string) { // types after a given text
		t.Helper()
		b.until("the words", "document.querySelector('textarea').value.includes("+quote(find)+")")
		js[bool](b, "(e => { e.focus(); e.selectionStart = e.selectionEnd = e.value.indexOf("+quote(find)+") + "+quote(find)+".length; return true })(document.querySelector('textarea'))")
		b.do(chromedp.KeyEvent(text))
	}
	edit()
	typeAt(":: heat", "x")
	b.until("a finding as one types", "/line \\d+:/.test(document.querySelector('.file .finding.error')?.innerText)")
	b.do(chromedp.KeyEvent(kb.Backspace))
	b.until("no error", "!document.querySelector('.file .finding.error')")
	b.do(chromedp.KeyEvent(kb.Backspace))
	b.do(chromedp.KeyEvent(" ", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.until("completions", "document.activeElement?.closest('.completions')")
	b.looks("edit-complete")
	b.press("[...document.querySelectorAll('.completions button')].find(e => e.textContent === 'heat')", kb.Enter)
	b.until("it is taken", "document.querySelector('textarea').value.includes('  :: heat\\n') && document.activeElement.tagName === 'TEXTAREA'")

	typeAt("high = 100", "x")
	b.press("[...document.querySelectorAll('.file button')].find(e => e.textContent === 'Save')", kb.Enter)
	b.has("Not saved, because it adds errors")
	b.looks("edit-refused")
	b.narrow("edit-refused")
	if strings.Contains(file(), "100x") {
		t.Fatal("an error is saved")
	}
	b.until("the button has the focus", "document.activeElement.textContent === 'Save anyway'")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("the file is shown", "document.querySelector('.code')?.textContent.includes('high = 100x')")
	if !strings.Contains(file(), "high = 100x") {
		t.Error("it is not saved")
	}

	edit()
	typeAt("high = 100x", kb.Backspace)
	rewrite(t, pipe, "every = 20", "every = 10")
	b.do(chromedp.KeyEvent("s", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.has("Your text was not saved")
	b.until("both texts", "/every = 10[^]*high = 100x/.test(document.querySelector('[aria-label=\"Current file\"]').textContent) && /every = 20[^]*high = 100\\n/.test(document.querySelector('[aria-label=\"Your text\"]').textContent)")
	b.looks("edit-conflict")
	b.narrow("edit-conflict")
	b.click("Continue with the current file")
	typeAt("high = 100x", kb.Backspace)
	b.until("no conflict", "!document.querySelector('.file .finding.error') && !document.querySelector('button.primary').disabled")
	b.do(chromedp.KeyEvent("s", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.until("the file is shown", "document.querySelector('.code')?.textContent.includes('every = 10')")
	if text := file(); !strings.Contains(text, "every = 10") || !strings.Contains(text, "high = 100\n") {
		t.Errorf("the file has\n%s\nwant %q in text and %q in text", text, "every = 10", "high = 100\n")
	}
}
