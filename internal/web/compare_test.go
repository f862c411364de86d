package web

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/runs/record"
)

// later sets the start of a run to some hours after the first run.
func later(hours int, r *record.Record) { r.Started = begun.Add(time.Duration(hours) * time.Hour) }

// settings returns settings of a.pipe with the given values, on lines from 1 on.
func settings(values ...string) (list []record.Setting) {
	for i, v := range values {
		list = append(list, record.Setting{File: "a.pipe", Part: "flow", Key: fmt.Sprintf("a:k%d", i+1), Value: v, At: fmt.Sprintf("a.pipe:%d:3", i+1), Of: []string{"a.pipe/a"}})
	}
	return list
}

// TestChangedSettings: in the list, each run has the settings that differ from the previous run of the same file, with the lines that set
// them in both.
func TestChangedSettings(t *testing.T) {
	h := newHistory(t)
	h.keep("r1", nil, func(r *record.Record) { r.Settings = settings("1", "1", "1", "1", "1") })
	h.keep("other", nil, func(r *record.Record) { later(1, r); r.Paths = []string{filepath.Join(h.dir, "b.pipe")} })
	h.keep("plan", nil, func(r *record.Record) { later(2, r); r.Kind = record.Plan })
	h.keep("r2", nil, func(r *record.Record) { later(3, r); r.Settings = settings("1", "2", "1", "1", "1") })
	h.keep("r3", nil, func(r *record.Record) { later(4, r); r.Settings = settings("1", "2", "1", "1", "1") })
	h.keep("r4", nil, func(r *record.Record) { later(5, r); r.Settings = settings("9", "9", "9", "9") })
	var got []string
	for _, r := range get[[]recordEntry](h, 200, "records") {
		line := fmt.Sprintf("%s after %s: %d", r.Run, r.Before, r.Changed)
		for _, c := range r.Changes {
			line += fmt.Sprintf(" %s %s>%s %d", c.Key, c.Was, c.Is, c.IsPlace.Line)
		}
		got = append(got, line)
	}
	want := []string{"r4 after r3: 5 a:k1 1>9 1 a:k2 2>9 2 a:k3 1>9 3", "r3 after r2: 0", "r2 after r1: 1 a:k2 1>2 2", "plan after : 0", "other after : 0", "r1 after : 0"}
	if !slices.Equal(got, want) {
		t.Errorf("the runs are\n%s\nwant %v", strings.Join(got, "\n"), want)
	}
	if one := get[recordAnswer](h, 200, "record", "run", "r4"); one.Before != "r3" || one.Changed != 5 {
		t.Errorf("one run has %q before it, and %d changed settings", one.Before, one.Changed)
	}
}

// grey returns a picture of 16 points, the first of which have the given tone.
func grey(t *testing.T, tone uint8, points int) string {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 4, 4))
	for i := range points {
		img.Pix[i] = tone
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCompare: the page compares two runs of the folder as `runs diff` does, and adds the lines of their settings.
func TestCompare(t *testing.T) {
	h := newHistory(t)
	first := h.out
	keep := func(id string, hours int, setting, table, tone string) {
		h.out = filepath.Join(first, id)
		list := []record.Result{h.leave("n.csv", table), h.leave("same.txt", "x\n"), h.leave("p_1.png", tone), h.leave("trace.json", id)}
		for i := range list {
			sum, err := record.Sum(filepath.Join(h.out, list[i].Path))
			if err != nil {
				t.Fatal(err)
			}
			list[i].Hash = sum
		}
		h.keep(id, list, func(r *record.Record) {
			later(hours, r)
			r.Settings, r.Edges = settings(setting, "same"), []record.Edge{{From: "a.pipe/a.number", To: "a.pipe/b.sink"}}
			r.Host, r.Stats = record.Host{Name: id}, []record.Figure{{Name: "steps", Value: float64(hours)}}
		})
	}
	keep("r1", 0, "5", "1\n2\n", grey(t, 0, 0))
	keep("r2", 1, "6", "1\n3\n", grey(t, 128, 4))
	d := get[compareAnswer](h, 200, "compare", "run", "r1", "with", "r2")
	line := placeEntry{filepath.Join(h.dir, "a.pipe"), 1}
	if len(d.Settings) != 1 || d.Settings[0].Was != "5" || d.Settings[0].Is != "6" || d.Settings[0].WasPlace != line || d.Settings[0].IsPlace != line {
		t.Errorf("the settings are %+v, want one, 5 that became 6, both at %v", d.Settings, line)
	}
	var got []string
	for _, r := range d.Results {
		text := fmt.Sprintf("%s %s %s %s:", r.Path, r.State, r.Shows, r.Series)
		for _, how := range r.How {
			text += " " + how.What
		}
		for _, c := range r.Causes {
			text += fmt.Sprintf(" by %s %d", c.Key, c.Line)
		}
		got = append(got, text)
	}
	want := []string{"n.csv differs table n.csv: 1 of 2 rows, first row 2: `2` and `3` by a:k1 1", "p_1.png differs picture p_.png: 4 of 16 points differ, by at most 0.5 of the range by a:k1 1"}
	if !slices.Equal(got, want) {
		t.Errorf("the results are\n%s\nwant %v", strings.Join(got, "\n"), want)
	}
	if d.Differ != 2 || d.Equal != 1 || d.Measured != 1 || d.A.Run != "r1" || d.B.Run != "r2" || len(d.Others) != 1 || len(d.Figures) != 1 || d.Figures[0].Is != 1 {
		t.Errorf("besides there is %+v, want r1 and r2, 2 results that differ, 1 equal, 1 measured, one of the others, and one figure that is 1", d)
	}
	if d := get[compareAnswer](h, 200, "compare", "run", "r1", "with", "r1"); d.Differ != 0 || len(d.Settings)+len(d.Others) > 0 || d.Equal != 4 {
		t.Errorf("a run differs from itself: %+v", d)
	}
	h.keep("elsewhere", nil, func(r *record.Record) { r.Paths = []string{filepath.Join(h.out, "a.pipe")} })
	for _, pair := range [][2]string{{"r1", "elsewhere"}, {"elsewhere", "r1"}, {"r1", ""}, {"", ""}, {"../r1", "r1"}, {"r1", "r\x001"}} {
		if no := get[map[string]string](h, 404, "compare", "run", pair[0], "with", pair[1]); !strings.Contains(no["error"], "is recorded in this folder") {
			t.Errorf("%q: %v, want %q in it", pair, no, "is recorded in this folder")
		}
	}

	// The target of a link is not read.
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("1\n7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Remove(filepath.Join(h.out, "n.csv")), os.Symlink(secret, filepath.Join(h.out, "n.csv"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if r := get[compareAnswer](h, 200, "compare", "run", "r1", "with", "r2").Results[0]; r.Path != "n.csv" || len(r.How) > 0 || !strings.Contains(r.Note, "is a link now") {
		t.Errorf("a link: %+v, want n.csv, nothing of how it differs, and the note %q", r, "is a link now")
	}
}
