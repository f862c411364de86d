package web_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestTableView opens a table with the keyboard, turns its pages and draws two of its columns; JSON is shown as a foldable tree
// in which numbers keep their digits.
func TestTableView(t *testing.T) {
	need.Slow(t)
	b := finished(t, func(out string) {
		var rows strings.Builder
		rows.WriteString("step,mean <b>,residual,note\n")
		for i := range 3000 {
			fmt.Fprintf(&rows, "%d,%g,%g,\"a, b\"\n", i, 300+20*math.Sin(float64(i)/200), 300+30*math.Exp(-float64(i)/800))
		}
		for name, text := range map[string]string{
			"figures.csv": rows.String(),
			"plan.json":   `{"steps": 12345678901234567890, "name": "<b>\"plate\"", "empty": [], "solver": {"order": [1, 2.50, -3e4], "inner": {"deep": [true, null]}}, "many": [` + strings.Repeat("0, ", 500) + `1]}`,
			"broken.json": "{\"a\": ",
		} {
			if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
	b.press(result("figures.csv"), kb.Enter)
	status := func(text string) {
		t.Helper()
		b.until(text, fmt.Sprintf("[...document.querySelectorAll('.opened [role=status]')].some(e => e.innerText.startsWith(%q))", text))
	}
	status("rows 1 to 199")
	b.until("names of columns", "[...document.querySelectorAll('.opened thead th')].map(e => e.textContent).join('|') === 'row|step|mean <b>|residual|note'")
	button := func(text string) string {
		return fmt.Sprintf("[...document.querySelectorAll('.opened button')].find(e => e.textContent === %q && !e.disabled)", text)
	}
	b.press(button("Next rows"), kb.Enter)
	status("rows 200 to 399")
	b.until("the first row of the page", "[...document.querySelectorAll('.opened tbody tr:first-child > *')].slice(0, 2).map(e => e.textContent).join('|') === '200|199'")
	b.press(button("Previous rows"), kb.Enter)
	status("rows 1 to 199")
	for _, name := range []string{"mean <b>", "residual"} {
		b.press(fmt.Sprintf("[...document.querySelectorAll('fieldset label')].find(e => e.innerText === %q)?.querySelector('input')", name), " ")
	}
	status("3,000 rows, each point is the smallest and the largest of 8")
	b.until("two curves", "document.querySelector('pentode-curve canvas')?.getAttribute('aria-label') === 'Curve of mean <b>, residual. Arrow keys read its values.'")
	b.press("document.querySelector('pentode-curve canvas')", kb.ArrowRight)
	b.until("values at the mark", "/^1 to 8: mean <b> 300 to 300.7, residual 329.7\\d to 330$/.test(document.querySelector('.said').innerText)")
	b.looks("table")
	b.inBounds("table")

	b.press(result("plan.json"), kb.Enter)
	b.until("all digits", "document.querySelector('.json')?.innerText.includes('\"steps\": 12345678901234567890')")
	for _, text := range []string{`"name": "<b>\"plate\""`, `"empty": []`, "Show more of 501"} {
		b.until(text, fmt.Sprintf("document.querySelector('.json').innerText.includes(%s)", quote(text)))
	}
	for name, part := range map[string]string{"inner": `"deep"`, "order": "2.50"} {
		head := fmt.Sprintf("[...document.querySelectorAll('.json summary')].find(e => e.innerText.startsWith('\"%s\"'))", name)
		if js[bool](b, head+".parentElement.open") {
			t.Error("what lies deep is open at first")
		}
		b.press(head, kb.Enter)
		b.until(part, fmt.Sprintf("%s.parentElement.open && document.querySelector('.json').innerText.includes(%s)", head, quote(part)))
	}
	b.looks("json")
	b.inBounds("json")
	b.press(result("broken.json"), kb.Enter)
	b.until("a text that is no JSON", "document.querySelector('.opened pre')?.innerText === '{\"a\": '")
}

// TestFilm plays pictures with the keyboard, pauses, and starts again at the end. If the user prefers less motion, it starts
// slowly.
func TestFilm(t *testing.T) {
	need.Slow(t)
	const pictures = 12
	b := finished(t, func(out string) {
		for i := range pictures {
			f, err := os.Create(filepath.Join(out, fmt.Sprintf("plate_%d.png", i)))
			if err != nil {
				t.Fatal(err)
			}
			m := image.NewRGBA(image.Rect(0, 0, 320, 200))
			for x := range 320 {
				for y := range 200 {
					m.Set(x, y, color.RGBA{uint8(20 * i), uint8(x / 2), uint8(y), 255})
				}
			}
			if err := png.Encode(f, m); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
	shown := func(i int) string {
		return fmt.Sprintf("(e => e?.alt === 'plate_%d.png' && e.complete && e.naturalWidth === 320)(document.querySelector('.viewer img'))", i)
	}
	button := func(text string) string {
		return fmt.Sprintf("[...document.querySelectorAll('.viewer button')].find(e => e.textContent === %q)", text)
	}
	b.until("the first picture", shown(0))
	if rate := js[string](b, "document.querySelector('.viewer select').value"); rate != "5" {
		t.Errorf("%s pictures a second at first, want %q", rate, "5")
	}
	b.press("document.querySelector('.viewer select')", "25")
	b.press(button("Play"), kb.Enter)
	b.until("the last picture", shown(pictures-1))
	b.until("the end", button("Play"))
	if at := js[string](b, "document.querySelector('.viewer input').value"); at != fmt.Sprint(pictures-1) {
		t.Errorf("the slider is at %s; want %v", at, fmt.Sprint(pictures-1))
	}
	b.press("document.querySelector('.viewer select')", "1")
	b.press(button("Play"), kb.Enter)
	b.until("the first picture again", shown(0))
	b.do(chromedp.KeyEvent(kb.Enter)) // the button still has the focus
	b.until("a film that waits", button("Play"))
	b.looks("film")
	b.inBounds("film")

	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
		return chromedp.Void{}, err
	})
	b.open("runs", "?run=r1")
	b.until("a slow film", "document.querySelector('.viewer select')?.value === '1'")
}
