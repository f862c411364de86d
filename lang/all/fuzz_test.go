package all_test

import (
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/all"
)

// FuzzAnyTextInAnyLanguage gives every text to every language: whatever it is,
// no byte is lost, formatting is stable and means the same, and nothing fails.
func FuzzAnyTextInAnyLanguage(f *testing.F) {
	languages, err := all.Languages(all.Options{})
	if err != nil {
		f.Fatal(err)
	}
	for _, l := range languages {
		for _, c := range golden.Cases(f, filepath.Join("..", l.Name, "testdata")) {
			f.Add(c.File.Text())
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range languages {
			golden.Laws(t, l, &load.Env{Opener: source.Map{}, Dir: "."}, source.NewFile("x", text))
		}
	})
}
