package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/workspace"
)

func open(t *testing.T, opener source.Opener) *workspace.Workspace {
	t.Helper()
	languages := all.Languages(all.Options{})
	return workspace.New(languages, &load.Env{Opener: opener, Dir: "."})
}

// TestLanguageOfAFile: the name decides, else the content.
func TestLanguageOfAFile(t *testing.T) {
	w := open(t, source.Map{
		"a.pinsight":           "",
		"my_trace_config.txt":  "",
		"a.coilcfg":            "",
		"a.psdl":               "",
		"a.pipe":               "",
		"a.cluster":            "",
		"heat.yml":             "data:\n  x: int\nmetadata:\n  n: int\n",
		"compose.yml":          "services:\n  web:\n    image: nginx\n",
		"notes.txt":            "dear diary\n",
		"events":               "[Lexgion.default]\n    tracing_rate = 3\n",
		"OpenMP_trace.install": "[OpenMP(workshare).default]\n    omp_work = on\n",
	})
	for path, want := range map[string]string{
		"a.pinsight": "pinsight", "my_trace_config.txt": "pinsight", "a.coilcfg": "coil", "a.psdl": "paradyn",
		"a.pipe": "sprokit", "a.cluster": "sprokit", "heat.yml": "pdi", "compose.yml": "", "notes.txt": "",
		"events": "pinsight", "OpenMP_trace.install": "pinsight",
	} {
		d, err := w.Open(path)
		var unknown *workspace.UnknownLanguage
		switch {
		case want == "" && !errors.As(err, &unknown):
			t.Errorf("%s: expected no language, got %v", path, err)
		case want != "" && err != nil:
			t.Errorf("%s: %v", path, err)
		case want != "" && d.Language.Name != want:
			t.Errorf("%s is %s, want %s", path, d.Language.Name, want)
		}
	}
}

func TestDocumentsAreParsedOnce(t *testing.T) {
	over := &source.Overlay{Under: source.Map{"a.pinsight": "[OpenMP.default]\n"}}
	w := open(t, over)
	first, err := w.Open("a.pinsight")
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := w.Open("a.pinsight"); again != first {
		t.Error("the same text was parsed twice")
	}
	over.Set("a.pinsight", "[MPI.default]\n")
	if changed, _ := w.Open("a.pinsight"); changed == first {
		t.Error("the text of the editor was not used")
	}
}

func TestWalkPassesOver(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"b.pipe", "a.pinsight", "sub/c.psdl", ".git/x.pipe", "notes.md", "data.yml"} {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("- not ours\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := open(t, source.Disk{}).Walk(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i], _ = filepath.Rel(dir, got[i])
	}
	if s := strings.Join(got, " "); s != "a.pinsight b.pipe sub/c.psdl" {
		t.Errorf("%v; want %q", s, "a.pinsight b.pipe sub/c.psdl")
	}
}

// TestInside: if only one folder may be read, a file outside of it is not opened.
func TestInside(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "secret.conf"), "config n\n  word = open sesame\n")
	inner := filepath.Join(dir, "inner")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(inner, "a.pipe")
	put(t, path, "include ../secret.conf\nprocess a\n  :: sink\n")
	for _, inside := range [][]string{nil, {inner}} {
		w := workspace.New(all.Languages(all.Options{}), &load.Env{Opener: source.Disk{}, Dir: inner})
		w.Inside = inside
		read := false
		for e := range config(t, w, path).Values() {
			read = read || e.Value == "open sesame"
		}
		if read != (inside == nil) {
			t.Errorf("inside %q the file beside it was read: %v, want %v", inside, read, (inside == nil))
		}
	}
}

func TestRefused(t *testing.T) {
	w := open(t, source.Disk{MaxSize: 3})
	path := filepath.Join(t.TempDir(), "a.pipe")
	if err := os.WriteFile(path, []byte("process"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := w.Open(path)
	if d := workspace.Refused(path, err); d == nil || d.Code != lang.TooLarge || d.Span.String() != path+":1:1" || d.Span.Len() != 0 {
		t.Errorf("%v is not the finding of a file over the limit, at its beginning: %v", err, d)
	}
	if d := workspace.Refused(path, os.ErrNotExist); d != nil {
		t.Error("got a finding for a missing file")
	}
}

// TestUnreadable checks that an unreadable file gives an error, an unreadable
// folder a warning, because it may be empty, and a file without a known language
// nothing.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	if d := workspace.Unreadable(dir, os.ErrPermission); d == nil || d.Severity != diag.Warning || d.Code != lang.Unreadable {
		t.Errorf("a folder: %v, want a warning of unreadable", d)
	}
	path := filepath.Join(dir, "a.pipe")
	if d := workspace.Unreadable(path, os.ErrPermission); d == nil || d.Severity != diag.Error || d.Code != lang.Unreadable || d.Span.String() != path+":1:1" || d.Span.Len() != 0 {
		t.Errorf("a file: %v, want an error of unreadable at the beginning of %s", d, path)
	}
	if d := workspace.Unreadable(filepath.Join(dir, "a.txt"), &workspace.UnknownLanguage{}); d != nil {
		t.Errorf("a file of no language: %v", d)
	}
}

// TestFoldersThatCannotBeRead: such folders are a warning, since they may be empty.
func TestFoldersThatCannotBeRead(t *testing.T) {
	need.NoRoot(t)
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0); err != nil {
		t.Fatal(err)
	}
	w := open(t, source.Disk{})
	paths, err := w.Walk(dir)
	if err != nil || len(paths) != 1 || paths[0] != closed {
		t.Fatalf("%v, %v", paths, err)
	}
	_, err = w.Open(closed)
	if d := workspace.Unreadable(closed, err); d == nil || d.Severity != diag.Warning {
		t.Errorf("%v: %v", err, d)
	}
}
