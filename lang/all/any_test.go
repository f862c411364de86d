package all_test

import (
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/all"
)

// TestAnyTextInAnyLanguage reads the test cases of every language in all
// languages. For any text, no byte is lost, formatting is stable and keeps the
// meaning, and nothing fails.
func TestAnyTextInAnyLanguage(t *testing.T) {
	languages := all.Languages(all.Options{})
	for _, from := range languages {
		for _, c := range golden.Cases(t, filepath.Join("..", from.Name, "testdata")) {
			for _, l := range languages {
				golden.Laws(t, l, &load.Env{Opener: source.Map{}, Dir: "."}, source.NewFile("x", c.File.Text()))
			}
		}
	}
}
