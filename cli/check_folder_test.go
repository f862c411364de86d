package cli

import (
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// TestFoldersAboveFirst checks that a folder is listed before the folders inside it, whatever their
// names are, because a run may have files in subfolders.
func TestFoldersAboveFirst(t *testing.T) {
	var found []*lang.Config
	for _, path := range []string{"a/b/x.pipe", "+parts/x.pipe", "c/x.psdl", "a/b/y.yml", "x.psdl", "c/d/e/x.pipe", "c/d/x.pipe", "given/x.pipe"} {
		found = append(found, &lang.Config{Document: &lang.Document{File: source.NewFile(path, "")}})
	}
	given := func(c *lang.Config) bool { return c.Document.File.Path() == "given/x.pipe" }
	want := []string{".", "+parts", "c", "a/b", "c/d", "c/d/e"}
	if have := foldersOf(found, given); !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}
