package web

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
)

// TestRunningResults: for a live run, the page lists only the files written since the run started; for a killed run, it lists none.
func TestRunningResults(t *testing.T) {
	h := newHistory(t)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	good := pngOf(t, 4)
	for _, name := range []string{"a_1.png", "in/a.txt", "old.png", ".git/hidden.txt"} {
		h.leave(name, good)
	}
	if err := os.Chtimes(filepath.Join(h.out, "old.png"), begun.Add(-time.Hour), begun.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a_1.png", filepath.Join(h.out, "link.png")); err != nil {
		t.Fatal(err)
	}
	goesOn := func(r *record.Record) { r.Ended, r.Host.Name, r.Process = time.Time{}, host, state.Self() }
	h.keep("r1", nil, goesOn)
	files := func(run string) (list []string) {
		for _, f := range get[recordAnswer](h, 200, "record", "run", run).Files {
			list = append(list, f.Path)
		}
		return list
	}
	if got := files("r1"); !slices.Equal(got, []string{"a_1.png", "in/a.txt"}) {
		t.Errorf("it has written %q, want %v", got, []string{"a_1.png", "in/a.txt"})
	}
	h.leave("a_2.png", good)
	if got := files("r1"); !slices.Equal(got, []string{"a_1.png", "a_2.png", "in/a.txt"}) {
		t.Errorf("then it has written %q, want %v", got, []string{"a_1.png", "a_2.png", "in/a.txt"})
	}
	for path, status := range map[string]int{"a_2.png": 200, "old.png": 404, "link.png": 404, ".git/hidden.txt": 404, "../a_1.png": 404} {
		if w := ask(h.page, "GET", address("result-picture", "run", "r1", "path", path), "", nil); w.Code != status {
			t.Errorf("%s: %d %.100s, want %v", path, w.Code, w.Body, status)
		}
	}
	h.keep("r2", nil, func(r *record.Record) { goesOn(r); r.Process.Start-- }) // another process has the process ID now
	if got := files("r2"); got != nil {
		t.Errorf("a run that was killed shows %q, want none", got)
	}
}
