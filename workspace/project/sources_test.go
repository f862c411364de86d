package project_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/workspace/project"
)

// TestSources: the files that the patterns match, except files that are excluded, hidden or not
// sources. A pattern that matches none is a finding.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"pentode.toml": "exclude = [\"build/\"]\n[pdi]\nsources = [\"src/**\", \"!src/old.c\", \"lib/*.c\"]\n",
		".gitignore":   "made.c\n",
		"src/a.c":      "", "src/deep/b.c": "", "src/old.c": "", "src/made.c": "", "src/notes.txt": "",
		"build/c.c": "", ".hidden/d.c": "", "other.c": "",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	finder := &project.Finder{Opener: source.Disk{}}
	p := finder.Of(dir, true)
	if !p.HasSources() {
		t.Fatal("the project names sources")
	}
	var got []string
	for _, path := range p.Sources(func(path string) bool { return filepath.Ext(path) == ".c" }) {
		below, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(below))
	}
	if want := []string{"src/a.c", "src/deep/b.c"}; !slices.Equal(got, want) {
		t.Errorf("the sources are %q, want %q", got, want)
	}
	problems := p.Problems()
	if len(problems) != 1 || problems[0].Code.ID != "project/unmatched-pattern" || !strings.Contains(problems[0].Message, "`lib/*.c`") {
		t.Errorf("the findings are %v, want len(problems) = 1, problems[0].Code.ID = %q and %q in problems[0].Message", problems, "project/unmatched-pattern", "`lib/*.c`")
	}
}
