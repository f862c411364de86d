package target

import (
	"strings"

	"github.com/pentode-dev/pentode/run/target/table"
)

// detectFeatures asks the two witnesses, the kernel and the processor. Where the
// kernel has a word for a feature its answer counts, for it knows what it has
// switched on and what the processor only claims; for the rest the processor's
// answer is all there is. (The library that asks the processor has been wrong
// about single features, which is the other reason not to trust it alone.)
func detectFeatures(s *table.ISA, m *table.Mode, h Host) table.Set {
	info := readCPUInfo(h.file("/proc/cpuinfo"))
	if info.isa != "" {
		return riscvFeatures(s, m, info.isa)
	}
	claimed, always := claimedFeatures(s, h), base(s, m)
	has := func(id table.ID) bool {
		f := &s.Features[id]
		if info.words != nil && f.Linux != "" {
			return info.all(f.Linux)
		}
		return claimed.Has(id)
	}
	var out table.Set
	for i := range s.Features {
		f := &s.Features[i]
		if f.Group || !f.Works(m.Bits) || !has(table.ID(i)) {
			continue
		}
		// A hypervisor may hide one feature and leave another that implies it.
		whole := true
		for _, d := range f.Implies {
			if s.Features[d].Linux != "" && !has(d) && !always.Has(d) {
				whole = false
			}
		}
		if whole {
			out = out.Union(s.Closure(table.ID(i)))
		}
	}
	return out
}

// all reports whether every processor has each of the words, "a+b".
func (c *cpuinfo) all(words string) bool {
	for w := range strings.SplitSeq(words, "+") {
		if !c.words[w] {
			return false
		}
	}
	return true
}

// claimedFeatures is what the processor says of itself, in the library's words.
func claimedFeatures(s *table.ISA, h Host) table.Set {
	var out table.Set
	if h.CPUID == nil {
		return out
	}
	known, _ := s.Meaning(h.CPUID())
	return out.Union(known)
}

// riscvFeatures reads the kernel's ISA string, leaving out names no table has.
func riscvFeatures(s *table.ISA, m *table.Mode, isa string) table.Set {
	rest, ok := strings.CutPrefix(strings.ToLower(isa), m.March)
	if !ok {
		return table.Set{}
	}
	parts := strings.Split(rest, "_")
	names := append(strings.Split(parts[0], ""), parts[1:]...)
	set, _ := s.Meaning(names)
	return set
}
