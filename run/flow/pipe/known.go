package pipe

import "fmt"

// A Known is the catalogue of a program that checks may go by and do not. Where a
// pipeline has what only this one declares, the message names it.
type Known struct {
	Name    string // by which it is chosen: `viame`
	Program string // VIAME
	Types   func() []*Type
}

// AddKnown tells the registry of such a catalogue.
func (r *Registry) AddKnown(k Known) { r.known = append(r.known, k) }

// KnownMark is how messages begin to name a catalogue that fits; its name and a quote follow.
const KnownMark = "`types = [\""

// KnownHint is how messages name the catalogue that fits.
func (k *Known) KnownHint() string {
	return fmt.Sprintf(KnownMark+"%s\"]` in pentode.toml goes by %s", k.Name, k.Program)
}

// fitting is the first catalogue whose type of a name has what a pipeline uses.
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
