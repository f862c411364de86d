package coil

import (
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/target/table"
)

// names are those of all processors, architectures, features, ABIs and presets.
func names(t *table.Tables) []string {
	list := append(t.PUs(), preset.Names()...)
	for _, a := range t.Archs {
		list = append(list, a.Name)
		for _, alias := range a.Aliases {
			list = append(list, alias.Name)
		}
		for i := range a.ISAs {
			isa := &a.ISAs[i]
			for _, f := range isa.Features {
				list = append(append(list, f.Key, f.Name), f.Aliases...)
			}
			for _, p := range isa.Processors {
				list = append(list, p.Name)
			}
		}
	}
	for i := range t.ABIs {
		list = append(list, t.ABIs[i].Name)
	}
	return list
}
