package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/origin"
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
		after, n, kept, err := f.everything(c)
		if err != nil {
			return nil, err
		}
		if configs[i] = after; n > 0 {
			done = append(done, fmt.Sprintf("%s: %d fixed, %d left\n", c.Document.File.Path(), n, after.Diagnostics().Total()))
		}
		if kept > 0 {
			done = append(done, fmt.Sprintf("%s: %s not made, because other settings would change with it or more would be wrong\n", c.Document.File.Path(), count(kept, "fix is", "fixes are")))
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

// everything fixes a configuration until nothing is left that can be, and
// counts the fixes that were made and, at the end, those that were not.
func (f *fixer) everything(c *lang.Config) (_ *lang.Config, made, kept int, _ error) {
	for range maxPasses {
		after, n, left, err := f.config(c)
		if err != nil {
			return nil, 0, 0, err
		}
		c, made, kept = after, made+n, left
		if n == 0 {
			break
		}
	}
	return c, made, kept, nil
}

// config fixes one configuration and returns it as it is then, with the number of fixes
// that were made and that were not. They are made together if each of them helps, else one by one.
func (f *fixer) config(c *lang.Config) (_ *lang.Config, made, kept int, _ error) {
	c = f.resolve(c, nil) // another configuration may have changed its includes
	if after, n, err := f.unmark(c); n > 0 || err != nil {
		return after, n, 0, err
	}
	fixes := f.safeFixes(c)
	if len(fixes) == 0 {
		return c, 0, 0, nil
	}
	all := len(fixes)
	after, texts, err := f.try(c, c, fixes, all)
	if err != nil {
		return nil, 0, 0, err
	}
	if after == nil {
		var taken []diag.Fix
		best := c
		for _, fix := range fixes {
			more := append(taken[:len(taken):len(taken)], fix)
			one, onesTexts, err := f.try(c, best, more, 1)
			if err != nil {
				return nil, 0, 0, err
			}
			if one != nil {
				taken, best, after, texts = more, one, one, onesTexts
			}
		}
		fixes = taken
	}
	if after == nil {
		return c, 0, all, nil
	}
	f.keep(texts)
	return after, len(fixes), all - len(fixes), nil
}

// unmark takes away the byte order marks that keep files from being read, and
// counts them. What is found behind them was wrong before, so it does not count.
func (f *fixer) unmark(c *lang.Config) (*lang.Config, int, error) {
	var edits []source.Edit
	for _, d := range c.Diagnostics() {
		if d.Code == lang.ByteOrderMark && f.editable(c, d.Fixes[0].Edits) {
			edits = append(edits, d.Fixes[0].Edits...)
		}
	}
	texts, err := applied(edits)
	if err != nil || len(texts) == 0 {
		return c, 0, err
	}
	after := f.resolve(c, texts)
	if !keeps(c, after, edits) {
		return c, 0, nil
	}
	f.keep(texts)
	return after, len(texts), nil
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

// better reports whether n fixes left n findings less. An info that comes up in
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

// editable reports whether edits are in files, and not in what the command line
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

// fits reports whether edits touch none of those taken already.
func fits(taken, more []source.Edit) bool {
	return !slices.ContainsFunc(more, func(e source.Edit) bool {
		return slices.ContainsFunc(taken, func(o source.Edit) bool {
			return e.Span.File == o.Span.File && e.Span.Start < o.Span.End && o.Span.Start < e.Span.End
		})
	})
}

// keeps reports whether every setting that was written is still what it was, but for those that
// were mended themselves: at their own place, or by a line that now sets them again. One that
// has another key now, because the header above it was mended, is still there at its place.
func keeps(before, after *lang.Config, edits []source.Edit) bool {
	now, at := map[string]origin.Entry{}, map[place]origin.Entry{}
	for e := range after.Values() {
		now[e.Key], at[placeOf(e.Decided().Span)] = e, e
	}
	delete(at, place{}) // what stands nowhere is not known by its place
	mended := func(e origin.Entry) bool {
		span := e.Decided().Span
		return slices.ContainsFunc(edits, func(e source.Edit) bool {
			return e.Span.File == span.File && e.Span.Start <= span.End && span.Start <= e.Span.End
		})
	}
	for e := range before.Values() {
		same, ok := now[e.Key]
		if !ok {
			same, ok = at[placeOf(e.Decided().Span).after(edits)]
		}
		if e.Implicit || ok && same.Value == e.Value || mended(e) {
			continue
		}
		if !ok || !setAgain(e, same, edits) {
			return false
		}
	}
	return true
}

// setAgain reports whether a setting came the way it came before, and then one step further, in a
// file that was mended. An entry of a list that only has another number now came another way.
func setAgain(before, after origin.Entry, edits []source.Edit) bool {
	n, file := len(before.Steps), after.Decided().Span.File
	if len(after.Steps) <= n || n == 0 || file == nil {
		return false
	}
	for i, s := range before.Steps {
		if placeOf(s.Span).after(edits) != placeOf(after.Steps[i].Span) {
			return false
		}
	}
	return slices.ContainsFunc(edits, func(e source.Edit) bool { return e.Span.File.Path() == file.Path() })
}

// place is where something was written; the zero place is in no file.
type place struct {
	path  string
	start int
}

func placeOf(s source.Span) place {
	if s.File == nil {
		return place{}
	}
	return place{s.File.Path(), s.Start}
}

// after is the place once edits before it in its file are made.
func (p place) after(edits []source.Edit) place {
	start := p.start
	for _, e := range edits {
		if e.Span.File.Path() == p.path && e.Span.End <= p.start {
			start += len(e.Text) - (e.Span.End - e.Span.Start)
		}
	}
	return place{p.path, start}
}
