package trace

import "github.com/pentode-dev/pentode/core/fingerprint"

// Fingerprint returns the fingerprint of a configuration with the values for the traced
// program and the catalogue that both are read against.
func Fingerprint(c *Catalog, l Layers, knobs []Knob) fingerprint.Sum {
	form := struct {
		Domains []Domain
		Layers  Layers
		Knobs   map[string]Knob
	}{c.domains, l, map[string]Knob{}}
	for _, k := range knobs {
		form.Knobs[k.Name] = k
	}
	return fingerprint.Of(form)
}
