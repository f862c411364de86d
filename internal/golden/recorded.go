package golden

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Set is a folder of answers recorded for one language. testdata/README.md describes its
// files.
type Set struct {
	Dir string // the absolute path, without symbolic links
	own bool   // it is the set in this repository
}

// Oracle runs a test on every set of answers that was recorded from a language's original
// program: the set in this repository, and, if it exists, the set in the folder that
// PENTODE_ORACLE names (by default ../shared/oracle beside the repository).
func Oracle(t *testing.T, language string, test func(*testing.T, Set)) {
	each(t, "PENTODE_ORACLE", "oracle", language, test)
}

// Corpus runs a test on every set of files that were collected from a language's original
// project. It finds the sets as Oracle does, with the variable PENTODE_CORPUS.
func Corpus(t *testing.T, language string, test func(*testing.T, Set)) {
	each(t, "PENTODE_CORPUS", "corpus", language, test)
}

func each(t *testing.T, variable, kind, language string, test func(*testing.T, Set)) {
	root := Root(t)
	dir, given := os.Getenv(variable), true
	switch {
	case dir == "":
		dir, given = filepath.Join(filepath.Dir(root), "shared", kind), false
	case !filepath.IsAbs(dir):
		dir = filepath.Join(root, dir)
	}
	t.Run("own", func(t *testing.T) { test(t, ownSet(t, kind, language)) })
	t.Run("recorded", func(t *testing.T) {
		dir := filepath.Join(dir, language)
		held, _ := os.ReadDir(dir)
		switch {
		case len(held) > 0:
			test(t, Set{Dir: resolved(t, dir)})
		case given:
			t.Fatalf("%s names a folder that holds nothing for %s", variable, language)
		default:
			t.Skipf("no recorded answers beside the repository: set %s to their folder", variable)
		}
	})
}

func ownSet(t testing.TB, kind, language string) Set {
	return Set{Dir: resolved(t, filepath.Join(Root(t), "internal", "golden", "testdata", kind, language)), own: true}
}

func resolved(t testing.TB, dir string) string {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Text returns a file of the set. If the set lacks the file, the test is skipped;
// the repository's own set has all files.
func (s Set) Text(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Dir, filepath.FromSlash(name)))
	if os.IsNotExist(err) && !s.own {
		t.Skipf("this set has no %s", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Read decodes a JSON file of the set.
func (s Set) Read(t testing.TB, name string, into any) {
	t.Helper()
	text := s.Text(t, name)
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // keeps the digits of 64-bit integers
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Fact decodes a JSON file with facts that are the same for every set. If this set lacks
// the file, Fact reads it from the set in this repository.
func (s Set) Fact(t testing.TB, name string, into any) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(s.Dir, name)); os.IsNotExist(err) {
		kind, language := filepath.Base(filepath.Dir(s.Dir)), filepath.Base(s.Dir)
		s = ownSet(t, kind, language)
	}
	s.Read(t, name, into)
}

// List decodes a JSON file that is a list of cases. It fails the test if there are none.
func List[T any](t testing.TB, s Set, name string) []T {
	t.Helper()
	var cases []T
	s.Read(t, name, &cases)
	if len(cases) == 0 {
		t.Fatalf("%s has no cases", name)
	}
	return cases
}

// Table reads a file with tab-separated cells as one map for each row, keyed by the
// column names in the first line. It fails the test if there are no rows.
func (s Set) Table(t testing.TB, name string) []map[string]string {
	t.Helper()
	var head []string
	var rows []map[string]string
	for line := range strings.Lines(s.Text(t, name)) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if head == nil {
			head = cells
			continue
		}
		if len(cells) == 1 && cells[0] == "" {
			continue
		}
		row := map[string]string{}
		for i, cell := range cells[:min(len(cells), len(head))] {
			row[head[i]] = cell
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", name)
	}
	return rows
}

// Copy copies a folder without subfolders from the set into an empty folder, and returns
// the parent of the copy. In the recorded files, `@DIR@` stands for that parent.
func (s Set) Copy(t testing.TB, name string) string {
	t.Helper()
	parent := resolved(t, t.TempDir())
	to := filepath.Join(parent, name)
	if err := os.Mkdir(to, 0o755); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(filepath.Join(s.Dir, name))
	for _, e := range entries {
		text := strings.ReplaceAll(s.Text(t, name+"/"+e.Name()), "@DIR@", filepath.ToSlash(parent))
		if err := os.WriteFile(filepath.Join(to, e.Name()), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return parent
}

// Root returns the folder of go.mod.
func Root(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}
