package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
)

// fix applies safe fixes, also in included files, and returns what is left to say.
// With diffOnly it shows what would change and writes nothing.
func (a *app) fix(w *workspace.Workspace, paths []string, diffOnly bool) (*render.Report, error) {
	fromStdin := slices.Contains(paths, "-")
	if fromStdin && len(paths) > 1 {
		return nil, errors.New("--fix takes either files, or - alone")
	}
	f := &fixer{newRewrites(w)}
	report := &render.Report{}
	configs, err := a.configs(w, paths, report)
	if err != nil {
		return nil, err
	}
	for i, c := range configs {
		after, n, err := f.config(c)
		if err != nil {
			return nil, err
		}
		if configs[i] = after; n > 0 {
			fmt.Fprintf(a.err, "%s: %d fixed, %d left\n", c.Document.File.Path(), n, len(after.Diagnostics()))
		}
	}
	if err := a.gather(w, paths, configs, report); err != nil {
		return nil, err
	}
	if fromStdin && !diffOnly {
		_, err := io.WriteString(a.out, configs[0].Document.File.Text())
		return report, err
	}
	if diffOnly {
		return report, f.diff(a.out)
	}
	return report, f.write()
}

// fixer collects fixes until all of them are known.
type fixer struct{ rewrites }

// config fixes one configuration and returns it as it is then, with the
// number of fixes. Fixes are taken together if each of them helps, else one by one.
func (f *fixer) config(c *lang.Config) (*lang.Config, int, error) {
	c = f.resolve(c, nil) // another configuration may have changed its includes
	fixes := f.safeFixes(c)
	if len(fixes) == 0 {
		return c, 0, nil
	}
	after, texts, err := f.try(c, c, fixes, len(fixes))
	if err != nil {
		return nil, 0, err
	}
	if after == nil {
		var taken []diag.Fix
		best := c
		for _, fix := range fixes {
			more := append(taken[:len(taken):len(taken)], fix)
			one, onesTexts, err := f.try(c, best, more, 1)
			if err != nil {
				return nil, 0, err
			}
			if one != nil {
				taken, best, after, texts = more, one, one, onesTexts
			}
		}
		fixes = taken
	}
	if after == nil {
		return c, 0, nil
	}
	f.keep(texts)
	return after, len(fixes), nil
}

// try gives a configuration fixes. It is nil where a second check does not
// find n problems less than in best, or where another setting of c changed.
func (f *fixer) try(c, best *lang.Config, fixes []diag.Fix, n int) (*lang.Config, map[*source.File]string, error) {
	var edits []source.Edit
	for _, fix := range fixes {
		edits = append(edits, fix.Edits...)
	}
	texts, err := applied(edits)
	if err != nil {
		return nil, nil, err
	}
	after := f.resolve(c, texts)
	if len(after.Diagnostics())+n > len(best.Diagnostics()) || !keeps(c, after, edits) {
		return nil, nil, nil
	}
	return after, texts, nil
}

// safeFixes are the fixes of a configuration that may be applied without
// asking, none of them where another is.
func (f *fixer) safeFixes(c *lang.Config) []diag.Fix {
	var fixes []diag.Fix
	var taken []source.Edit
	for _, d := range c.Diagnostics() {
		for _, fix := range d.Fixes {
			if fix.Safe && fits(taken, fix.Edits) && f.editable(c, fix.Edits) {
				fixes, taken = append(fixes, fix), append(taken, fix.Edits...)
				break
			}
		}
	}
	return fixes
}

// editable tells whether edits are in files, and not in what the command line
// or another place says.
func (f *fixer) editable(c *lang.Config, edits []source.Edit) bool {
	return !slices.ContainsFunc(edits, func(e source.Edit) bool {
		if e.Span.File == c.Document.File {
			return false
		}
		file, err := f.texts.Open(e.Span.File.Path())
		return err != nil || file.Text() != e.Span.File.Text()
	})
}

// fits tells whether edits touch none of those taken already.
func fits(taken, more []source.Edit) bool {
	return !slices.ContainsFunc(more, func(e source.Edit) bool {
		return slices.ContainsFunc(taken, func(o source.Edit) bool {
			return e.Span.File == o.Span.File && e.Span.Start < o.Span.End && o.Span.Start < e.Span.End
		})
	})
}

// keeps tells whether every setting that was written is still what it was,
// but for those that were mended themselves. One that has another key now, because
// the header above it was mended, is still there at its place.
func keeps(before, after *lang.Config, edits []source.Edit) bool {
	now, at := map[string]string{}, map[place]string{}
	for e := range after.Values() {
		now[e.Key] = e.Value
		at[placeOf(e.Decided().Span, nil)] = e.Value
	}
	delete(at, place{}) // what stands nowhere is not known by its place
	mended := func(span source.Span) bool {
		return slices.ContainsFunc(edits, func(e source.Edit) bool {
			return e.Span.File == span.File && e.Span.Start <= span.End && span.Start <= e.Span.End
		})
	}
	for e := range before.Values() {
		value, ok := now[e.Key]
		if !ok {
			value, ok = at[placeOf(e.Decided().Span, edits)]
		}
		if !e.Implicit && (!ok || value != e.Value) && !mended(e.Decided().Span) {
			return false
		}
	}
	return true
}

// place is where something stands in a file.
type place struct {
	path   string
	offset int
}

// placeOf is where a span begins once edits were made.
func placeOf(span source.Span, edits []source.Edit) place {
	if span.File == nil {
		return place{}
	}
	p := place{span.File.Path(), span.Start}
	for _, e := range edits {
		if e.Span.File == span.File && e.Span.End <= span.Start {
			p.offset += len(e.Text) - e.Span.Len()
		}
	}
	return p
}
