// Package diag defines diagnostics: what Pentode reports about a file.
//
// A Diagnostic has one cause and one message: what is wrong, where exactly, what was
// expected, what to do. Its Code carries the documentation as data, so `explain`, the
// reference page and the tests use the same words. The render package writes
// diagnostics; this package does not depend on the output format.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Severity is how serious a diagnostic is.
type Severity = problem.Severity

// The severities of problems.
const (
	Error   = problem.Error
	Warning = problem.Warning
	Info    = problem.Info
)

// Code is a documented kind of diagnostic.
type Code struct {
	ID       string   // `language/what-is-wrong`
	Severity Severity // unless the dialect says otherwise
	Title    string   // a short sentence
	Doc      string   // why it matters and what to do
	Bad      string   // an example that triggers it
	Good     string   // the same example without the mistake
	AtRun    bool     // only a run can report it, not a check
	Optional bool     // reported only if a project selects it or sets its severity
}

// URL returns the address of the page that explains the code.
func (c *Code) URL() string {
	language, name, _ := strings.Cut(c.ID, "/")
	return "https://github.com/pentode-dev/pentode/blob/main/docs/codes/" + language + ".md#" + language + name
}

// Diagnostic is one finding.
type Diagnostic struct {
	Code     *Code
	Severity Severity
	Span     source.Span
	Message  string
	Label    string // the text at the underlined source; may be empty
	Labels   []Label
	Notes    []string
	Help     []string
	Fixes    []Fix

	surplus bool        // the list was full: labels, notes and fixes are dropped
	hidden  int         // the number of findings that are counted here instead of being listed
	last    *Diagnostic // the latest finding that is not in the list
}

// Label points at another place that belongs to the finding.
type Label struct {
	Span    source.Span
	Message string
}

// Fix is an edit that removes the cause of the finding. A safe fix may be applied
// without asking.
type Fix struct {
	Message  string
	Safe     bool
	Spelling bool // the fix replaces a name by another name
	Edits    []source.Edit
}

// New returns a diagnostic with the code's default severity.
func New(code *Code, span source.Span, format string, args ...any) *Diagnostic {
	return &Diagnostic{Code: code, Severity: code.Severity, Span: span, Message: sentence(format, args)}
}

// Of converts a problem that an engine found into a diagnostic with the language's
// code.
func Of(code *Code, p *problem.Problem) *Diagnostic {
	d := New(code, p.Span, "%s", p.Message).As(p.Severity)
	for _, r := range p.Related {
		d.At(r.Span, "%s", r.Message)
	}
	if help := p.Help(); help != "" {
		d.Helped("%s", help)
	}
	return d
}

// As sets the severity.
func (d *Diagnostic) As(s Severity) *Diagnostic {
	d.Severity = s
	return d
}

// Labelled sets the text at the underline.
func (d *Diagnostic) Labelled(format string, args ...any) *Diagnostic {
	if d.surplus {
		return d
	}
	d.Label = sentence(format, args)
	return d
}

// At adds a label at another place.
func (d *Diagnostic) At(span source.Span, format string, args ...any) *Diagnostic {
	if !span.IsZero() && !d.surplus {
		d.Labels = append(d.Labels, Label{Span: span, Message: sentence(format, args)})
	}
	return d
}

// Note adds a fact.
func (d *Diagnostic) Note(format string, args ...any) *Diagnostic {
	if !d.surplus {
		d.Notes = append(d.Notes, sentence(format, args))
	}
	return d
}

// Helped adds advice.
func (d *Diagnostic) Helped(format string, args ...any) *Diagnostic {
	if !d.surplus {
		d.Help = append(d.Help, sentence(format, args))
	}
	return d
}

// Replace adds a fix that writes text over the span of the diagnostic.
func (d *Diagnostic) Replace(safe bool, text string) *Diagnostic {
	message := fmt.Sprintf("write `%s`", text)
	if text == "" {
		message = "remove it"
	}
	return d.Fix(safe, message, source.Edit{Span: d.Span, Text: text})
}

// Fix adds a fix.
func (d *Diagnostic) Fix(safe bool, message string, edits ...source.Edit) *Diagnostic {
	if !d.surplus {
		d.Fixes = append(d.Fixes, Fix{Message: message, Safe: safe, Edits: edits})
	}
	return d
}

// Suggest adds "did you mean" and a fix if a candidate is similar to the text at the
// diagnostic's span. The fix is safe only if the text must be a misspelling of that
// candidate.
func (d *Diagnostic) Suggest(safe bool, candidates ...string) *Diagnostic {
	if d.surplus {
		return d
	}
	text := d.Span.Text()
	name, ok := problem.Nearest(text, candidates)
	if !ok {
		return d
	}
	d.Helped("%s", problem.DidYouMean(name))
	return d.Spell(safe && problem.Misspelt(text, candidates), name)
}

// Spell adds a fix that writes another name over the span of the diagnostic.
func (d *Diagnostic) Spell(safe bool, name string) *Diagnostic {
	if d.Replace(safe, name); !d.surplus {
		d.Fixes[len(d.Fixes)-1].Spelling = true
	}
	return d
}

// MaxPerFile is how many findings of one file are shown.
const MaxPerFile = 100

// maxHeld is how many findings a list holds. It is larger than MaxPerFile because a
// list may cover many files and errors are shown before other findings. Without a
// limit, a text full of mistakes would need many times its own size in memory.
const maxHeld = 100 * MaxPerFile

// List is the findings of a file or of a run. When it is full it stops growing, and
// its last entry counts later findings. As an error, its text is its first error;
// callers get the whole list with errors.As.
type List []*Diagnostic

// full reports whether the list is full. If it is, full counts the finding that was
// about to be added.
func (l *List) full(severity Severity, span source.Span) bool {
	if len(*l) < maxHeld {
		return false
	}
	last := (*l)[len(*l)-1]
	if last.hidden == 0 {
		last = &Diagnostic{Code: TooMany, Severity: Info, Span: span, Message: "more findings are not shown"}
		*l = append(*l, last)
	}
	last.hidden++
	last.Severity = min(last.Severity, severity)
	return true
}

// Add appends a finding, unless it is nil.
func (l *List) Add(d *Diagnostic) {
	if d != nil && !l.full(d.Severity, d.Span) {
		*l = append(*l, d)
	}
}

// Report appends a new diagnostic and returns it, so that the caller can add notes,
// help and fixes. If the list is nil, the diagnostic is dropped.
func (l *List) Report(code *Code, span source.Span, format string, args ...any) *Diagnostic {
	switch {
	case l == nil:
		return &Diagnostic{Code: code, Severity: code.Severity, Span: span, surplus: true}
	case l.full(code.Severity, span):
		return (*l)[len(*l)-1].count(code, span)
	}
	d := New(code, span, format, args...)
	*l = append(*l, d)
	return d
}

// count returns a diagnostic for a finding that is not stored. All such findings
// share one value, since a text full of mistakes has millions of them.
func (d *Diagnostic) count(code *Code, span source.Span) *Diagnostic {
	if d.last == nil {
		d.last = &Diagnostic{}
	}
	*d.last = Diagnostic{Code: code, Severity: code.Severity, Span: span, surplus: true}
	return d.last
}

// Count returns the number of findings with the severity.
func (l List) Count(s Severity) int {
	n := 0
	for _, d := range l {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// Total returns the number of findings, including those that are only counted.
func (l List) Total() int {
	n := 0
	for _, d := range l {
		n += max(1, d.hidden)
	}
	return n
}

// HasErrors reports whether the list has an error, in which case a check answers
// "no".
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d *Diagnostic) bool { return d.Severity == Error })
}

// Err returns the list as an error, or nil if it has no error in it.
func (l List) Err() error {
	if l.HasErrors() {
		return l
	}
	return nil
}

// Error returns one sentence: the first error with its place, and how many more there
// are.
func (l List) Error() string {
	var first *Diagnostic
	n := 0
	for _, d := range l {
		if d.Severity == Error {
			if first == nil {
				first = d
			}
			n += max(1, d.hidden)
		}
	}
	var b strings.Builder
	if first != nil {
		if !first.Span.IsZero() {
			b.WriteString(first.Span.String() + ": ")
		}
		b.WriteString(first.Message)
	}
	if n > 1 {
		fmt.Fprintf(&b, " (and %d more)", n-1)
	}
	return b.String()
}

// Sort orders findings by file in the order of first mention, then place, then
// severity. Findings at the same place keep the order in which they were reported.
func (l List) Sort() {
	rank := map[*source.File]int{}
	for _, d := range l {
		if _, ok := rank[d.Span.File]; !ok {
			rank[d.Span.File] = len(rank)
		}
	}
	slices.SortStableFunc(l, func(a, b *Diagnostic) int {
		return cmp.Or(
			cmp.Compare(rank[a.Span.File], rank[b.Span.File]),
			cmp.Compare(a.Span.Start, b.Span.Start),
			cmp.Compare(a.Severity, b.Severity),
		)
	})
}

// Limit keeps the first MaxPerFile findings of every file and adds a finding that
// counts the others. Errors are kept before warnings, and warnings before infos.
func (l List) Limit() List {
	total := map[*source.File]int{}
	over := false
	for _, d := range l {
		f := d.Span.File
		total[f] += max(1, d.hidden)
		over = over || total[f] > MaxPerFile
	}
	if !over {
		return l
	}
	kept := map[*source.File]int{}
	drop := map[*Diagnostic]bool{}
	errorsLeft := map[*source.File]bool{}
	for s := Error; s <= Info; s++ {
		for _, d := range l {
			if d.Severity != s {
				continue
			}
			f := d.Span.File
			if d.hidden == 0 {
				kept[f]++
			}
			if d.hidden > 0 || kept[f] > MaxPerFile {
				drop[d] = true
				errorsLeft[f] = errorsLeft[f] || s == Error
			}
		}
	}
	last := map[*source.File]*Diagnostic{}
	for _, d := range l {
		if !drop[d] {
			last[d.Span.File] = d
		}
	}
	var out List
	for _, d := range l {
		if drop[d] {
			continue
		}
		out = append(out, d)
		f := d.Span.File
		left := total[f] - min(kept[f], MaxPerFile)
		if last[f] != d || left == 0 {
			continue
		}
		more := out.Report(TooMany, d.Span, "%d more findings in this file are not shown", left).
			Helped("fix the first ones and check again")
		more.hidden = left
		if errorsLeft[f] {
			more.As(Error)
		}
	}
	return out
}

// TooMany is the code of the diagnostic that says how many findings are not shown.
var TooMany = &Code{
	ID: "file/too-many-findings", Severity: Info,
	Title: "more findings than are shown",
	Doc:   "At most 100 findings are shown for one file; this line counts the others.",
	Bad:   "a file of another language, or of random bytes",
	Good:  "fix the first findings, then check again",
}
