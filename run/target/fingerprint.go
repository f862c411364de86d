package target

import (
	"slices"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/run/target/table"
)

// Fingerprint returns the fingerprint of a target: names that the tables take for the
// same machine, ABI or feature are the same.
func (m Machines) Fingerprint(t Target) fingerprint.Sum {
	v := m.look(t)
	if a := v.abi(); a != nil {
		named := *t.ABI
		named.Name = a.Name
		t.ABI = &named
	}
	t.Architecture = v.archName()
	t.Features = v.canonical(t.Features)
	t.Extensions.SIMD, t.Extensions.Crypto = v.canonical(t.Extensions.SIMD), v.canonical(t.Extensions.Crypto)
	return fingerprint.Of(t)
}

// canonical are the names of features as the tables have them, each once.
func (v *view) canonical(names []string) []string {
	list := slices.Clone(names)
	for i, n := range list {
		if v.isa == nil {
			break
		}
		if f := v.isa.Feature(n); f.How == table.Canonical || f.How == table.Respelt || f.How == table.Aliased {
			list[i] = f.Name
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
