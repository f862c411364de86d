package cli

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
)

// rewrites are new texts of files. The workspace sees them at once; the disk
// does when all of them are known.
type rewrites struct {
	env     *load.Env
	texts   *source.Overlay
	changes []rewritten
}

// rewritten is a file as it is on disk and as it will be.
type rewritten struct {
	old  *source.File
	text string
}

func newRewrites(w *workspace.Workspace) rewrites {
	texts := &source.Overlay{Under: w.Env.Opener}
	w.Env.Opener = texts
	return rewrites{env: w.Env, texts: texts}
}

// applied is the new text of every file that edits are in.
func applied(edits []source.Edit) (map[*source.File]string, error) {
	texts := map[*source.File]string{}
	for _, e := range edits {
		if _, done := texts[e.Span.File]; done {
			continue
		}
		text, err := source.Apply(e.Span.File, edits)
		if err != nil {
			return nil, err
		}
		texts[e.Span.File] = text
	}
	return texts, nil
}

// keep remembers new texts.
func (r *rewrites) keep(texts map[*source.File]string) {
	byPath := func(x, y *source.File) int { return strings.Compare(x.Path(), y.Path()) }
	for _, f := range slices.SortedFunc(maps.Keys(texts), byPath) {
		r.texts.Set(f.Path(), texts[f])
		i := slices.IndexFunc(r.changes, func(c rewritten) bool { return c.old.Path() == f.Path() })
		if i < 0 {
			i = len(r.changes)
			r.changes = append(r.changes, rewritten{old: f})
		}
		r.changes[i].text = texts[f]
	}
}

// resolve is a configuration with other texts in its files.
func (r *rewrites) resolve(c *lang.Config, texts map[*source.File]string) *lang.Config {
	env := *r.env
	over := &source.Overlay{Under: r.texts}
	for old, text := range texts {
		over.Set(old.Path(), text)
	}
	env.Opener = over
	docs := append(slices.Clone(c.Lower), c.Document)
	for i, d := range docs {
		if text, ok := texts[d.File]; ok {
			docs[i] = d.Language.Parse(source.NewFile(d.File.Path(), text))
		}
	}
	last := len(docs) - 1
	return docs[last].Resolve(&env, docs[:last]...)
}

// diff prints what changes.
func (r *rewrites) diff(w io.Writer) error {
	for _, c := range r.changes {
		path := c.old.Path()
		if _, err := w.Write(diff.Diff(path, []byte(c.old.Text()), path, []byte(c.text))); err != nil {
			return err
		}
	}
	return nil
}

// write brings the texts to the disk.
func (r *rewrites) write() error { return writeFiles(r.changes...) }
