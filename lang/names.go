package lang

import (
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/schema"
)

// names returns all names of the language: its sections, keys and fixed words,
// and the names that the Spec adds.
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

// Knows reports whether a word is a name anywhere in the language.
func (l *Language) Knows(word string) bool { return l.names()[word] }

// keepNames marks a fix as unsafe if it replaces one name of the language by
// another.
func (l *Language) keepNames(d *diag.Diagnostic) *diag.Diagnostic {
	changes := func(f diag.Fix) bool { return f.Safe && f.Spelling && l.Knows(f.Edits[0].Span.Text()) }
	if !slices.ContainsFunc(d.Fixes, changes) {
		return d
	}
	kept := *d // copy it: the finding in the tree must not change
	kept.Fixes = slices.Clone(d.Fixes)
	for i := range kept.Fixes {
		kept.Fixes[i].Safe = kept.Fixes[i].Safe && !changes(kept.Fixes[i])
	}
	return &kept
}
