package workspace_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/workspace"
)

// disk returns a folder with files and a session over it.
func disk(t *testing.T, files map[string]string) (dir string, w *workspace.Workspace, s *workspace.Session) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	w = workspace.New(all.Languages(all.Options{}), &load.Env{Opener: source.Disk{}, Dir: dir})
	return dir, w, w.Session()
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func config(t *testing.T, w *workspace.Workspace, path string) *lang.Config {
	t.Helper()
	c, err := w.Config(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSessionKeeps: a configuration is made once and made again when a file that
// it needs changes, in an editor or on the disk, or is created.
func TestSessionKeeps(t *testing.T) {
	dir, w, s := disk(t, map[string]string{"a.pipe": "include part.conf\nprocess a\n  :: sink\n"})
	path, part := filepath.Join(dir, "a.pipe"), filepath.Join(dir, "part.conf")
	first := config(t, w, path)
	if config(t, w, path) != first {
		t.Error("the configuration was made again without a change")
	}
	changed := func(what string) {
		t.Helper()
		next := config(t, w, path)
		if next == first {
			t.Errorf("%s: the configuration was not made again", what)
		}
		if first = next; config(t, w, path) != first {
			t.Errorf("%s: the configuration was made twice", what)
		}
	}
	put(t, part, "config n\n  a = 1\n")
	changed("an included file came to exist")
	s.Set(part, "config n\n  a = 2\n")
	changed("an editor has another text")
	s.Release(part)
	changed("the editor has closed it")
	put(t, part, "config n\n  a = 1234\n")
	changed("the file has another text")
	put(t, part, "config n\n  a = 4321\n")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(part, later, later); err != nil {
		t.Fatal(err)
	}
	changed("the file has another text of the same size")
	put(t, part, "config n\n  a = 43210\n")
	if err := os.Chtimes(part, later, later); err != nil {
		t.Fatal(err)
	}
	changed("the file has a longer text of the same time")
	if err := os.Chtimes(part, later, later.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if config(t, w, path) != first {
		t.Error("the configuration was made again after its file was only touched")
	}
	if err := os.Remove(part); err != nil {
		t.Fatal(err)
	}
	changed("the file is gone")
	s.Relist()
	changed("folders are to be read again")
}

// counted counts how often files are read.
type counted struct {
	source.Opener
	reads map[string]int
}

func (c counted) Open(path string) (*source.File, error) {
	c.reads[filepath.Base(path)]++
	return c.Opener.Open(path)
}

// TestSessionReadsOnce: a file on the disk is read again only when it has
// changed.
func TestSessionReadsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pipe")
	put(t, path, "process a\n  :: sink\n")
	files := counted{source.Disk{}, map[string]int{}}
	s := workspace.New(all.Languages(all.Options{}), &load.Env{Opener: files}).Session()
	for want, text := range []string{1: "process a\n  :: sink\n", 2: "process later\n  :: sink\n"} {
		if text == "" {
			continue
		}
		put(t, path, text)
		for range 3 {
			if f, err := s.Open(path); err != nil || f.Text() != text {
				t.Fatalf("%v, %v", f, err)
			}
		}
		if files.reads["a.pipe"] != want {
			t.Errorf("it was read %d times, want %d", files.reads["a.pipe"], want)
		}
	}
}

// TestSessionIncluders checks which documents are returned as includers of a
// file. They must have the language of the file.
func TestSessionIncluders(t *testing.T) {
	dir, w, s := disk(t, map[string]string{
		"common.conf": "config n\n  a = 1\n", "a.pipe": "include common.conf\n", "b.pipe": "include common.conf\n", "c.pipe": "process c\n  :: sink\n",
	})
	var names []string
	for _, name := range []string{"a.pipe", "b.pipe", "c.pipe", "common.conf"} {
		config(t, w, filepath.Join(dir, name))
	}
	for _, path := range s.Includers(filepath.Join(dir, "common.conf")) {
		names = append(names, filepath.Base(path))
	}
	if !slices.Equal(names, []string{"a.pipe", "b.pipe"}) {
		t.Errorf("%v, want %v", names, []string{"a.pipe", "b.pipe"})
	}
	s.Set(filepath.Join(dir, "b.pipe"), "process b\n  :: sink\n")
	config(t, w, filepath.Join(dir, "b.pipe"))
	if n := len(s.Includers(filepath.Join(dir, "common.conf"))); n != 1 {
		t.Errorf("%d documents include it after one does no more", n)
	}
}

// TestSessionLayers: a file that the search of its language finds is a layer over
// the files found before it. Any other file stands alone.
func TestSessionLayers(t *testing.T) {
	dir := t.TempDir()
	system, own, other := filepath.Join(dir, "root", "sample.psdl"), filepath.Join(dir, "sample.psdl"), filepath.Join(dir, "other.psdl")
	if err := os.Mkdir(filepath.Dir(system), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, system, "tunable_constant \"maxEval\" 1;\n")
	put(t, own, "tunable_constant \"maxEval\" 2;\n")
	put(t, other, "tunable_constant \"maxEval\" 3;\n")
	w := workspace.New(all.Languages(all.Options{}), &load.Env{Opener: source.Disk{}, Dir: dir, Lookup: func(name string) (string, bool) {
		return filepath.Dir(system), name == "PARADYN_ROOT"
	}})
	w.Session()
	if lower := config(t, w, own).Lower; len(lower) != 1 || lower[0].File.Path() != system {
		t.Errorf("%d files lie under it, want that of the system", len(lower))
	}
	if lower := config(t, w, other).Lower; len(lower) != 0 {
		t.Errorf("%s lies under a file that is not searched for", lower[0].File.Path())
	}
}

// TestAssign: an editor may know the language better than the name of the file.
func TestAssign(t *testing.T) {
	dir, w, s := disk(t, map[string]string{"notes.txt": "process a\n"})
	path := filepath.Join(dir, "notes.txt")
	if _, err := w.Config(path); err == nil {
		t.Error("the name of the file decides its language")
	}
	i := slices.IndexFunc(w.Languages, func(l *lang.Language) bool { return l.Name == "sprokit" })
	s.Assign(path, w.Languages[i])
	s.Set(path, "process a\n")
	if c := config(t, w, path); c.Document.Language.Name != "sprokit" {
		t.Errorf("it is %s; want %q", c.Document.Language.Name, "sprokit")
	}
	for what, takeBack := range map[string]func(){
		"the editor takes it back": func() { s.Assign(path, nil) },
		"the file is closed":       func() { s.Release(path) },
	} {
		s.Assign(path, w.Languages[i])
		s.Set(path, "process b\n")
		config(t, w, path)
		takeBack()
		if _, err := w.Open(path); err == nil {
			t.Errorf("%s: the file still has the language", what)
		}
	}
}

// TestSessionErrors: a file that cannot be read has an error until it can be
// read.
func TestSessionErrors(t *testing.T) {
	dir, w, s := disk(t, nil)
	path := filepath.Join(dir, "a.pipe")
	for range 2 {
		if _, err := w.Config(path); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("a file that is missing: %v", err)
		}
	}
	put(t, path, "process a\n  :: sink\n")
	config(t, w, path)
	var large *source.TooLarge
	s.Set(path, strings.Repeat("a ", 9_000_000))
	if _, err := w.Config(path); !errors.As(err, &large) {
		t.Errorf("a text with too many words: %v", err)
	}
	if _, err := s.Open(path); !errors.As(err, &large) {
		t.Errorf("a text with too many words is opened: %v", err)
	}
	s.Release(path)
	config(t, w, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Config(path); !errors.Is(err, source.ErrFolder) {
		t.Errorf("a folder in its place: %v", err)
	}
}

// TestSessionDraft: a draft begins with the texts of the editor, and the session
// does not see its changes.
func TestSessionDraft(t *testing.T) {
	dir, w, s := disk(t, map[string]string{"a.pinsight": "[OpenMP.default]\n", "b.pinsight": "[OpenMP.default]\n"})
	path := filepath.Join(dir, "a.pinsight")
	s.Set(path, misspelt)
	d := s.Draft()
	fixed, err := d.Fix(config(t, w, path))
	if err != nil || fixed.Made != 1 || len(d.Changes()) != 1 || d.Changes()[0].Text != strings.ReplaceAll(misspelt, "wrok", "work") {
		t.Errorf("%+v, %v", fixed, err)
	}
	if got := config(t, w, path).Document.File.Text(); got != misspelt {
		t.Errorf("the session shows %q, want %v", got, misspelt)
	}
	config(t, w, filepath.Join(dir, "b.pinsight"))
	if got := s.Known(); !slices.Equal(got, []string{path, filepath.Join(dir, "b.pinsight")}) {
		t.Errorf("known are %v, want %v", got, []string{path, filepath.Join(dir, "b.pinsight")})
	}
}

// TestSessionOtherLanguage: a file that includes another is not among its
// includers if it is read in another language.
func TestSessionOtherLanguage(t *testing.T) {
	dir, w, s := disk(t, map[string]string{"common.conf": "config n\n  a = 1\n", "a.pipe": "include common.conf\n", "b.pipe": "include common.conf\n"})
	part := filepath.Join(dir, "common.conf")
	config(t, w, filepath.Join(dir, "b.pipe"))
	config(t, w, filepath.Join(dir, "a.pipe"))
	if got := s.Includers(part); len(got) != 2 || filepath.Base(got[0]) != "a.pipe" {
		t.Errorf("it is included by %v, want len(got) = 2 and filepath.Base(got[0]) = %q", got, "a.pipe")
	}
	if got := s.Includers(filepath.Join(dir, "a.pipe")); len(got) != 0 {
		t.Errorf("a file that no other needs is included by %v", got)
	}
	i := slices.IndexFunc(w.Languages, func(l *lang.Language) bool { return l.Name == "pdi" })
	s.Assign(part, w.Languages[i])
	config(t, w, part)
	if got := s.Includers(part); len(got) != 0 {
		t.Errorf("as a file of another language it is included by %v, want 0", got)
	}
}

// TestSessionOfLanguages: the includers of a file are those in its own language.
func TestSessionOfLanguages(t *testing.T) {
	files := map[string]string{"common.conf": "", "a.coilcfg": "@include \"common.conf\"\n"}
	for i := range 9 {
		files[fmt.Sprint(i, ".pipe")] = "include common.conf\n"
	}
	dir, w, s := disk(t, files)
	i := slices.IndexFunc(w.Languages, func(l *lang.Language) bool { return l.Name == "coil" })
	part := filepath.Join(dir, "common.conf")
	s.Assign(part, w.Languages[i])
	for name := range files {
		config(t, w, filepath.Join(dir, name))
	}
	if got := s.Includers(part); !slices.Equal(got, []string{filepath.Join(dir, "a.coilcfg")}) {
		t.Errorf("it is included by %v, want %v", got, []string{filepath.Join(dir, "a.coilcfg")})
	}
}

// TestNothingIsFresh checks that the zero Needs are not fresh.
func TestNothingIsFresh(t *testing.T) {
	_, _, s := disk(t, nil)
	if s.Fresh(workspace.Needs{}) {
		t.Error("the zero Needs are fresh")
	}
}

// TestRecord: a result made from configurations needs all files that they need.
func TestRecord(t *testing.T) {
	dir, w, s := disk(t, map[string]string{"common.conf": "config n\n  a = 1\n", "a.pipe": "include common.conf\n"})
	path := filepath.Join(dir, "a.pipe")
	config(t, w, path)
	needs := s.Record(func() { config(t, w, path) })
	if !s.Fresh(needs) {
		t.Error("not fresh without a change")
	}
	s.Set(filepath.Join(dir, "common.conf"), "config n\n  a = 2\n")
	if s.Fresh(needs) {
		t.Error("fresh after an included file changed")
	}
}
