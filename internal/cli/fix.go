package cli

import (
	"fmt"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
)

// fix applies safe fixes, file by file. A file is written only if a second check finds fewer
// problems and every setting that was not mended has the value it had.
func (a *app) fix(w *workspace.Workspace, paths []string, diffOnly bool) error {
	report := &render.Report{}
	configs, err := a.configs(w, paths, report)
	if err != nil {
		return err
	}
	left := 0
	for _, c := range configs {
		before := c.Diagnostics()
		text, n := fixed(w, c, before)
		if n == 0 {
			left += before.Count(diag.Error)
			continue
		}
		path := c.Document.File.Path()
		if diffOnly {
			a.out.Write(diff.Diff(path, []byte(c.Document.File.Text()), path, []byte(text)))
		} else if err := writeFile(path, text); err != nil {
			return err
		}
		after := c.Document.Language.Parse(source.NewFile(path, text)).Resolve(w.Env).Diagnostics()
		left += after.Count(diag.Error)
		fmt.Fprintf(a.err, "%s: %d fixed, %d left\n", path, len(before)-len(after), len(after))
	}
	if left > 0 {
		return exitCode(exitNo)
	}
	return nil
}

// fixed is a document's text with its safe fixes, and how many there were: all of them,
// or where they do not go together those that do.
func fixed(w *workspace.Workspace, c *lang.Config, before diag.List) (string, int) {
	f := c.Document.File
	var fixes [][]source.Edit
	var edits []source.Edit
	for _, d := range before {
		for _, fix := range d.Fixes {
			if !fix.Safe || !fits(f, edits, fix.Edits) {
				continue
			}
			fixes = append(fixes, fix.Edits)
			edits = append(edits, fix.Edits...)
			break
		}
	}
	if text, ok := mend(w, c, before, edits); ok {
		return text, len(fixes)
	}
	text, taken, n := "", []source.Edit(nil), 0
	for _, fix := range fixes {
		with := append(taken[:len(taken):len(taken)], fix...)
		if mended, ok := mend(w, c, before[:len(before)-n], with); ok {
			text, taken = mended, with
			n++
		}
	}
	return text, n
}

// mend applies edits, if fewer problems than before are left and no other setting changes.
func mend(w *workspace.Workspace, c *lang.Config, before diag.List, edits []source.Edit) (string, bool) {
	if len(edits) == 0 {
		return "", false
	}
	f := c.Document.File
	text, err := source.Apply(f, edits)
	if err != nil {
		return "", false
	}
	after := c.Document.Language.Parse(source.NewFile(f.Path(), text)).Resolve(w.Env)
	return text, len(after.Diagnostics()) < len(before) && keeps(c, after, edits)
}

// fits tells whether edits are all in f and touch none of those taken already.
func fits(f *source.File, taken, more []source.Edit) bool {
	return !slices.ContainsFunc(more, func(e source.Edit) bool {
		return e.Span.File != f || slices.ContainsFunc(taken, func(o source.Edit) bool {
			return e.Span.Start < o.Span.End && o.Span.Start < e.Span.End
		})
	})
}

// keeps tells whether every setting that was written is still what it was,
// but for those whose own line was mended.
func keeps(before, after *lang.Config, edits []source.Edit) bool {
	now := map[string]string{}
	for e := range after.Values() {
		now[e.Key] = e.Value
	}
	mended := func(span source.Span) bool {
		return slices.ContainsFunc(edits, func(e source.Edit) bool {
			return e.Span.File == span.File && e.Span.Start <= span.End && span.Start <= e.Span.End
		})
	}
	for e := range before.Values() {
		if mended(e.Decided().Span) {
			continue
		}
		if value, ok := now[e.Key]; !e.Implicit && (!ok || value != e.Value) {
			return false
		}
	}
	return true
}
