package web

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/runs/record"
)

// TestOrigin: a result shows its origin: the path of its data, and each setting on that path with its line and its old and current
// value. Files outside of the folder are not read.
func TestOrigin(t *testing.T) {
	h := newHistory(t)
	outside := filepath.Join(h.out, "x.pipe")
	if err := os.WriteFile(outside, []byte(numbersPipe), 0o644); err != nil {
		t.Fatal(err)
	}
	h.keep("r1", []record.Result{h.leave("n.csv", "1\n"), {Path: "gone.csv"}}, func(r *record.Record) {
		r.Edges = []record.Edge{{From: "a.pipe/a.number", To: "a.pipe/b.number"}, {From: "a.pipe/c.number", To: "a.pipe/d.number"}}
		r.Files = []record.File{{Path: filepath.Join(h.dir, "a.pipe")}, {Path: outside}}
		r.Inputs = []record.File{{Path: filepath.Join(h.dir, "lost.csv"), Size: 3}}
		r.Parents = []string{"r0"}
		r.Settings = []record.Setting{
			{File: "a.pipe", Key: "a:end", Value: "77", At: "a.pipe:4:3", Of: []string{"a.pipe/a"}},
			{File: "a.pipe", Key: "c:end", Value: "1", At: "a.pipe:9:3", Of: []string{"a.pipe/c"}},
			{File: "x.pipe", Key: "a:end", Value: "2", At: outside + ":4:3"},
		}
	})
	o := get[originAnswer](h, 200, "origin", "run", "r1", "path", "n.csv")
	if o.Process != "a.pipe/b" || o.Edge != "a.number" || !slices.Equal(o.Way, []string{"a.pipe/a"}) || !slices.Equal(o.Parents, []string{"r0"}) || len(o.Missing) > 0 {
		t.Errorf("%+v, want a.pipe/b by a.number, the way over a.pipe/a, the parent r0 and nothing missing", o)
	}
	if len(o.Inputs) != 1 || o.Inputs[0].State != record.Gone {
		t.Errorf("the inputs are %+v, want one, which is %v", o.Inputs, record.Gone)
	}
	if len(o.Settings) != 2 {
		t.Fatalf("the settings are %+v, want 2", o.Settings)
	}
	if s := o.Settings[0]; s.Key != "a:end" || s.Value != "77" || s.State != record.Changed || s.Now == "" || s.placeEntry != (placeEntry{filepath.Join(h.dir, "a.pipe"), 4}) || s.Whole {
		t.Errorf("the setting of the source is %+v, want a:end = 77, changed, with its value now, at line 4 of a.pipe and not of the whole run", s)
	}
	if s := o.Settings[1]; s.File != "x.pipe" || s.State != record.Unknown || s.Now != "" || !s.Whole || s.placeEntry != (placeEntry{}) {
		t.Errorf("the setting of a file outside is %+v, want it of x.pipe, its state unknown, no value now, no place, and of the whole run", s)
	}
	if o := get[originAnswer](h, 200, "origin", "run", "r1", "path", "gone.csv"); o.Process != "" || len(o.Settings) != 3 || len(o.Missing) != 1 || !strings.Contains(o.Missing[0], "not known") {
		t.Errorf("a result of nobody: %+v", o)
	}
	for _, query := range [][]string{{"run", "r1", "path", "../a.pipe"}, {"run", "r1"}, {"run", "r2", "path", "n.csv"}} {
		get[map[string]any](h, 404, "origin", query...)
	}
}
