package pipe

import "fmt"

// A Known is a catalogue of another program's declarations that is not in use. If a pipeline
// uses something that only this catalogue declares, a message suggests the catalogue.
type Known struct {
	Name    string // name by which pentode.toml selects it, such as `viame`
	Program string // name of the program for messages, such as `VIAME`
	Types   func() []*Type
}

// AddKnown adds a catalogue that messages may suggest.
func (r *Registry) AddKnown(k Known) { r.known = append(r.known, k) }

// KnownMark begins the part of a message that suggests a catalogue. The name of the catalogue
// and a quote follow it.
const KnownMark = "`types = [\""

// KnownHint returns the part of a message that suggests the catalogue.
func (k *Known) KnownHint() string {
	return fmt.Sprintf(KnownMark+"%s\"]` in pentode.toml checks with the declarations of %s", k.Name, k.Program)
}

// fitting returns the first catalogue that declares a type of this name for which has returns
// true, or nil.
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
