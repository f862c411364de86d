package workspace

import (
	"slices"
	"sort"

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

// maxPasses bounds how often fixes of fixes are looked for.
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

// fixOnce makes the fixes of the findings: together if each of them helps, else
// as many as can be found in few tries.
func (d *Draft) fixOnce(c *lang.Config) (Fixed, error) {
	c = d.workspace.Layers(append(slices.Clone(c.Lower), c.Document)) // another configuration may have changed its includes
	found := c.Review(c.Found())
	if once, err := d.unmark(c, found); once.Made > 0 || err != nil {
		return once, err
	}
	fixes := d.safeFixes(c, found)
	m := mending{before: c, found: newFoundIn(found), after: c, tries: maxTries}
	if err := m.add(fixes); err != nil {
		return Fixed{}, err
	}
	d.keep(m.changes)
	return Fixed{m.after, len(m.made), len(fixes) - len(m.made)}, nil
}

// maxTries bounds how often a pass checks a configuration: a check takes time
// for the whole file, so one for each fix would take the square of it.
const maxTries = 64

// mending is a pass over the fixes of a configuration.
type mending struct {
	before  *lang.Config
	found   foundIn // of before
	made    []safeFix
	after   *lang.Config // with those made
	changes []source.Change
	tries   int // that are left
}

// add makes fixes besides those made already, all of them or, where that does
// not help, of parts. Those that do not help among the others are a part of
// their own: without them the others can mostly be made at once.
func (m *mending) add(fixes []safeFix) error {
	if len(fixes) == 0 || m.tries == 0 {
		return nil
	}
	m.tries--
	all := slices.Concat(m.made, fixes)
	after, changes, helps, err := m.try(all)
	if err != nil {
		return err
	}
	if after != nil {
		m.made, m.after, m.changes = all, after, changes
		return nil
	}
	if len(fixes) == 1 {
		return nil
	}
	var useful, useless []safeFix
	for i, fix := range fixes {
		if helps[len(m.made)+i] {
			useful = append(useful, fix)
		} else {
			useless = append(useless, fix)
		}
	}
	if len(useful) == 0 || len(useless) == 0 {
		useful, useless = fixes[:len(fixes)/2], fixes[len(fixes)/2:]
	}
	if err := m.add(useful); err != nil {
		return err
	}
	return m.add(useless)
}

// unmark takes away the byte order marks that keep files from being read.
// What is found behind them was wrong before, so it does not count.
func (d *Draft) unmark(c *lang.Config, found diag.List) (Fixed, error) {
	var edits []source.Edit
	for _, f := range found {
		if f.Code == lang.ByteOrderMark && d.editable(c, f.Fixes[0].Edits) {
			edits = append(edits, f.Fixes[0].Edits...)
		}
	}
	changes, err := source.Changes(edits)
	if err != nil || len(changes) == 0 {
		return Fixed{Config: c}, err
	}
	after := c.With(changes)
	if !keeps(c, after, newEdited(edits)) {
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

// try makes fixes. It returns no configuration where one of them does not help,
// or where another setting changed, and of each fix whether it helps.
func (m *mending) try(fixes []safeFix) (*lang.Config, []source.Change, []bool, error) {
	var edits []source.Edit
	for _, fix := range fixes {
		edits = append(edits, fix.Edits...)
	}
	changes, err := source.Changes(edits)
	if err != nil {
		return nil, nil, nil, err
	}
	after, moved := m.before.With(changes), newEdited(edits)
	found := newFoundIn(after.Review(after.Found()))
	helps, all := make([]bool, len(fixes)), true
	for i, fix := range fixes {
		helps[i] = fix.findings(found, moved) < fix.findings(m.found, nil)
		all = all && helps[i]
	}
	if !all || !keeps(m.before, after, moved) {
		return nil, nil, helps, nil
	}
	return after, changes, helps, nil
}

// findings counts the findings in what the fix writes, once edits are made, or
// without edits in what it writes over. Milder ones than its own do not count.
func (f *safeFix) findings(all foundIn, moved edited) int {
	counted := map[*diag.Diagnostic]bool{}
	for _, e := range f.Edits {
		at, written := placeOf(e.Span), e.Span.Len()
		if moved != nil {
			at, written = moved.after(at), len(e.Text)
			if e.Span.Len() == 0 {
				at.start -= written // what is inserted stands before what it moves
			}
		}
		all.near(at, written, func(d *diag.Diagnostic) {
			if d.Severity <= f.severity && touches(placeOf(d.Span), d.Span.Len(), at, written) {
				counted[d] = true
			}
		})
	}
	return len(counted)
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
func (d *Draft) safeFixes(c *lang.Config, found diag.List) []safeFix {
	var fixes []safeFix
	taken := takenSpans{}
	for _, found := range found {
		for _, fix := range found.Fixes {
			if fix.Safe && !d.changesName(fix) && taken.fit(fix.Edits) && d.editable(c, fix.Edits) {
				fixes = append(fixes, safeFix{fix, found.Severity})
				taken.add(fix.Edits)
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

// takenSpans are the spans of edits, by file and sorted. None of them overlap, but for
// those of a fix that contradicts itself, which is refused later.
type takenSpans map[*source.File][]source.Span

// behind is the index of the first span that ends behind a place.
func (t takenSpans) behind(file *source.File, at int) int {
	spans := t[file]
	return sort.Search(len(spans), func(i int) bool { return spans[i].End > at })
}

// fit reports whether edits overlap none of those taken already.
func (t takenSpans) fit(edits []source.Edit) bool {
	return !slices.ContainsFunc(edits, func(e source.Edit) bool {
		i := t.behind(e.Span.File, e.Span.Start)
		return i < len(t[e.Span.File]) && t[e.Span.File][i].Start < e.Span.End
	})
}

func (t takenSpans) add(edits []source.Edit) {
	for _, e := range edits {
		file := e.Span.File
		t[file] = slices.Insert(t[file], t.behind(file, e.Span.Start), e.Span)
	}
}

// keeps reports whether every setting that was written is still what it was, but for those that
// were mended themselves: at their own place, or by a line that now sets them again. One that
// has another key now, because the header above it was mended, is still there at its place.
func keeps(before, after *lang.Config, moved edited) bool {
	now, at := map[string]origin.Entry{}, map[place]origin.Entry{}
	for e := range after.Values() {
		now[e.Key], at[placeOf(e.Decided().Span)] = e, e
	}
	delete(at, place{}) // what stands nowhere is not known by its place
	for e := range before.Values() {
		same, ok := now[e.Key]
		if !ok {
			same, ok = at[moved.after(placeOf(e.Decided().Span))]
		}
		if e.Implicit || ok && same.Value == e.Value || moved.touch(e.Decided().Span) {
			continue
		}
		if !ok || !setAgain(e, same, moved) {
			return false
		}
	}
	return true
}

// setAgain reports whether a setting came the way it came before, and then one step further, in a
// file that was mended. An entry of a list that only has another number now came another way.
func setAgain(before, after origin.Entry, moved edited) bool {
	n, file := len(before.Steps), after.Decided().Span.File
	if len(after.Steps) <= n || n == 0 || file == nil {
		return false
	}
	for i, s := range before.Steps {
		if moved.after(placeOf(s.Span)) != placeOf(after.Steps[i].Span) {
			return false
		}
	}
	return moved[file.Path()] != nil
}
