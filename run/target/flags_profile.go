package target

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/target/table"
)

// armArch is the architecture of a 32-bit ARM: of those that the target's features name or
// need, the one that has the others; nil where they name none. A second one
// that does not fit beside it is unfit.
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
		unfit = nil // what was chosen later has it, too
	}
	return arch, unfit
}

// profileM reports whether an architecture of ARM is that of a microcontroller, which
// runs Thumb code alone.
func profileM(arch *table.Feature) bool { return arch != nil && strings.Contains(arch.Key, "-m") }

// bare reports whether no operating system runs on an architecture: M and R.
func bare(arch *table.Feature) bool {
	return profileM(arch) || arch != nil && strings.HasSuffix(arch.Key, "-r")
}

// armTriple is the first part of LLVM's triple: thumbv7em, armv8r, armebv7r.
func armTriple(arch *table.Feature, big bool) string {
	word := either(profileM(arch), "thumb", "arm") + either(big, "eb", "")
	return word + strings.ReplaceAll(strings.TrimPrefix(arch.Key, "arm"), "-", "")
}

// arm begins -march of a 32-bit ARM with the architecture that the target names. Where
// it names none, it is the mode's own, which features may lift.
func (w *writer) arm(m *march, wanted []*table.Feature) {
	s := w.view.isa
	set, _ := s.Meaning(names(wanted))
	arch, unfit := armArch(s, set)
	if unfit != nil {
		w.note(KeyFeatures, "%s builds for one architecture: `%s` stays out beside `%s`", w.c.Name, unfit.Name, arch.Name)
	}
	if arch != nil {
		m.base, m.fixed = arch.Key, true
	}
	if own := s.Feature(m.base); own.Feature != nil {
		m.given = s.Closure(own.ID)
	}
	thumb := func(f *table.Feature) bool { return f.Key == "thumb" }
	if profileM(arch) || slices.ContainsFunc(wanted, thumb) {
		w.add("-mthumb")
	}
}

// takesARM reports whether the architecture takes a suffix or a unit that begins with another
// one; without a named architecture it is lifted to that.
func (m *march) takesARM(s *table.ISA, least string) bool {
	if !m.fixed {
		if slices.Index(armOrder, least) > slices.Index(armOrder, m.base) {
			m.base = least
		}
		return true
	}
	return least == m.base || m.given.Has(s.Feature(least).ID) || least == "armv8-a" && m.base == "armv8-r" // which takes the same ones
}

// armOrder is the rising order of the ARM 32 architectures a suffix may need.
var armOrder = []string{"armv7-a", "armv8-a", "armv8.2-a"}

// unit is the flag of the floating point units. From ARMv8.1-M on they are
// suffixes, since -mfpu would take the vectors away again.
func (m *march) unit(w *writer) {
	if len(m.fpus) == 0 {
		return
	}
	s := w.view.isa
	if m.base == "armv8.1-m.main" {
		need, _ := s.Meaning(names(m.fpus))
		m.suffixes = append(m.suffixes, either(need.Has(s.Feature("vfpv3-d16").ID), "fp.dp", "fp"))
		return
	}
	f := leastFPU(w, m.fpus)
	if f == "" {
		w.note(KeyFeatures, "no floating point unit of ARM has all of %s", quote(names(m.fpus)))
		return
	}
	m.fpu = "-mfpu=" + f
}
