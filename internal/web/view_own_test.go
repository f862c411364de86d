package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/need"
)

// ownTree has a type with holes.
const ownTree = `types:
  particle:
    type: struct
    members:
      - id: int32
      - pos: { type: array, subtype: double, size: 3 }
      - kind: char
data:
  one: particle
`

// TestOwnViews uses the views that only files of one language have, with the keyboard.
func TestOwnViews(t *testing.T) {
	need.Slow(t)
	dir := copyOf(t, "../../examples/heat")
	tree := filepath.Join(dir, "particle.yml")
	memory := make([]byte, 40*60)
	for i := range 60 {
		memory[40*i] = byte(i)
	}
	for path, text := range map[string][]byte{tree: []byte(ownTree), filepath.Join(dir, "out.bin"): memory} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := browser(t, serve(t, dir))
	b.layout(tree)
	b.policy(filepath.Join(dir, "heat.pinsight"))
	b.target(filepath.Join(dir, "heat.coilcfg"))
}

// view opens the additional view of a file's language, from its text.
func (b *tab) view(path, name string) {
	b.Helper()
	b.open("files", at(path))
	b.press(fmt.Sprintf("[...document.querySelectorAll('.file a')].find(e => e.textContent === %s)", quote(name)), kb.Enter)
	b.ready(strings.ToLower(name))
}

// target compares a file with a preset, and then with an unknown name.
func (b *tab) target(config string) {
	b.Helper()
	b.view(config, "Target")
	b.until("this machine", "document.querySelector('[aria-label=\"Compare with\"]')?.value === 'host' && document.querySelectorAll('.target .badge').length === 3")
	js[bool](b, "(e => { e.focus(); e.select(); return true })(document.querySelector('[aria-label=\"Compare with\"]'))")
	b.do(chromedp.KeyEvent("arm32" + kb.Enter))
	b.until("another machine", "document.querySelector('.target .badge.error') && [...document.querySelectorAll('.target tbody tr')].some(e => /^pointer\\s+sizes\\s+8\\s+4$/.test(e.innerText.trim())) && location.hash.endsWith('with=arm32')")
	b.looks("target")
	b.narrow("target")
	b.press("document.querySelector('.target input[type=checkbox]')", " ")
	b.until("also show equal properties", "[...document.querySelectorAll('.target tbody tr')].some(e => /^PU\\s+processor\\s+CPU\\s+CPU$/.test(e.innerText.trim()))")
}

// policy shows what is traced on some units, and follows a link to a line that decides.
func (b *tab) policy(config string) {
	b.Helper()
	b.view(config, "Policy")
	b.until("sets", "document.querySelectorAll('.policy tbody tr').length > 1 && document.querySelector('.policy tbody a[href*=line]')")
	b.press("document.querySelector('[aria-label=\"Existing units\"]')", "MPI.rnk=0"+kb.Enter)
	b.until("what is wrong", "document.querySelector('.policy .refused')?.innerText.includes('MPI.rank')")
	js[bool](b, "(document.activeElement.select(), true)")
	b.do(chromedp.KeyEvent("MPI.rank=0-1023" + kb.Enter))
	b.until("sets of those units", "location.hash.endsWith('unit=MPI.rank%3D0-1023') && document.querySelector('.policy tbody tr')?.innerText.includes('MPI.rank(')")
	b.looks("policy")
	b.narrow("policy")
	b.press("document.querySelector('[aria-label=\"Filter regions and events\"]')", "nothing like this")
	b.until("the filter", "document.querySelector('.policy').innerText.includes('No region and no event')")
}

// layout shows a type on two machines, and decodes a file as values of it.
func (b *tab) layout(tree string) {
	b.Helper()
	b.view(tree, "Layout")
	b.until("a hole", "/hole\\s+4\\s+4/.test(document.querySelector('tr.hole')?.innerText)")
	b.press("document.querySelector('input[list=machines]')", "i386"+kb.Enter)
	b.until("two machines", "document.querySelectorAll('.layout thead th[scope=colgroup]').length === 2 && location.hash.includes('target=x86-64&target=i386')")
	b.has("kind after id saves 8 bytes on x86-64")
	b.press("document.querySelector('input[aria-label=File]')", "out.bin"+kb.Enter)
	b.until("bytes and values", "document.querySelectorAll('.bytes div').length === 32 && [...document.querySelectorAll('.fields tr')].some(e => /\\[1\\]\\.id\\s+1\\s+int32\\s+40/.test(e.innerText))")
	b.press("[...document.querySelectorAll('.layout .link')].find(e => e.textContent === 'pos')", kb.Enter)
	b.until("the bytes of a member", "document.querySelectorAll('.bytes .on').length === 24 * 13 && document.querySelector('tr.on th').innerText.trim() === 'pos'")
	b.press("document.querySelector('.bytes')", kb.ArrowRight)
	for range 2 {
		b.do(chromedp.KeyEvent(kb.ArrowDown))
	}
	b.until("the member of a byte", "document.querySelector('.layout .said').innerText.startsWith('byte 32: [0].kind char 0') && document.querySelector('tr.on th').innerText.trim() === 'kind' && document.querySelectorAll('.bytes .on').length === 1")
	b.looks("layout")
	b.narrow("layout")
	b.press("[...document.querySelectorAll('.layout button')].find(e => e.textContent === 'Next bytes')", kb.Enter)
	b.until("the next page", "document.querySelector('.bytes span').textContent === '00000200' && document.activeElement.textContent === 'Next bytes' && location.hash.includes('from=512')")
	query := js[string](b, "location.hash.replace(/^[^?]*/, '')")
	b.open("scratch", "")
	b.open("layout", query)
	b.until("the same by its address", "document.querySelector('.bytes span')?.textContent === '00000200' && document.querySelectorAll('thead th[scope=colgroup]').length === 2")
}
