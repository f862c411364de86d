package workspace_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/workspace"
)

const misspelt = "[OpenMP.default]\n    omp_wrok = on\n"

// TestDraft fixes a file. The workspace has the new text immediately, the disk
// after Write.
func TestDraft(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.pinsight", []byte(misspelt), 0o600); err != nil {
		t.Fatal(err)
	}
	w := open(t, source.Disk{})
	c, err := w.Config("a.pinsight")
	if err != nil {
		t.Fatal(err)
	}
	draft := w.Draft()
	fixed, err := draft.Fix(c)
	if err != nil || fixed.Made != 1 || fixed.Refused != 0 || len(fixed.Config.Diagnostics()) > 0 {
		t.Fatalf("%+v, %v", fixed, err)
	}
	want := strings.ReplaceAll(misspelt, "wrok", "work")
	if d, err := w.Open("a.pinsight"); err != nil || d.File.Text() != want {
		t.Errorf("the workspace has %q, %v", d.File.Text(), err)
	}
	if text, _ := os.ReadFile("a.pinsight"); string(text) != misspelt {
		t.Errorf("the disk has %q before Write", text)
	}
	if err := draft.Write(); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile("a.pinsight"); string(text) != want {
		t.Errorf("the disk has %q after Write", text)
	}
}

// TestFixOfAHeader: when a header is fixed, the settings below it get other names
// and places. All are kept.
func TestFixOfAHeader(t *testing.T) {
	const text = "[Optimzation]\nLevel = 2\n[Optimzation]\nSizeOptimization = false\n"
	w := open(t, source.Map{"a.coilcfg": text})
	c, err := w.Config("a.coilcfg")
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := w.Draft().Fix(c)
	if err != nil || fixed.Refused != 0 {
		t.Errorf("%+v, %v", fixed, err)
	}
	if got, want := fixed.Config.Document.File.Text(), strings.ReplaceAll(text, "Optimzation", "Optimization"); got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}

// TestKnownNamesAreKept: a word that a language knows is not fixed, whether it is
// a name of the same language or of another.
func TestKnownNamesAreKept(t *testing.T) {
	solver, err := pinsight.Builtin().With(strings.NewReader(`{"domains": [{"name": "Solver", "groups": [{"name": "step", "events": [{"name": "omp_wrok"}]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, languages := range map[string][]*lang.Language{
		"an event of another domain":         {pinsight.New(pinsight.Options{Catalog: solver})},
		"a process type of another language": {pinsight.New(pinsight.Options{}), sprokit.New(sprokit.Options{Types: pipe.NewRegistry(&pipe.Type{Name: "omp_wrok"})})},
	} {
		w := workspace.New(languages, &load.Env{Opener: source.Map{"a.pinsight": misspelt}, Dir: "."})
		c, err := w.Config("a.pinsight")
		if err != nil {
			t.Fatal(err)
		}
		if list := c.Diagnostics(); len(list) != 1 || len(list[0].Help) == 0 {
			t.Errorf("%s: the suggestion is missing: %v", name, list)
		}
		if fixed, err := w.Draft().Fix(c); err != nil || fixed.Made != 0 {
			t.Errorf("%s: %+v, %v", name, fixed, err)
		}
	}
}

// TestWriteAllOrNone: if one file has changed in the meantime, the other stays as
// it is.
func TestWriteAllOrNone(t *testing.T) {
	t.Chdir(t.TempDir())
	var changes []source.Change
	for _, path := range []string{"a", "b"} {
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		changes = append(changes, source.Change{File: source.NewFile(path, "old"), Text: "new"})
	}
	if err := os.WriteFile("b", []byte("meanwhile"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := workspace.Write(changes...); err == nil || !strings.Contains(err.Error(), "`b` cannot be written and stays as it is: it was changed meanwhile") {
		t.Error(err)
	}
	if text, _ := os.ReadFile("a"); string(text) != "old" {
		t.Errorf("a has %q, want %q", text, "old")
	}
	if left, _ := os.ReadDir("."); len(left) != 2 {
		t.Errorf("%d files are left", len(left))
	}
}
