package preset

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// families are the presets of architectures and modes. A processor takes
// everything but its features from its family.
var families = map[string]string{"x86 64": "x86-64", "ARM 64": "aarch64", "ARM 32": "arm32", "AVR 8": "avr5", "RISC-V 64": "riscv64gc", "PowerPC 64": "ppc64le", "S390X 64": "s390x"}

// processor is a processor of the tables.
type processor struct {
	arch string
	bits int
	isa  *table.ISA
	*table.Processor
}

// processors are the processors in the tables that have no preset file, by name
// in lower case.
var processors = sync.OnceValue(func() map[string]processor {
	all := map[string]processor{}
	for _, a := range builtin.Tables().Archs {
		if a.PU != "CPU" {
			continue
		}
		for i := range a.ISAs {
			isa := &a.ISAs[i]
			bits := isa.Modes[0].Bits
			if slices.ContainsFunc(isa.Modes, func(m table.Mode) bool { return m.Bits == 64 }) {
				bits = 64
			}
			for j := range isa.Processors {
				p := &isa.Processors[j]
				if _, err := files.ReadFile(strings.ToLower(p.Name) + ending); err != nil {
					all[strings.ToLower(p.Name)] = processor{a.Name, bits, isa, p}
				}
			}
		}
	}
	return all
})

// family returns the preset that a processor is based on.
func (p processor) family() string {
	name := families[p.arch+" "+strconv.Itoa(p.bits)]
	switch {
	case strings.HasPrefix(p.Name, "apple-"):
		return "arm64-apple"
	case name != "arm32":
		return name
	}
	set, _ := p.isa.Processor(p.Name)
	has := func(key string) bool { return set.Has(p.isa.Feature(key).ID) }
	switch float := has("vfpv2") || has("vfpv3xd") || has("mve"); {
	case has("armv6-m") || has("armv7-r"): // microcontrollers and real-time processors run without an operating system
		return map[bool]string{true: "arm-none-eabihf", false: "arm-none-eabi"}[float]
	case !float:
		return "arm-soft"
	}
	return name
}

// text returns the preset of a processor: its family's preset with the
// processor's features.
func (p processor) text() string {
	family, _ := files.ReadFile(p.family() + ending) // cannot fail: the file is embedded
	var b strings.Builder
	kind := map[bool]string{true: "a level", false: "a processor"}[p.Level]
	fmt.Fprintf(&b, "# %s, %s of %d-bit %s\n", p.Name, kind, p.bits, p.arch)
	if p.Source != "" {
		fmt.Fprintf(&b, "# Source: %s\n", p.Source)
	}
	for line := range strings.Lines(string(family)) {
		switch {
		case strings.HasPrefix(line, "#"), strings.HasPrefix(line, "Features ="), strings.HasPrefix(line, "SIMD =") && p.bits < 64:
		case strings.HasPrefix(line, "Mode =") && len(p.Features) > 0:
			fmt.Fprintf(&b, "%sFeatures = %s\n", line, strings.Join(p.Features.Names(p.isa), ","))
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// processorNames returns the sorted names of the processors.
func processorNames() []string { return slices.Sorted(maps.Keys(processors())) }
