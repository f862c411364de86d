package target

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/target/table"
)

// march gathers what goes into -march, -mcpu and -mfpu.
type march struct {
	base     string
	given    table.Set // what the base brings, which needs no flags
	since    int       // the first version that has all of -march
	fixed    bool      // the target names its architecture: nothing lifts it
	suffixes []string
	fpus     []*table.Feature
	fpu      string // the flag of those
	cpuKind  string // "march", "mcpu" or "mmcu" for a device
	cpu      *table.Feature
	cpuText  string
	ids      []string // AMD's xnack+ and the like
	singles  []single
}

// single is a flag of its own.
type single struct {
	flag  string
	of    *table.Feature
	since int
}

// single adds a flag. Of an option that takes a value (-mhvx=v66) the compiler
// heeds the last, so only the feature that implies the others is written.
func (m *march) single(s *table.ISA, flag string, f *table.Feature, since int) {
	option := func(flag string) string { name, _, _ := strings.Cut(flag, "="); return name }
	for i, old := range m.singles {
		switch {
		case old.flag == flag:
			return
		case option(old.flag) != option(flag):
		case implies(s, old.of, f):
			return
		default:
			m.singles[i] = single{flag, f, since}
			return
		}
	}
	m.singles = append(m.singles, single{flag, f, since})
}

// suffix adds an extension.
func (m *march) suffix(name string) {
	if !slices.Contains(m.suffixes, name) {
		m.suffixes = append(m.suffixes, name)
	}
}

// takes reports whether -march takes a feature that needs at least an architecture: on
// 32-bit ARM one that the target names or may have, on 64-bit ARM a level that is given.
func (m *march) takes(w *writer, least string) bool {
	if w.t.Mode == 32 {
		return m.takesARM(w.view.isa, least)
	}
	level, ok := w.view.isa.Processor(least)
	return !ok || level.Within(m.given)
}

// device sets the one processor of a GPU or DSP: of two that are asked for, the
// one that has the other; the features that a smaller one has come with it.
func (m *march) device(w *writer, kind, text string, f *table.Feature) {
	if m.cpu != nil {
		s := w.view.isa
		old, _ := s.Meaning([]string{m.cpu.Key})
		now, _ := s.Meaning([]string{f.Key})
		switch {
		case now.Within(old):
			return
		case !old.Within(now):
			w.note(KeyFeatures, "%s builds for one device: `%s` stays out beside `%s`", w.c.Name, f.Name, m.cpu.Name)
			return
		}
	}
	m.cpuKind, m.cpuText, m.cpu = kind, text, f
}

// flags writes it all, in the compiler's order.
func (m *march) flags(w *writer) {
	if m.cpu != nil {
		id := m.cpuText
		for _, x := range m.ids {
			id += ":" + x
		}
		w.addSince("-"+m.cpuKind+"="+id, m.since)
	} else if len(m.ids) > 0 {
		w.note(KeyFeatures, "%s needs a gfx name among the features", w.c.Name)
	}
	m.unit(w)
	if m.base != "" && m.cpu == nil {
		text := m.base
		if w.view.arch.Name == "RISC-V" {
			text += isaText(m.suffixes)
		} else if len(m.suffixes) > 0 {
			text += "+" + strings.Join(m.suffixes, "+")
		}
		w.addSince("-march="+text, m.since)
	}
	if m.fpu != "" {
		w.add(m.fpu)
	}
	for _, s := range m.singles {
		w.addSince(s.flag, s.since)
	}
}

// leastFPU is the smallest unit that has everything the named units have.
func leastFPU(w *writer, want []*table.Feature) string {
	s := w.view.isa
	need, _ := s.Meaning(names(want))
	best, bestSize := "", 0
	for i := range s.Features {
		f := &s.Features[i]
		o := f.For(w.clang())
		name, ok := strings.CutPrefix(o.Flag, "fpu:")
		if !ok || !o.In(w.c.Major) {
			continue
		}
		has := s.Closure(table.ID(i))
		if size := len(has.List()); need.Within(has) && (best == "" || size < bestSize) {
			best, bestSize = name, size
		}
	}
	return best
}

func names(fs []*table.Feature) []string {
	out := make([]string, len(fs))
	for i, f := range fs {
		out[i] = f.Name
	}
	return out
}

// riscv completes the ISA string: its base letter, and what an ABI that passes
// floats in registers cannot do without.
func (w *writer) riscv(m *march) {
	have := w.view.set
	has := func(key string) bool { return have.Has(w.view.isa.Feature(key).ID) }
	switch {
	case has("i"):
		m.suffixes = slices.DeleteFunc(m.suffixes, func(k string) bool { return k == "e" })
		m.suffix("i")
	case w.t.Mode == 64 && !w.clang() && w.c.Major != 0 && w.c.Major < 14:
		w.note(KeyFeatures, "gcc %d has no 64 bit base `E`: it came with version 14", w.c.Major)
		m.base = ""
	case !slices.Contains(m.suffixes, "e"):
		m.base = "" // a compiler without E must not build for I
	}
	if !has("zve32x") {
		lengths := func(k string) bool { return strings.HasPrefix(k, "zvl") }
		if slices.ContainsFunc(m.suffixes, lengths) {
			w.note(KeyFeatures, "%s takes a vector length (Zvl…) only beside `V` or a `Zve…`: no flag", w.c.Name)
			m.suffixes = slices.DeleteFunc(m.suffixes, lengths)
		}
	}
	float := w.t.Platform.FloatABI
	if w.t.ABI == nil && (!w.clang() || float != "") && m.base != "" {
		// A gcc has one convention of its own, and refuses a machine that is too small for it.
		abi := map[int]string{32: "ilp32", 64: "lp64"}[w.t.Mode]
		switch {
		case !has("i"):
			abi += "e"
		case float == "Soft":
		case slices.Contains(m.suffixes, "d"):
			abi += "d"
		case slices.Contains(m.suffixes, "f"):
			abi += "f"
		}
		w.add("-mabi=" + abi)
	}
	if w.abi == nil {
		return
	}
	for _, key := range w.abi.Needs {
		need, _ := w.view.isa.Meaning([]string{key})
		if !need.Within(have) {
			w.note(KeyABI, "ABI `%s` needs the feature `%s`, which the target does not name", w.abi.Name, strings.ToUpper(key))
		}
	}
}

// isaText joins RISC-V extensions in the order that compilers take.
func isaText(keys []string) string {
	keys = slices.Clone(keys)
	table.MarchOrder(keys)
	var out strings.Builder
	for _, k := range keys {
		if len(k) > 1 {
			out.WriteByte('_')
		}
		out.WriteString(k)
	}
	return out.String()
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
