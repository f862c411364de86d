package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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
	var done []string
	for i, c := range configs {
		after, n, err := f.everything(c)
		if err != nil {
			return nil, err
		}
		if configs[i] = after; n > 0 {
			done = append(done, fmt.Sprintf("%s: %d fixed, %d left\n", c.Document.File.Path(), n, after.Diagnostics().Total()))
		}
	}
	if err := a.gather(w, paths, configs, report); err != nil {
		return nil, err
	}
	switch {
	case diffOnly:
		err = f.diff(a.out)
	case fromStdin:
		_, err = io.WriteString(a.out, configs[0].Document.File.Text())
	default:
		err = f.write()
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprint(a.err, strings.Join(done, ""))
	return report, nil
}

// fixer collects fixes until all of them are known.
type fixer struct{ rewrites }

// maxPasses bounds how often a configuration is looked at again: each time
// only so many findings are shown.
const maxPasses = 100

// everything fixes a configuration until nothing is left that can be.
func (f *fixer) everything(c *lang.Config) (*lang.Config, int, error) {
	total := 0
	for range maxPasses {
		after, n, err := f.config(c)
		if err != nil {
			return nil, 0, err
		}
		c, total = after, total+n
		if n == 0 {
			break
		}
	}
	return c, total, nil
}

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
	if !better(after.Diagnostics(), best.Diagnostics(), n) || !keeps(c, after, edits) {
		return nil, nil, nil
	}
	return after, texts, nil
}

// better tells whether n fixes left n findings less. An info that comes up in
// the place of a mistake does not count, where all findings can be seen.
func better(after, before diag.List, n int) bool {
	mistakes := func(l diag.List) int { return l.Count(diag.Error) + l.Count(diag.Warning) }
	return after.Total()+n <= before.Total() ||
		len(before) == before.Total() && mistakes(after)+n <= mistakes(before)
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
// but for those that were mended themselves.
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
		if value, ok := now[e.Key]; !e.Implicit && (!ok || value != e.Value) && !mended(e.Decided().Span) {
			return false
		}
	}
	return true
}
