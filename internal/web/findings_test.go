package web_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestFindingList filters, sorts and groups many findings, with the keyboard and on a narrow
// screen. Its last line is the same as on the terminal.
func TestFindingList(t *testing.T) {
	need.Slow(t)
	dir := t.TempDir()
	var many strings.Builder
	for i := range 60 {
		fmt.Fprintf(&many, "process p%d\n  :: camera_thing\n", i)
	}
	for name, text := range map[string]string{"b.pipe": many.String(), "a.pipe": "process a\n  :: sink\n  wrong = 1\nprocess q\n  :: other_thing\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	said, _ := exec.Command(golden.Pentode(t), "check", "--group", dir).CombinedOutput() // the exit code is not 0, because there are errors
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	settled := lines[len(lines)-1]
	if !strings.HasPrefix(settled, "61 of ") {
		t.Fatalf("the terminal says\n%s\nwant %q at the start", said, "61 of ")
	}
	b := browser(t, serve(t, dir))

	// Groups are in the same order as on the terminal: the most severe first, then the most
	// frequent.
	if have := b.text(".settled"); have != strings.ReplaceAll(settled, "`", "") {
		t.Errorf("the last line is\n%s\nand that of the terminal\n%s\nwant %v", have, settled, strings.ReplaceAll(settled, "`", ""))
	}
	heads := func() string {
		return js[string](b, "[...document.querySelectorAll('.groups summary')].map(s => s.innerText).join('\\n')")
	}
	first, _, _ := strings.Cut(heads(), "\n")
	if !strings.HasPrefix(first, "1 × error sprokit/missing-required-connection") || !strings.Contains(heads(), "61 × warning sprokit/unknown-type a process type that is not known here") {
		t.Errorf("the groups are\n%s\nwant %q first, and %q", heads(), "1 × error sprokit/missing-required-connection", "61 × warning sprokit/unknown-type a process type that is not known here")
	}
	if n := strings.Count(string(said), " × "); n != strings.Count(heads(), " × ") {
		t.Errorf("the terminal has %d groups, the page\n%s\nwant as many", n, heads())
	}

	// With the keyboard: type into the filter, go down to the first group, and open it.
	slash := func() {
		t.Helper()
		// The browser would also type the slash into the filter, unless the page prevents that.
		if js[bool](b, "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '/', bubbles: true, cancelable: true}))") {
			t.Error("the key / is not taken")
		}
	}
	slash()
	b.do(chromedp.KeyEvent("camera"))
	b.until("the filter", "document.activeElement.type === 'search' && document.querySelector('.finding-list output').textContent.startsWith('60 of ')")
	if have := heads(); !strings.HasPrefix(have, "60 of 61 × warning sprokit/unknown-type") || strings.Contains(have, "\n") {
		t.Errorf("the groups of camera are\n%s\nwant one line that begins with %q", have, "60 of 61 × warning sprokit/unknown-type")
	}
	b.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	b.until("the first findings", "document.querySelectorAll('.groups .finding').length === 50")
	b.looks("findings")
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		b.size(400, 800)
		if wide := js[int](b, "Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('.finding-list *')].map(e => Math.ceil(e.getBoundingClientRect().right)))"); wide > 400 {
			t.Errorf("the list is %d pixels wide on a %s screen of 400, want at most 400", wide, scheme)
		}
	}
	if ink, paper := js[string](b, "getComputedStyle(document.querySelector('.groups summary')).color"), js[string](b, "getComputedStyle(document.querySelector('.groups summary')).backgroundColor"); ink != "rgb(230, 235, 242)" || paper != "rgb(21, 27, 36)" {
		t.Errorf("a group is %s on %s in the dark, want %s on %s", ink, paper, "rgb(230, 235, 242)", "rgb(21, 27, 36)")
	}
	b.size(1400, 900)
	b.scheme("light")
	b.click("Show all 60")
	b.until("all findings", "document.querySelectorAll('.groups .finding').length === 60 && document.activeElement.classList.contains('place')")
	slash()

	// Without groups, each sort order puts another finding first; a code can be searched for too.
	js[bool](b, "(document.querySelector('.finding-list [type=checkbox]').click(), true)")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("no filter", "!document.querySelector('.finding-list output').textContent.includes(' of ')")
	pick := func(label, value string) {
		t.Helper()
		js[bool](b, fmt.Sprintf("(e => (e.value = %s, e.dispatchEvent(new Event('change')), true))(document.querySelector('[aria-label=%s]'))", quote(value), label))
	}
	column := func(selector string) []string {
		t.Helper()
		return js[[]string](b, "[...document.querySelectorAll('.finding-list .finding')].map(f => f.querySelector("+quote(selector)+").innerText)")
	}
	for sort, selector := range map[string]string{"weight": ".badge", "code": "code", "file": ".place"} {
		pick("Sort", sort)
		have := column(selector)
		if len(have) != 50 || have[0] == have[len(have)-1] {
			t.Fatalf("by %s there are %q, want 50, the first and the last one different", sort, have)
		}
		for i := 1; i < len(have); i++ {
			before, after, _ := strings.Cut(have[i-1], ":")
			if next, line, _ := strings.Cut(have[i], ":"); before > next || before == next && len(after) > len(line) {
				t.Errorf("by %s, %s comes before %s", sort, have[i-1], have[i])
			}
		}
	}
	pick("Weight", "error")
	if have := column(".badge"); len(have) != 1 || have[0] != "error" {
		t.Errorf("errors only are %q", have)
	}
	js[bool](b, "(e => (e.value = 'sprokit/unknown-type', e.dispatchEvent(new Event('input')), true))(document.querySelector('[aria-label=\"Filter findings\"]'))")
	b.has("No finding matches the filter.")

	// The chosen options are kept while another view is open.
	b.open("files", "")
	b.open("run", "")
	b.has("No finding matches the filter.")
	pick("Weight", "")
	b.until("unknown types", "document.querySelector('.finding-list output').textContent.startsWith('61 of ')")
}
