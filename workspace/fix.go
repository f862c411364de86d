package workspace

import (
	"slices"
	"sort"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// Fixed is a configuration after its safe fixes were made.
type Fixed struct {
	Config  *lang.Config
	Made    int
	Refused int // number of fixes that were not made, because they would change other settings or not remove the finding
}

// maxPasses is how often Fix looks for further fixes after it has made some.
const maxPasses = 100

// Fix makes the safe fixes of a configuration and of its included files, until there are no
// more. Each fix is checked: the text that it writes must have fewer findings than the text
// that it replaces, and all other settings must keep their values. New findings elsewhere are
// accepted, because they show mistakes that were there before: for example, lines below a
// header can only be checked after the header is fixed.
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

// fixOnce makes the fixes for the findings: all of them if each one helps, otherwise as many
// as it finds with a few tries.
func (d *Draft) fixOnce(c *lang.Config) (Fixed, error) {
	c = d.workspace.Layers(append(slices.Clone(c.Lower), c.Document)) // read it again: fixing another configuration may have changed the included files
	found := c.Review(c.Found())
	if once, err := d.unmark(c, found); once.Made > 0 || err != nil {
		return once, err
	}
	fixes := d.safeFixes(c, found)
	m := fixPass{before: c, found: newFoundIn(found), after: c, tries: maxTries}
	if err := m.add(fixes); err != nil {
		return Fixed{}, err
	}
	d.keep(m.changes)
	return Fixed{m.after, len(m.made), len(fixes) - len(m.made)}, nil
}

// maxTries is how often one pass may check the configuration. Each check takes time for the
// whole file, so one check for each fix would take quadratic time.
const maxTries = 64

// fixPass is one pass over the fixes of a configuration.
type fixPass struct {
	before  *lang.Config
	found   foundIn // the findings in before
	made    []safeFix
	after   *lang.Config // before, with the fixes that were made
	changes []source.Change
	tries   int // number of tries left
}

// add makes fixes in addition to those already made. If they do not work together, it divides
// them into parts and tries these. The fixes that did not help form one part, because the
// others usually work together without them.
func (m *fixPass) add(fixes []safeFix) error {
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

// unmark removes byte order marks, because of which files could not be read. Findings in such
// a file do not count as new: the mistakes were there before.
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

// safeFix is a fix with the severity of the finding that it removes.
type safeFix struct {
	diag.Fix
	severity diag.Severity
}

// try makes fixes and returns which of them help. If one of them does not, or if another
// setting changed, it does not return a configuration.
func (m *fixPass) try(fixes []safeFix) (*lang.Config, []source.Change, []bool, error) {
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

// findings counts the findings in the text that the fix writes. If no edits were made yet, it
// counts those in the text that will be replaced. Findings less severe than the one to be
// fixed are ignored.
func (f *safeFix) findings(all foundIn, moved edited) int {
	counted := map[*diag.Diagnostic]bool{}
	for _, e := range f.Edits {
		at, written := placeOf(e.Span), e.Span.Len()
		if moved != nil {
			at, written = moved.after(at), len(e.Text)
			if e.Span.Len() == 0 {
				at.start -= written // moved has shifted the place of an insertion to its end: go back to the start
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

// touches reports whether two pieces of text share a byte. An empty piece touches a text that
// contains it or ends at it.
func touches(a place, lenA int, b place, lenB int) bool {
	if a.path != b.path {
		return false
	}
	if lenA == 0 || lenB == 0 {
		return a.start <= b.start+lenB && b.start <= a.start+lenA
	}
	return a.start < b.start+lenB && b.start < a.start+lenA
}

// safeFixes returns the safe fixes of a configuration that do not overlap.
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

// changesName reports whether a fix replaces a word that one of the languages knows as a
// name.
func (d *Draft) changesName(fix diag.Fix) bool {
	return fix.Spelling && slices.ContainsFunc(d.workspace.Languages, func(l *lang.Language) bool {
		return l.Knows(fix.Edits[0].Span.Text())
	})
}

// editable reports whether all edits are in files that can be written, and not in a value from
// the command line, for example.
func (d *Draft) editable(c *lang.Config, edits []source.Edit) bool {
	return !slices.ContainsFunc(edits, func(e source.Edit) bool {
		if e.Span.File == c.Document.File {
			return false
		}
		file, err := d.texts.Open(e.Span.File.Path())
		return err != nil || file.Text() != e.Span.File.Text()
	})
}

// takenSpans are the sorted spans of the edits chosen so far, by file. They do not overlap,
// except within a single fix with contradicting edits, which is rejected later.
type takenSpans map[*source.File][]source.Span

// firstEndingAfter returns the index of the first span that ends after a position.
func (t takenSpans) firstEndingAfter(file *source.File, at int) int {
	spans := t[file]
	return sort.Search(len(spans), func(i int) bool { return spans[i].End > at })
}

// fit reports whether the edits do not overlap any of the spans chosen so far.
func (t takenSpans) fit(edits []source.Edit) bool {
	return !slices.ContainsFunc(edits, func(e source.Edit) bool {
		i := t.firstEndingAfter(e.Span.File, e.Span.Start)
		return i < len(t[e.Span.File]) && t[e.Span.File][i].Start < e.Span.End
	})
}

func (t takenSpans) add(edits []source.Edit) {
	for _, e := range edits {
		file := e.Span.File
		t[file] = slices.Insert(t[file], t.firstEndingAfter(file, e.Span.Start), e.Span)
	}
}

// keeps reports whether every setting in the files has the same value as before. A setting may
// change if a fix edited its place, or if a fixed line now sets it again. If a fixed header
// changed the key of a setting, keeps finds the setting by its place.
func keeps(before, after *lang.Config, moved edited) bool {
	now, at := map[string]origin.Entry{}, map[place]origin.Entry{}
	for e := range after.Values() {
		now[e.Key], at[placeOf(e.Decided().Span)] = e, e
	}
	delete(at, place{}) // settings without a place cannot be found by place
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

// setAgain reports whether a setting has the same origin as before, with additional steps in a
// fixed file. A list item that only got another index has another origin.
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
