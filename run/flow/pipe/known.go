package pipe

import "fmt"

// A Known is the catalogue of a program that checks could use but do not. If a pipeline uses
// something that only this catalogue declares, the message names it.
type Known struct {
	Name    string // the name that selects it: `viame`
	Program string // such as `VIAME`
	Types   func() []*Type
}

// AddKnown adds such a catalogue to the registry.
func (r *Registry) AddKnown(k Known) { r.known = append(r.known, k) }

// KnownMark is the text with which messages begin to name a catalogue that fits; its name and a
// quote follow.
const KnownMark = "`types = [\""

// KnownHint returns the text with which messages name the catalogue that fits.
func (k *Known) KnownHint() string {
	return fmt.Sprintf(KnownMark+"%s\"]` in pentode.toml checks with the declarations of %s", k.Name, k.Program)
}

// fitting returns the first catalogue whose type with this name has what the pipeline uses.
func (r *Registry) fitting(typ string, has func(*Type) bool) *Known {
	if r == nil {
		return nil
	}
	for i := range r.known {
		for _, t := range r.known[i].Types() {
			if t.Name == typ && has(t) {
				return &r.known[i]
			}
		}
	}
	return nil
}
