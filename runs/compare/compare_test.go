package compare

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/runs/record"
)

// chain is a run of a pipeline: source → {left → l.txt, right → r.txt}, as two branches.
func chain(id string, change func(*record.Record)) *record.Record {
	r := &record.Record{
		ID: id, Started: time.Unix(1, 0), Ended: time.Unix(2, 0), Out: "/nowhere/" + id,
		Edges: []record.Edge{{From: "p/source.out", To: "p/left.in"}, {From: "p/source.out", To: "p/right.in"}, {From: "p/left.out", To: "p/l.in"}, {From: "p/right.out", To: "p/r.in"}},
		Settings: []record.Setting{
			{File: "p", Part: "flow", Key: "all:n", Value: "1", At: "p:1:1"}, {File: "p", Part: "flow", Key: "source:n", Value: "1", From: "all:n", Of: []string{"p/source"}},
			{File: "p", Part: "flow", Key: "left:n", Value: "1", At: "p:2:1", Of: []string{"p/left"}}, {File: "p", Part: "flow", Key: "right:n", Value: "1", At: "p:3:1", Of: []string{"p/right"}},
			{File: "p", Part: "flow", Key: "_edge:capacity", Value: "1", Of: []string{"p/_edge"}}, {File: "plan", Part: "launch", Key: "x", Value: "1"},
		},
		Results: []record.Result{{Path: "l.txt", Hash: "1", Process: "p/l"}, {Path: "r.txt", Hash: "1", Process: "p/r"}, {Path: "trace.json", Hash: id}},
	}
	if change != nil {
		change(r)
	}
	return r
}

func set(r *record.Record, key, value string) {
	i := slices.IndexFunc(r.Settings, func(s record.Setting) bool { return s.Key == key })
	r.Settings[i].Value = value
}

func hash(r *record.Record, path, value string) {
	i := slices.IndexFunc(r.Results, func(f record.Result) bool { return f.Path == path })
	r.Results[i].Hash = value
}

func keys(d *Diff, path string) (list []string) {
	for _, r := range d.Results {
		for _, c := range r.Causes {
			if r.Path == path {
				list = append(list, c.Key)
			}
		}
	}
	return list
}

func TestSame(t *testing.T) {
	d := Runs(chain("a", nil), chain("b", nil), nil)
	if !d.Same() || len(d.Settings) > 0 || d.Results[2].State != Measured {
		t.Errorf("%+v, want no difference, and the third result measured", d)
	}
}

// TestTraces: every file in the folder of a trace is measured, even if that is the folder of the results; files beside it are not.
func TestTraces(t *testing.T) {
	side := func(id string, paths ...string) *record.Record {
		r := &record.Record{ID: id, Ended: time.Unix(2, 0)}
		for _, p := range paths {
			r.Results = append(r.Results, record.Result{Path: p, Hash: id})
		}
		return r
	}
	for _, c := range []struct {
		path, trace string
		want        State
	}{
		{"regions.json", "ctf/metadata", Measured}, {"a/b-trace/run", "a/b-trace/ctf/metadata", Measured}, {"a/b-trace/ctf/stream", "a/b-trace/ctf/metadata", Measured},
		{"a/regions.json", "b/ctf/metadata", Differs}, {"a/b-tracer/run", "a/b-trace/ctf/metadata", Differs}, {"x/trace.json", "none", Measured},
	} {
		d := Runs(side("1", c.path, c.trace), side("2", c.path, c.trace), nil)
		if i := slices.IndexFunc(d.Results, func(r Result) bool { return r.Path == c.path }); d.Results[i].State != c.want {
			t.Errorf("`%s` with `%s` is %s, want %s", c.path, c.trace, d.Results[i].State, c.want)
		}
	}
	d := Runs(side("1", "ctf/metadata", "ctf/stream_1"), side("2", "ctf/metadata", "ctf/stream_2"), nil)
	if !d.SameResults() {
		t.Errorf("streams that other processes have written: %+v", d.Results)
	}
	if d = Runs(side("1", "x/ctf/metadata", "x/ctf/stream_1"), side("2", "y"), nil); d.SameResults() {
		t.Errorf("a trace that one run does not have: %+v", d.Results)
	}
}

// TestCauses: only settings with a path to a result can have changed it, and a setting that would also have changed equal results is unlikely.
func TestCauses(t *testing.T) {
	d := Runs(chain("a", nil), chain("b", func(r *record.Record) {
		set(r, "all:n", "2")
		set(r, "source:n", "2")
		set(r, "left:n", "2")
		set(r, "right:n", "2")
		set(r, "_edge:capacity", "2")
		set(r, "x", "2")
		hash(r, "l.txt", "2")
	}), nil)
	if d.Derived != 1 || len(d.Settings) != 5 {
		t.Errorf("%d derived, %+v; want d.Derived = 1 and len(d.Settings) = 5", d.Derived, d.Settings)
	}
	if got := keys(d, "l.txt"); !slices.Equal(got, []string{"left:n", "all:n", "x", "_edge:capacity"}) {
		t.Errorf("causes of l.txt: %v, want %v", got, []string{"left:n", "all:n", "x", "_edge:capacity"})
	}
	if got := keys(d, "r.txt"); got != nil {
		t.Errorf("causes of what is equal: %v, want none", got)
	}
	// If both results differ, one common cause is likelier than two.
	d = Runs(chain("a", nil), chain("b", func(r *record.Record) {
		set(r, "all:n", "2")
		set(r, "source:n", "2")
		set(r, "left:n", "2")
		hash(r, "l.txt", "2")
		hash(r, "r.txt", "2")
	}), nil)
	if got := keys(d, "l.txt"); !slices.Equal(got, []string{"all:n", "left:n"}) {
		t.Errorf("causes of l.txt: %v, want %v", got, []string{"all:n", "left:n"})
	}
}

// TestResults: existing results are compared by content, missing ones by hash.
func TestResults(t *testing.T) {
	out := [2]string{t.TempDir(), t.TempDir()}
	side := func(i int, files map[string]string) *record.Record {
		r := &record.Record{ID: string(rune('a' + i)), Out: out[i]}
		for name, text := range files {
			path := filepath.Join(out[i], name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			f := record.Result{Path: name, Size: info.Size(), Time: info.ModTime()}
			if name != "large.txt" && name != "lost.txt" {
				f.Hash, _ = record.Sum(path)
			}
			r.Results = append(r.Results, f)
		}
		return r
	}
	a := side(0, map[string]string{"same.txt": "1\n", "other.txt": "1\n", "gone.txt": "1\n", "again.txt": "1\n", "left.txt": "1\n", "large.txt": "1\n", "lost.txt": "1\n"})
	b := side(1, map[string]string{"same.txt": "1\n", "other.txt": "2\n", "gone.txt": "2\n", "again.txt": "2\n", "right.txt": "1\n", "large.txt": "1\n", "lost.txt": "1\n"})
	for _, name := range []string{"gone.txt", "lost.txt"} {
		if err := os.Remove(filepath.Join(out[0], name)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(out[0], "again.txt"), "3\n")
	for i, r := range []*record.Record{a, b} { // with the same bytes as the link's target, which no run has written
		r.Results = append(r.Results, record.Result{Path: "link.txt", Size: 2, Hash: string(rune('1' + i))}, record.Result{Path: "to/link.txt", Size: 2, Hash: string(rune('1' + i))},
			record.Result{Path: "../up.txt", Size: 2, Hash: string(rune('1' + i))})
		secret := t.TempDir()
		write(t, filepath.Join(secret, "link.txt"), "1\n")
		write(t, filepath.Join(filepath.Dir(out[i]), "up.txt"), "1\n")
		for _, err := range []error{os.Symlink(filepath.Join(secret, "link.txt"), filepath.Join(out[i], "link.txt")), os.Symlink(secret, filepath.Join(out[i], "to"))} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	d := Runs(a, b, nil)
	got := map[string]Result{}
	for _, r := range d.Results {
		got[r.Path] = r
	}
	for path, want := range map[string]State{
		"same.txt": Equal, "other.txt": Differs, "gone.txt": Differs, "again.txt": Differs, "left.txt": OnlyA, "right.txt": OnlyB, "large.txt": Equal, "lost.txt": Unknown,
	} {
		if got[path].State != want {
			t.Errorf("%s: %s, not %s", path, got[path].State, want)
		}
	}
	if len(got["other.txt"].How) != 1 || got["gone.txt"].Note != "of run a it is gone, so only its hash is compared" ||
		got["again.txt"].Note != "of run a it was written again since, so only its hash is compared" {
		t.Errorf("%+v, want len(got[\"other.txt\"].How) = 1, got[\"gone.txt\"].Note = %q and got[\"again.txt\"].Note = %q", got, "of run a it is gone, so only its hash is compared", "of run a it was written again since, so only its hash is compared")
	}
	for _, path := range []string{"link.txt", "to/link.txt"} {
		if r := got[path]; r.State != Differs || r.Note != "of run a it is a link now, so only its hash is compared" || len(r.How) > 0 {
			t.Errorf("%+v, want r.State = %v, r.Note = %q and len(r.How) at most 0", r, Differs, "of run a it is a link now, so only its hash is compared")
		}
	}
	if r := got["../up.txt"]; r.Note != "of run a it is gone, so only its hash is compared" {
		t.Errorf("%+v, want %q", r, "of run a it is gone, so only its hash is compared")
	}
}

// TestMany: if many results of a process differ, the first are compared by content, the others by hash.
func TestMany(t *testing.T) {
	run := func(id, hash string) *record.Record {
		r := &record.Record{ID: id, Out: "/nowhere/" + id}
		for i := range maxDetailed + 2 {
			r.Results = append(r.Results, record.Result{Path: string(rune('a' + i)), Hash: hash, Process: "p/w"})
		}
		return r
	}
	for i, r := range Runs(run("a", "1"), run("b", "2"), nil).Results {
		if others := r.Note == "not compared by content, like other results of its process"; r.State != Differs || others != (i >= maxDetailed) {
			t.Errorf("%d: %+v, want r.State = %v and others = %v", i, r, Differs, (i >= maxDetailed))
		}
	}
}

// TestFigures: counts differ or not; times differ only if the difference is larger than between runs of the same meaning.
func TestFigures(t *testing.T) {
	run := func(id, meaning string, steps, seconds float64) *record.Record {
		return &record.Record{ID: id, Fingerprints: map[string]string{seal.Whole: meaning}, Stats: []record.Figure{{Name: "steps", Value: steps}, {Name: "time", Value: seconds, Unit: "s"}}}
	}
	names := func(d *Diff) (list []string) {
		for _, f := range d.Figures {
			list = append(list, f.Name)
		}
		return list
	}
	for i, c := range []struct {
		a, b   *record.Record
		others []*record.Record
		want   []string
	}{
		{run("a", "x", 5, 1), run("b", "y", 5, 1.3), nil, nil},
		{run("a", "x", 5, 1), run("b", "y", 6, 1.7), nil, []string{"steps", "time"}},
		{run("a", "x", 5, .001), run("b", "y", 5, .01), nil, nil}, // too short to mean anything
		{run("a", "x", 5, 1), run("b", "y", 5, 1.3), []*record.Record{run("c", "x", 5, 1.1), run("d", "x", 5, 1.05), run("e", "y", 5, 1.2), run("f", "y", 5, 1.25)}, []string{"time"}},
		{run("a", "x", 5, 1), run("b", "y", 5, 1.7), []*record.Record{run("c", "x", 5, 1.9), run("d", "x", 5, 1.05), run("e", "y", 5, 1.2), run("f", "y", 5, 1.25)}, nil},
	} {
		if got := names(Runs(c.a, c.b, c.others)); !slices.Equal(got, c.want) {
			t.Errorf("%d: %v, not %v", i, got, c.want)
		}
	}
}

func TestOthers(t *testing.T) {
	run := func(n string) *record.Record {
		return &record.Record{
			Target: n, Host: record.Host{Name: n, System: "linux/amd64"}, Programs: []record.Program{{Path: "/p", BuildID: n}}, Inputs: []record.File{{Path: "/in", Hash: n}}, Env: map[string]string{"V": n},
		}
	}
	want := []string{
		"the target was `a` and is now `b`", "the machine was `a` (linux/amd64) and is now `b` (linux/amd64)", "the program `/p` was rebuilt", "the input `/in` has other data", "the variable `V` was `a` and is now `b`",
	}
	if d := Runs(run("a"), run("b"), nil); !slices.Equal(d.Others, want) || d.Same() {
		t.Errorf("%q, want %q, and a difference", d.Others, want)
	}
	if d := Runs(run("a"), run("a"), nil); len(d.Others) > 0 {
		t.Errorf("%q, want at most 0", d.Others)
	}
}
