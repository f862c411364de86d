package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// Fuzz checks Laws on random texts, starting from the inputs of all cases. Each text is
// read under each of the file names.
func Fuzz(f *testing.F, l *lang.Language, dir string, names ...string) {
	for _, c := range Cases(f, dir) {
		f.Add(c.File.Text())
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range names {
			Laws(t, l, &load.Env{Opener: source.Map{name: text}, Dir: "."}, source.NewFile(name, text))
		}
	})
}

// Canonical checks that the formatter leaves the language's style guide unchanged.
func Canonical(t *testing.T, l *lang.Language, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := l.Parse(source.NewFile(filepath.Base(path), string(text)))
	got, _ := doc.Format()
	if got == string(text) {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the formatter changes the style guide %s:\n%s\nwant it unchanged", path, got)
}
