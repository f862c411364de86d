package launch

import "github.com/pentode-dev/pentode/core/fingerprint"

// Fingerprint returns the fingerprint of a plan's declarations. The order in which
// programs are declared is that in which they start, and counts; of tunables the last value
// of each name does, and that of each variable that programs see.
func (d Decls) Fingerprint() fingerprint.Sum {
	form := struct {
		Decls     Decls
		Tunables  map[string]string
		Variables map[string]string
	}{d, map[string]string{}, map[string]string{}}
	for _, t := range d.Tunables {
		form.Tunables[t.Name] = t.Value
		form.Variables[TunableVariable(t.Name)] = t.Value
	}
	return fingerprint.Of(form)
}
