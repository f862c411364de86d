package workspace

import (
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// Fixed is a configuration after its safe fixes.
type Fixed struct {
	Config  *lang.Config
	Made    int
	Refused int // fixes that would change other settings, or not mend what they write over
}

// maxPasses bounds how often a configuration is checked again: each time only
// so many findings are shown.
const maxPasses = 100

// Fix makes the safe fixes of a configuration, also in included files, until
// none is left that can be made. Each is checked: what it writes must have a
// finding less than what it writes over, and every other setting must stay as it
// is. What comes to light elsewhere, below a header that is read now, say, was
// wrong before.
func (d *Draft) Fix(c *lang.Config) (Fixed, error) {
	all := Fixed{Config: c}
	for range maxPasses {
		once, err := d.fixOnce(all.Config)
		if err != nil {
			return all, err
		}
		all = Fixed{once.Config, all.Made + once.Made, once.Refused}
		if once.Made == 0 {
			break
		}
	}
	return all, nil
}

// fixOnce makes the fixes of the findings that are shown: together if each of
// them helps, else one by one.
func (d *Draft) fixOnce(c *lang.Config) (Fixed, error) {
	c = d.workspace.Layers(append(slices.Clone(c.Lower), c.Document)) // another configuration may have changed its includes
	if once, err := d.unmark(c); once.Made > 0 || err != nil {
		return once, err
	}
	fixes := d.safeFixes(c)
	if len(fixes) == 0 {
		return Fixed{Config: c}, nil
	}
	made := fixes
	after, changes, err := try(c, fixes)
	if err != nil {
		return Fixed{}, err
	}
	if after == nil {
		made, after = nil, c
		for _, fix := range fixes {
			more := append(made[:len(made):len(made)], fix)
			better, texts, err := try(c, more)
			if err != nil {
				return Fixed{}, err
			}
			if better != nil {
				made, after, changes = more, better, texts
			}
		}
	}
	d.keep(changes)
	return Fixed{after, len(made), len(fixes) - len(made)}, nil
}

// unmark takes away the byte order marks that keep files from being read.
// What is found behind them was wrong before, so it does not count.
func (d *Draft) unmark(c *lang.Config) (Fixed, error) {
	var edits []source.Edit
	for _, f := range c.Diagnostics() {
		if f.Code == lang.ByteOrderMark && d.editable(c, f.Fixes[0].Edits) {
			edits = append(edits, f.Fixes[0].Edits...)
		}
	}
	changes, err := source.Changes(edits)
	if err != nil || len(changes) == 0 {
		return Fixed{Config: c}, err
	}
	after := c.With(changes)
	if !keeps(c, after, edits) {
		return Fixed{Config: c}, nil
	}
	d.keep(changes)
	return Fixed{Config: after, Made: len(changes)}, nil
}

// safeFix is a fix with how bad it is what it mends.
type safeFix struct {
	diag.Fix
	severity diag.Severity
}

// try makes fixes of c. It returns nil where one of them does not help, or where
// another setting of c changed.
func try(c *lang.Config, fixes []safeFix) (*lang.Config, []source.Change, error) {
	var edits []source.Edit
	for _, fix := range fixes {
		edits = append(edits, fix.Edits...)
	}
	changes, err := source.Changes(edits)
	if err != nil {
		return nil, nil, err
	}
	after := c.With(changes)
	for _, fix := range fixes {
		if fix.findings(after.Diagnostics(), edits) >= fix.findings(c.Diagnostics(), nil) {
			return nil, nil, nil
		}
	}
	if !keeps(c, after, edits) {
		return nil, nil, nil
	}
	return after, changes, nil
}

// findings counts the findings in what the fix writes, once edits are made, or
// without edits in what it writes over. Milder ones than its own do not count.
func (f *safeFix) findings(all diag.List, edits []source.Edit) int {
	count := 0
	for _, d := range all {
		if d.Severity <= f.severity && slices.ContainsFunc(f.Edits, func(e source.Edit) bool {
			at, written := placeOf(e.Span), e.Span.Len()
			if edits != nil {
				at, written = at.after(edits), len(e.Text)
				if e.Span.Len() == 0 {
					at.start -= written // what is inserted stands before what it moves
				}
			}
			return touches(placeOf(d.Span), d.Span.Len(), at, written)
		}) {
			count++
		}
	}
	return count
}

// touches reports whether two pieces of text have a byte in common, or where one
// of them is empty, whether it lies in the other or at its end.
func touches(a place, lenA int, b place, lenB int) bool {
	if a.path != b.path {
		return false
	}
	if lenA == 0 || lenB == 0 {
		return a.start <= b.start+lenB && b.start <= a.start+lenA
	}
	return a.start < b.start+lenB && b.start < a.start+lenA
}

// safeFixes are the fixes of a configuration that may be applied without
// asking, none of them where another is.
func (d *Draft) safeFixes(c *lang.Config) []safeFix {
	var fixes []safeFix
	var taken []source.Edit
	for _, found := range c.Diagnostics() {
		for _, fix := range found.Fixes {
			if fix.Safe && !d.changesName(fix) && fits(taken, fix.Edits) && d.editable(c, fix.Edits) {
				fixes, taken = append(fixes, safeFix{fix, found.Severity}), append(taken, fix.Edits...)
				break
			}
		}
	}
	return fixes
}

// changesName reports whether a fix takes a name that one of the languages
// knows for a misspelling of another.
func (d *Draft) changesName(fix diag.Fix) bool {
	return fix.Spelling && slices.ContainsFunc(d.workspace.Languages, func(l *lang.Language) bool {
		return l.Knows(fix.Edits[0].Span.Text())
	})
}

// editable reports whether edits are in files, and not in what the command line
// or another place sets.
func (d *Draft) editable(c *lang.Config, edits []source.Edit) bool {
	return !slices.ContainsFunc(edits, func(e source.Edit) bool {
		if e.Span.File == c.Document.File {
			return false
		}
		file, err := d.texts.Open(e.Span.File.Path())
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
