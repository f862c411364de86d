package target

import (
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/target/table"
)

// goArchs maps Go's architecture names to COIL's.
var goArchs = map[string]struct {
	arch string
	mode int
}{
	"386": {"x86", 32}, "amd64": {"x86", 64}, "arm": {"ARM", 32}, "arm64": {"ARM", 64}, "loong64": {"LoongArch", 64},
	"mips": {"MIPS", 32}, "mipsle": {"MIPS", 32}, "mips64": {"MIPS", 64}, "mips64le": {"MIPS", 64},
	"ppc64": {"PowerPC", 64}, "ppc64le": {"PowerPC", 64}, "riscv64": {"RISC-V", 64}, "s390x": {"S390X", 64}, "wasm": {"WASM", 32},
}

// Detect returns the default configuration for the host's processor, with the values that COIL
// calls (auto-detected) filled in.
func (m Machines) Detect(h Host) (Target, error) {
	here, ok := goArchs[h.Arch]
	if !ok {
		p := wrong(UnknownMachine, KeyArchitecture, "this machine's architecture `%s` has no COIL name", h.Arch)
		p.Expected = "write the target by hand"
		return Target{}, p
	}
	t := m.Default("CPU", here.arch, here.mode)
	v := m.look(t)
	if v.isa == nil {
		return Target{}, wrong(UnknownMachine, KeyMode, "the tables have no %s with mode %d", here.arch, here.mode)
	}
	t.Memory.Endianness = "Little"
	if h.BigEndian {
		t.Memory.Endianness = "Big"
	}
	set := detectFeatures(v.isa, v.mode, h)
	t.Features = set.Minus(base(v.isa, v.mode)).List().Names(v.isa)
	return t, nil
}

// detectFeatures asks the kernel and the processor. If the kernel has a word for a feature, its answer decides: it knows
// what it has disabled, while the processor lists all it could do. For other features it asks the processor through a
// library, which has been wrong about some of them.
func detectFeatures(s *table.ISA, m *table.Mode, h Host) table.Set {
	info := readCPUInfo(h.cpuinfo())
	if strings.HasPrefix(m.March, "rv") && info.words != nil {
		return riscvFeatures(s, info)
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
		// A hypervisor may hide one feature but not another feature that implies it. Then both are left out.
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

// claimedFeatures is the processor's own list of features, in the words of the library.
func claimedFeatures(s *table.ISA, h Host) table.Set {
	var out table.Set
	if h.CPUID == nil {
		return out
	}
	known, _ := s.Meaning(h.CPUID())
	return out.Union(known)
}

// riscvFeatures looks up the kernel's names and drops those that no table has. The kernel does not list implied features.
func riscvFeatures(s *table.ISA, info cpuinfo) table.Set {
	set, _ := s.Meaning(slices.Collect(maps.Keys(info.words)))
	return set
}
