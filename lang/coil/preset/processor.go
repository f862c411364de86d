package preset

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// families are the presets that the processors of an architecture take
// everything from but their features.
var families = map[string]string{"x86": "x86-64", "ARM": "aarch64", "RISC-V": "riscv64gc", "PowerPC": "ppc64le", "S390X": "s390x"}

// processor is a processor of the tables.
type processor struct {
	arch string
	isa  *table.ISA
	*table.Processor
}

// processors are those of the tables that are no preset of their own, by name
// in lower case.
var processors = sync.OnceValue(func() map[string]processor {
	all := map[string]processor{}
	for _, a := range builtin.Tables().Archs {
		if families[a.Name] == "" || a.PU != "CPU" {
			continue
		}
		isa, _ := a.Mode(64)
		for i := range isa.Processors {
			p := &isa.Processors[i]
			if _, err := files.ReadFile(strings.ToLower(p.Name) + ending); err != nil {
				all[strings.ToLower(p.Name)] = processor{a.Name, isa, p}
			}
		}
	}
	return all
})

// text is the preset of a processor: that of its family with its features.
func (p processor) text() string {
	family, _ := files.ReadFile(families[p.arch] + ending) // it is embedded beside this file
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, a 64-bit processor of %s\n", p.Name, p.arch)
	for line := range strings.Lines(string(family)) {
		switch {
		case strings.HasPrefix(line, "#"), strings.HasPrefix(line, "Features ="):
		case strings.HasPrefix(line, "Mode =") && len(p.Features) > 0:
			fmt.Fprintf(&b, "%sFeatures = %s\n", line, strings.Join(p.Features.Names(p.isa), ","))
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// processorNames lists them, sorted.
func processorNames() []string { return slices.Sorted(maps.Keys(processors())) }
