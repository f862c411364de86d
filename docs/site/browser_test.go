package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestBrowser opens the site from a folder, without a server: the search finds a code, a page leads to the next and back, and
// axe-core, where PENTODE_AXE names it, finds no fault in light and dark.
func TestBrowser(t *testing.T) {
	need.Program(t, "chromium")
	dir := t.TempDir()
	if err := build(os.DirFS(golden.Root(t)), dir); err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.WindowSize(1400, 900), chromedp.Env("HOME="+t.TempDir()), chromedp.WSURLReadTimeout(golden.Patience))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	need.Ability(t, "a chromium that starts", chromedp.Do(ctx))
	b := browser{t, ctx}

	b.open(dir, "index.html")
	b.is(`(field.value = "unknown-type", field.dispatchEvent(new Event("input")), [...document.querySelectorAll("#found a")].some(a => a.getAttribute("href").endsWith("docs/codes/sprokit.html#sprokitunknown-type")))`)
	b.is(`document.querySelector("article").hidden`)
	b.open(dir, "docs/README.html")
	first := evaluate[string](b, `document.querySelector("[rel=next]").href`)
	b.do(chromedp.Navigate(first))
	b.is(`document.querySelector("[rel=prev]").href.endsWith("docs/README.html") && document.querySelector("[aria-current]").href === location.href`)
	for _, page := range []string{"index.html", "docs/README.html", "docs/codes/coil.html", "docs/verbs/runs.html", "docs/interface.html"} {
		b.open(dir, page)
		b.accessible(page)
	}
}

// browser is a tab of Chromium.
type browser struct {
	*testing.T
	ctx context.Context
}

func (b browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

func (b browser) open(dir, page string) {
	b.Helper()
	b.do(chromedp.Navigate("file://" + filepath.ToSlash(filepath.Join(dir, page))))
}

// evaluate is the value of an expression, also of a promise.
func evaluate[T any](b browser, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%.200s: %v", expression, err)
	}
	return v
}

func (b browser) is(expression string) {
	b.Helper()
	if !evaluate[bool](b, "Boolean("+expression+")") {
		b.Errorf("%s is false at %s, want true", expression, evaluate[string](b, "location.href"))
	}
}

func (b browser) accessible(page string) {
	b.Helper()
	axe := os.Getenv("PENTODE_AXE")
	if axe == "" {
		return
	}
	script, err := os.ReadFile(axe)
	if err != nil {
		b.Fatal(err)
	}
	evaluate[bool](b, string(script)+"\n;true")
	for _, scheme := range []string{"light", "dark"} {
		b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
			return chromedp.Void{}, err
		})
		found := evaluate[string](b, `axe.run().then(r => r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html + " " + n.failureSummary).slice(0, 3).join(" | ")).join("\n"))`)
		if found != "" {
			b.Errorf("%s, %s: axe-core finds\n%s\nwant nothing", page, scheme, found)
		}
	}
}
