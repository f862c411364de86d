package all_test

import (
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/all"
)

// TestAnyTextInAnyLanguage gives the cases of every language to all of them:
// whatever the text is, no byte is lost, formatting is stable and means the
// same, and nothing fails.
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
