package target

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/run/target/table"
)

// view is a target whose names have been looked up.
type view struct {
	t      Target
	tables *table.Tables
	arch   *table.Arch // nil if unknown, then isa and mode are nil too
	isa    *table.ISA
	mode   *table.Mode
	set    table.Set // the machine's features, with all they imply, and the mode's base
	open   []string  // feature names that no table knows, normalised and sorted
}

func (m Machines) look(t Target) view {
	v := view{t: t, tables: m.tables()}
	v.arch, _ = v.tables.Arch(t.PU, t.Architecture)
	if v.arch != nil {
		v.isa, v.mode = v.arch.Mode(t.Mode)
	}
	unknown := t.Features
	if v.isa != nil {
		v.set, unknown = v.isa.Meaning(t.Features)
		v.set = v.set.Union(v.isa.Always(v.mode, v.set))
	}
	for _, n := range unknown {
		v.open = append(v.open, table.Normal(n))
	}
	slices.Sort(v.open)
	v.open = slices.Compact(v.open)
	return v
}

// base returns the features that every machine of a mode has.
func base(s *table.ISA, m *table.Mode) table.Set { return s.Always(m, table.Set{}) }

// arm32 reports whether the target is a 32-bit ARM, which has a profile and a floating point unit.
func (v *view) arm32() bool { return v.t.PU == "CPU" && v.archName() == "ARM" && v.t.Mode == 32 }

// archName is the canonical name of the architecture, or the name as written if it is unknown.
func (v *view) archName() string {
	if v.arch != nil {
		return v.arch.Name
	}
	return v.t.Architecture
}

// abi is the target's ABI in the tables; nil if it has none or a custom one.
func (v *view) abi() *table.ABI {
	if v.t.ABI == nil {
		return nil
	}
	a, _ := v.tables.ABI(v.t.ABI.Name, v.t.PU, v.archName(), v.t.Mode)
	return a
}

// endian is the target's byte order; by default the mode's.
func (v *view) endian() string {
	if v.t.Memory.Endianness == "" && v.mode != nil {
		return v.mode.Endianness[0]
	}
	return v.t.Memory.Endianness
}

func quote(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "`" + n + "`"
	}
	return strings.Join(out, ", ")
}

func either[T any](cond bool, yes, no T) T {
	if cond {
		return yes
	}
	return no
}

// armArch is the architecture of a 32-bit ARM. Among the architectures that the target's features
// name or need, it is the architecture that includes all others; nil if there is none. unfit is a second
// architecture that it does not include.
func armArch(s *table.ISA, set table.Set) (arch, unfit *table.Feature) {
	for _, id := range set.List() {
		f := &s.Features[id]
		switch {
		case !strings.HasPrefix(f.Clang.Flag, "arch:"):
		case arch == nil || implies(s, f, arch):
			arch = f
		case !implies(s, arch, f):
			unfit = f
		}
	}
	if unfit != nil && implies(s, arch, unfit) {
		unfit = nil // the one chosen later includes it, too
	}
	return arch, unfit
}

// profileM reports whether an architecture of ARM is for microcontrollers, which only run Thumb code.
func profileM(arch *table.Feature) bool { return arch != nil && strings.Contains(arch.Key, "-m") }

// bare reports whether an ARM architecture runs no operating system: the M and R profiles.
func bare(arch *table.Feature) bool {
	return profileM(arch) || arch != nil && strings.HasSuffix(arch.Key, "-r")
}

// armTriple is the first part of LLVM's triple: thumbv7em, armv8r, armebv7r.
func armTriple(arch *table.Feature, big bool) string {
	word := either(profileM(arch), "thumb", "arm") + either(big, "eb", "")
	return word + strings.ReplaceAll(strings.TrimPrefix(arch.Key, "arm"), "-", "")
}

// hasFPU reports whether the features need the floating point registers of 32-bit ARM: a unit, or
// the vectors that use these registers. clang silently drops the vectors if there is no unit.
func (v *view) hasFPU() bool {
	return slices.ContainsFunc(v.set.List(), func(id table.ID) bool {
		f := &v.isa.Features[id]
		return strings.HasPrefix(f.Clang.Flag, "fpu:") || f.Key == "mve"
	})
}

// Default is COIL's default configuration for a machine.
func (m Machines) Default(pu, arch string, mode int) Target {
	t := Target{PU: pu, Architecture: arch, Mode: mode,
		Optimization: Optimization{Level: 1, Speed: true},
		Memory:       Memory{Model: "Protected", Alignment: 1, StackGrowth: "Down", Endianness: "Little"}}
	v := m.look(t)
	if v.mode != nil {
		t.Architecture = v.arch.Name
		t.Memory.Alignment = v.mode.Alignment
		t.Memory.Endianness = v.mode.Endianness[0]
		if !slices.Contains(v.mode.Models, t.Memory.Model) {
			t.Memory.Model = v.mode.Models[0]
		}
	}
	return t
}

func implies(s *table.ISA, f, other *table.Feature) bool {
	return slices.ContainsFunc(f.Implies, func(id table.ID) bool { return &s.Features[id] == other })
}

// Fingerprint returns the fingerprint of a target. Different names for the same machine, ABI or
// feature give the same fingerprint.
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

// canonical returns the features' names in the tables' spelling, each once.
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
