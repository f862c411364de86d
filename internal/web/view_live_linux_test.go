package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
)

// TestLiveResults watches a live run: its files appear as they are written, an open file stays open, and after its end the run is
// shown like any other.
func TestLiveResults(t *testing.T) {
	need.Slow(t)
	need.Program(t, "chromium")
	dir, out := copyOf(t, "../../examples/heat"), t.TempDir()
	here := desk{t, t.TempDir(), t.TempDir()}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	// This program acts as the run. The run began a minute ago, because file times are imprecise.
	r := &record.Record{ID: "r1", Kind: record.Pipeline, Started: time.Now().Add(-time.Minute), Command: []string{"run", "heat.pipe"}, Folder: dir, Paths: []string{filepath.Join(dir, "heat.pipe")}, Out: out,
		Host: record.Host{Name: host, System: "linux/amd64", CPUs: 2}, Process: state.Self()}
	keep := func() {
		t.Helper()
		if err := (record.Store{Dir: filepath.Join(here.state, "pentode")}).Write(r, nil); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	keep()
	b := browser(t, here.serve(dir))
	b.open("runs", "?run=r1")
	b.has("0 files in")
	write("first.txt", "one")
	b.until("the first file", result("first.txt"))
	b.press(result("first.txt"), kb.Enter)
	b.until("its text", "document.querySelector('.opened pre')?.innerText === 'one'")
	js[bool](b, "("+result("first.txt")+".focus(), true)")
	write("second.csv", "a,b\n1,2\n")
	b.until("the second file", result("second.csv"))
	b.has("2 files in")
	if !js[bool](b, "document.querySelector('.opened pre')?.innerText === 'one' && document.activeElement.textContent === 'first.txt'") {
		t.Error("what was open is closed, or the keyboard is elsewhere")
	}
	b.looks("live")
	b.inBounds("live")
	r.Ended, r.Process = time.Now(), state.Identity{}
	for _, name := range []string{"first.txt", "second.csv"} {
		info, err := os.Stat(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		r.Results = append(r.Results, record.Result{Path: name, Size: info.Size(), Time: info.ModTime(), Process: "heat.pipe/plate"})
	}
	keep()
	b.until("the end", "document.querySelector('.head .chip')?.innerText === 'finished'")
	b.until("what has written it", fmt.Sprintf("document.querySelector('[aria-label=Results]').innerText.includes(%q)", "heat.pipe/plate"))
}
