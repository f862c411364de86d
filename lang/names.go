package lang

import (
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/schema"
)

// names are all names of the language: its sections, keys and fixed words, and
// what the Spec adds.
func (s *Spec[T, M]) names(table func() *schema.Schema) map[string]bool {
	all := map[string]bool{}
	add := func(names ...string) {
		for _, name := range names {
			all[name] = true
		}
	}
	if table != nil {
		for _, section := range table().Sections {
			add(section.Name)
			for _, key := range section.Keys {
				add(key.Name)
				add(key.Enum...)
			}
		}
	}
	if s.Names != nil {
		add(s.Names()...)
	}
	return all
}

// Knows reports whether a word is a name of the language, wherever it may stand.
func (l *Language) Knows(word string) bool { return l.names()[word] }

// keepNames returns a finding whose fixes change no name that the language
// knows into another without asking.
func (l *Language) keepNames(d *diag.Diagnostic) *diag.Diagnostic {
	changes := func(f diag.Fix) bool { return f.Safe && f.Spelling && l.Knows(f.Edits[0].Span.Text()) }
	if !slices.ContainsFunc(d.Fixes, changes) {
		return d
	}
	kept := *d // the tree keeps its own
	kept.Fixes = slices.Clone(d.Fixes)
	for i := range kept.Fixes {
		kept.Fixes[i].Safe = kept.Fixes[i].Safe && !changes(kept.Fixes[i])
	}
	return &kept
}
