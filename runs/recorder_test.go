package runs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/compare"
	"github.com/pentode-dev/pentode/runs/record"
)

// branches is a pipeline with several branches from one source: each thins out numbers, repeats them, and writes them to a file.
type branches struct {
	settings map[string]int
	n        int
}

func (b branches) text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "config _edge\n  capacity = %d\nprocess source :: numbers\n  end = %d\n", b.settings["_edge:capacity"], b.settings["source:end"])
	for i := range b.n {
		skip, twice := fmt.Sprintf("skip%d", i), fmt.Sprintf("twice%d", i)
		fmt.Fprintf(&s, "process %s :: skip\n  skip = %d\n  offset = %d\nprocess %s :: duplicate\n  copies = %d\nprocess write%d :: print_number\n  output = out%d.txt\n",
			skip, b.settings[skip+":skip"], b.settings[skip+":offset"], twice, b.settings[twice+":copies"], i, i)
		fmt.Fprintf(&s, "connect from source.number to %s.input\nconnect from %s.output to %s.input\nconnect from %s.duplicate to write%d.number\n", skip, skip, twice, twice, i)
	}
	return s.String()
}

// recorded runs a pipeline and returns its record.
func recorded(t *testing.T, dir, name, text string) *record.Record {
	t.Helper()
	path := filepath.Join(dir, "p.pipe")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w := runs.NewWorkspace()
	c, err := w.Config(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runs.Pipeline(context.Background(), c, runs.Options{Workspace: w, Results: filepath.Join(dir, name), Record: &runs.Recording{Paths: []string{path}}}); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	store, err := record.Here()
	if err != nil {
		t.Fatal(err)
	}
	list, err := store.List()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(r *record.Record) bool { return r.Out == filepath.Join(dir, name) })
	if i < 0 {
		t.Fatalf("no record of %s among %d", name, len(list))
	}
	return list[i]
}

// TestPlantedCause: of five changed settings, only one can cause the change in a branch's output; it comes first, and settings of other branches are
// not listed.
func TestPlantedCause(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	need.Rounds(t, 50, func(t *testing.T, round int) {
		random := rand.New(rand.NewPCG(40, uint64(round)))
		b := branches{map[string]int{"_edge:capacity": 10, "source:end": 400}, 4}
		for i := range b.n {
			b.settings[fmt.Sprintf("skip%d:skip", i)], b.settings[fmt.Sprintf("skip%d:offset", i)] = 3, 1
			b.settings[fmt.Sprintf("twice%d:copies", i)] = 1
		}
		dir := t.TempDir()
		before := recorded(t, dir, "before", b.text())
		hit := random.IntN(b.n)
		causes := []string{fmt.Sprintf("skip%d:skip", hit), fmt.Sprintf("skip%d:offset", hit), fmt.Sprintf("twice%d:copies", hit)}
		cause := causes[random.IntN(len(causes))]
		changed := []string{cause}
		if random.IntN(2) == 0 {
			changed = append(changed, "_edge:capacity")
		}
		for len(changed) < 5 { // the other changes affect other branches
			i := random.IntN(b.n)
			key := []string{fmt.Sprintf("skip%d:skip", i), fmt.Sprintf("skip%d:offset", i), fmt.Sprintf("twice%d:copies", i)}[random.IntN(3)]
			if i != hit && !slices.Contains(changed, key) {
				changed = append(changed, key)
			}
		}
		for _, key := range changed {
			b.settings[key]++
		}
		d := compare.Runs(before, recorded(t, dir, "after", b.text()), nil)
		if len(d.Settings) != 5 {
			t.Fatalf("%d settings differ, not 5: %+v", len(d.Settings), d.Settings)
		}
		i := slices.IndexFunc(d.Results, func(r compare.Result) bool { return r.Path == fmt.Sprintf("out%d.txt", hit) })
		if i < 0 || d.Results[i].State != compare.Differs {
			t.Fatalf("%v did not change branch %d: %+v", changed, hit, d.Results)
		}
		for n, c := range d.Results[i].Causes {
			if n == 0 && c.Key != cause || n > 0 && c.Key != "_edge:capacity" {
				t.Errorf("%v: cause %d is %s, not %s", changed, n, c.Key, cause)
			}
		}
		if len(d.Results[i].Causes) == 0 {
			t.Errorf("%v: no cause", changed)
		}
	})
}

// TestSourceIsTheCause: a setting that affects all branches is likelier than a setting that affects one.
func TestSourceIsTheCause(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	b := branches{map[string]int{"_edge:capacity": 10, "source:end": 40}, 2}
	dir := t.TempDir()
	before := recorded(t, dir, "before", b.text())
	if len(before.Results) != 2 || before.Results[0].Process != "p.pipe/write0" || before.Results[0].Edge != "twice0.duplicate" || before.Results[0].Hash == "" {
		t.Errorf("%+v, want len(before.Results) = 2, before.Results[0].Process = %q, before.Results[0].Edge = %q and before.Results[0].Hash other than nothing", before.Results, "p.pipe/write0", "twice0.duplicate")
	}
	b.settings["source:end"], b.settings["skip0:offset"] = 50, 0
	d := compare.Runs(before, recorded(t, dir, "after", b.text()), nil)
	for _, r := range d.Results {
		if len(r.Causes) == 0 || r.Causes[0].Key != "source:end" {
			t.Errorf("%s: %+v, want len(r.Causes) other than 0 and r.Causes[0].Key = %q", r.Path, r.Causes, "source:end")
		}
	}
}

// TestUnrecorded: nothing is recorded unless requested, and a program that is part of a run records nothing.
func TestUnrecorded(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	dir := t.TempDir()
	path := filepath.Join(dir, "p.pipe")
	if err := os.WriteFile(path, []byte("process a :: numbers\n  end = 3\nprocess w :: sink\nconnect from a.number to w.sink\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"", "20260101-000000-abcdef"} {
		w := runs.NewWorkspace()
		c, err := w.Config(path)
		if err != nil {
			t.Fatal(err)
		}
		o := runs.Options{Workspace: w, Results: filepath.Join(dir, "out")}
		if run != "" {
			t.Setenv("PENTODE_RUN", run)
			o.Record = &runs.Recording{}
		}
		if _, err := runs.Pipeline(context.Background(), c, o); err != nil {
			t.Fatal(err)
		}
	}
	store, err := record.Here()
	if err != nil {
		t.Fatal(err)
	}
	if list, err := store.List(); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
}
