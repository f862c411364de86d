package all_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/workspace"
)

// eachExample resolves every example file and every style guide.
func eachExample(t *testing.T, visit func(t *testing.T, c *lang.Config)) {
	t.Helper()
	root := golden.Root(t)
	w := workspace.New(all.Languages(all.Options{}), &load.Env{Opener: source.Disk{}, Dir: root})
	seen := map[string]bool{}
	for _, dir := range []string{"examples", "lang"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || dir == "lang" && !strings.HasPrefix(d.Name(), "canonical.") || !w.Claims(path) {
				return err
			}
			c, err := w.Config(path)
			if err != nil {
				return err
			}
			seen[c.Document.Language.Name] = true
			t.Run(filepath.ToSlash(strings.TrimPrefix(path, root)), func(t *testing.T) { visit(t, c) })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 5 {
		t.Errorf("only %d languages have examples", len(seen))
	}
}

// TestOccurrences: the table of every language refers to files of its
// configuration, and places do not overlap unless one contains the other.
// Otherwise colouring or renaming would split a name.
func TestOccurrences(t *testing.T) {
	eachExample(t, func(t *testing.T, c *lang.Config) {
		files := map[*source.File]bool{}
		for _, f := range c.Files() {
			files[f] = true
		}
		list := c.Occurrences()
		if len(list) == 0 {
			t.Error("it has none")
		}
		own := map[*source.File][]lang.Occurrence{}
		for _, o := range list {
			if !files[o.Span.File] || o.Span.Start < 0 || o.Span.End > o.Span.File.Len() || o.Span.Len() <= 0 {
				t.Fatalf("%s `%s` is not in a file of the configuration", o.Kind, o.Symbol)
			}
			own[o.Span.File] = append(own[o.Span.File], o)
		}
		for _, list := range own {
			for i, a := range list {
				for _, b := range list[i+1:] {
					if crossed := a.Span.Start < b.Span.Start && b.Span.Start < a.Span.End && a.Span.End < b.Span.End; crossed {
						t.Errorf("%s: `%s` and `%s` overlap, want one inside the other, or apart", a.Span, a.Span.Text(), b.Span.Text())
					}
				}
			}
		}
	})
}

// TestCompletions: at every word of a file without errors, replacing the
// remainder of the word by a completion that is a plain name adds no error.
func TestCompletions(t *testing.T) {
	eachExample(t, func(t *testing.T, c *lang.Config) {
		f := c.Document.File
		errors := c.Diagnostics().Count(diag.Error)
		if errors > 0 {
			t.Skip("it has errors of its own")
		}
		tried := 0
		for _, o := range c.Occurrences() {
			if o.Span.File != f || tried > 60 {
				continue
			}
			for i, item := range c.Complete(f, o.Span.Start) {
				if item.Snippet || item.Kind == lang.Keyword || item.Kind == lang.Path || i > 3 || strings.HasSuffix(item.Insert, ".") || strings.HasSuffix(item.Insert, ":") || strings.HasSuffix(item.Insert, ": ") {
					continue
				}
				tried++
				text := item.Insert
				if text == "" {
					text = item.Label
				}
				changed := f.Text()[:item.Replace.Start] + text + f.Text()[o.Span.End:]
				after := c.With([]source.Change{{File: f, Text: changed}})
				if n := after.Diagnostics().Count(diag.Error); n > 0 && refused(after.Diagnostics(), text) {
					t.Errorf("%s: `%s` is offered for `%s` and refused: %s", o.Span, text, o.Span.Text(), first(after.Diagnostics()))
				}
			}
		}
	})
}

// refused reports whether an error is about the name that was written. Other
// errors may follow from the text that it replaced.
func refused(list diag.List, name string) bool {
	for _, d := range list {
		if d.Severity == diag.Error && d.Span.Text() == name {
			return true
		}
	}
	return false
}

func first(list diag.List) string {
	for _, d := range list {
		if d.Severity == diag.Error {
			return d.Message
		}
	}
	return ""
}
