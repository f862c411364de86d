package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// serve starts the page of a folder and returns its address.
func serve(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	return desk{t, t.TempDir(), t.TempDir()}.serve(dir, flags...)
}

// desk is a simulated user's machine: programs that are started on it share a state folder, so they
// find each other.
type desk struct {
	*testing.T
	runtime, state string
}

// program returns the command that starts this program with arguments.
func (t desk) program(args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(golden.Pentode(t), args...)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.runtime, "XDG_STATE_HOME="+t.state, "PATH="+filepath.Dir(golden.Pentode(t))+":"+os.Getenv("PATH"))
	return cmd
}

func (t desk) serve(dir string, flags ...string) string {
	t.Helper()
	address, _ := t.served(dir, flags...)
	return address
}

// served is like serve, but also returns the process ID.
func (t desk) served(dir string, flags ...string) (address string, pid int) {
	t.Helper()
	cmd := t.program(append(append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...), dir)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	if address, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address), cmd.Process.Pid
}

// copyOf returns a copy of an example that a test may change.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(dir))
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// chromium is the browser of all tests. The first that needs it starts it.
var chromium = sync.OnceValues(func() (context.Context, error) {
	home, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.WindowSize(1400, 900), chromedp.Env("HOME="+home), chromedp.WSURLReadTimeout(golden.Patience))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(ctx)
	quit = func() { end(); stop(); os.RemoveAll(home) }
	return ctx, chromedp.Do(ctx)
})

// quit ends the browser if it was started.
var quit = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	quit()
	os.Exit(code)
}

// browser opens a page in Chromium with a new profile, as for a first visit.
func browser(t *testing.T, address string) *tab {
	t.Helper()
	need.Program(t, "chromium")
	ctx, err := chromium()
	need.Ability(t, "a chromium that starts", err)
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute) // enough for all steps of a test, each of which may wait long
	ctx, end := chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	b := &tab{t, ctx}
	t.Cleanup(func() { end(); cancel() })
	b.size(1400, 900)
	b.do(chromedp.Navigate(address))
	b.ready("run")
	return b
}

// tab is a page in the browser, with actions of a user.
type tab struct {
	*testing.T
	ctx context.Context
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// js evaluates an expression, and awaits it if it is a promise.
func js[T any](b *tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to be true.
func (b *tab) until(what, expression string) {
	b.Helper()
	if golden.Comes(func() bool { return js[bool](b, "Boolean("+expression+")") }) {
		return
	}
	b.picture("failed")
	b.Fatalf("%s: %s has not become true. The page has:\n%s", what, expression, js[string](b, "document.body.innerText.slice(0, 3000)"))
}

func (b *tab) ready(view string) {
	b.Helper()
	b.until("view "+view, fmt.Sprintf("document.getElementById('main')?.dataset.ready === %q && location.hash.replace(/^#.?/, '').split('?')[0].replace(/^$/, 'run') === %[1]q", view))
}

// open goes to a view.
func (b *tab) open(view, query string) {
	b.Helper()
	js[bool](b, fmt.Sprintf("(document.getElementById('main').dataset.ready = '', location.hash = '#/%s%s', window.dispatchEvent(new HashChangeEvent('hashchange')), true)", view, query))
	b.ready(view)
}

// click clicks the button, tab or link with that text.
func (b *tab) click(text string) {
	b.Helper()
	find := fmt.Sprintf("[...document.querySelectorAll('dialog[open] button, body:not(:has(dialog[open])) :is(button, a, summary)')].find(e => (e.getAttribute('aria-label') ?? e.textContent).trim() === %s && e.checkVisibility())", quote(text))
	b.until("click on "+text, find)
	js[bool](b, "("+find+".click(), true)")
}

// keys presses keys, one after the other.
func (b *tab) keys(keys ...string) {
	b.Helper()
	for _, key := range keys {
		b.do(chromedp.KeyEvent(key))
	}
}

// choose opens a node of a picture with the keyboard.
func (b *tab) choose(label string) {
	b.Helper()
	find := fmt.Sprintf("[...document.querySelectorAll('[data-node]')].find(n => n.querySelector('.label').textContent === %s)", quote(label))
	b.until("node "+label, find)
	js[bool](b, "("+find+".focus(), true)")
	b.do(chromedp.KeyEvent(kb.Enter))
}

// point moves the pointer to an element and leaves it there.
func (b *tab) point(selector string) {
	b.Helper()
	js[bool](b, fmt.Sprintf("(document.querySelector(%s).scrollIntoView({block: 'center'}), true)", quote(selector)))
	x, y := b.rests(fmt.Sprintf("(() => { const r = document.querySelector(%s).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()", quote(selector)))
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
}

// rests returns the point that an expression gives, after it has stopped moving.
func (b *tab) rests(expression string) (x, y float64) {
	b.Helper()
	at := func() []float64 { return js[[]float64](b, expression) }
	last, since, looks := at(), time.Now(), 0
	golden.Until(b, expression+" rests", func() bool {
		now := at()
		if looks++; !slices.Equal(now, last) {
			last, since, looks = now, time.Now(), 0
		}
		return looks >= 5 && time.Since(since) > 250*time.Millisecond
	})
	return last[0], last[1]
}

func (b *tab) text(selector string) string {
	b.Helper()
	return js[string](b, fmt.Sprintf("document.querySelector(%s)?.innerText ?? ''", quote(selector)))
}

// has waits for a text on the page.
func (b *tab) has(text string) {
	b.Helper()
	b.until("text "+text, fmt.Sprintf("document.body.innerText.includes(%s)", quote(text)))
}

func (b *tab) size(width, height int64) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

func (b *tab) scheme(name string) {
	b.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return chromedp.Void{}, err
	})
}

// picture saves a screenshot of the page if PENTODE_PICTURES names a folder. Screenshots in the
// documentation are made this way: docs/pictures/page-NAME.png is NAME.png.
func (b *tab) picture(name string) {
	b.Helper()
	dir := os.Getenv("PENTODE_PICTURES")
	if dir == "" {
		return
	}
	time.Sleep(300 * time.Millisecond) // until animations have ended
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.Fatal(err)
	}
}

// accessible runs axe-core on the page in light and dark colours, if PENTODE_AXE names its file.
func (b *tab) accessible(view string) {
	b.Helper()
	path := os.Getenv("PENTODE_AXE")
	if path == "" {
		return
	}
	script, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	js[bool](b, string(script)+"\n;true")
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		found := js[string](b, `axe.run().then(r => JSON.stringify(r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html + " " + n.failureSummary).slice(0, 3).join(" | "))))`)
		if found != "[]" {
			b.Errorf("%s, %s: %s; want %q", view, scheme, found, "[]")
		}
	}
	b.scheme("light")
}

// looks saves screenshots of a view: light, dark, narrow and wide. It checks that the page is never
// wider than the screen.
func (b *tab) looks(name string) {
	b.Helper()
	if !need.Full() && os.Getenv("PENTODE_PICTURES") == "" {
		return // only full tests do this, because it takes a while
	}
	b.picture(name)
	b.scheme("dark")
	b.picture(name + "-dark")
	b.scheme("light")
	for _, size := range [][2]int64{{360, 740}, {2560, 1300}} {
		b.size(size[0], size[1])
		b.picture(fmt.Sprintf("%s-%d", name, size[0]))
		if wide := js[int64](b, "document.documentElement.scrollWidth"); wide > size[0] {
			b.Errorf("%s is %d pixels wide on a screen of %d, want at most %v", name, wide, size[0], size[0])
		}
	}
	if os.Getenv("PENTODE_PICTURES") != "" { // screenshots were requested
		b.size(400, 740)
		b.accessible(name + "-400")
	}
	b.size(1400, 900)
	b.accessible(name)
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(text)
}
