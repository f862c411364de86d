package target

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/target/table"
)

// march gathers the parts of -march, -mcpu and -mfpu.
type march struct {
	base     string
	given    table.Set // the features of the base, which need no flags
	since    int       // the first compiler version that accepts all of -march
	fixed    bool      // the target names its architecture, so no feature raises it
	suffixes []string
	fpus     []*table.Feature
	fpu      string // the -mfpu flag
	cpuKind  string // "march", "mcpu" or "mmcu" for a device
	cpu      *table.Feature
	cpuText  string
	ids      []string // AMD's xnack+ and the like
	singles  []single
}

// single is a separate flag for one feature.
type single struct {
	flag  string
	of    *table.Feature
	since int
}

// single adds a flag. The compiler uses the last value of an option such as -mhvx=v66, so only
// the feature that implies the others is written.
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

// suffix adds an extension to -march.
func (m *march) suffix(name string) {
	if !slices.Contains(m.suffixes, name) {
		m.suffixes = append(m.suffixes, name)
	}
}

// takes reports whether -march accepts a feature that needs at least the architecture least. On 32-bit ARM the target must
// name such an architecture, or none; on 64-bit ARM the start of -march must include that level.
func (m *march) takes(w *writer, least string) bool {
	if w.t.Mode == 32 {
		return m.takesARM(w.view.isa, least)
	}
	level, ok := w.view.isa.Processor(least)
	return !ok || level.Within(m.given)
}

// device sets the one processor of a GPU or DSP. If two are given, it keeps the more capable one, which implies the other.
func (m *march) device(w *writer, kind, text string, f *table.Feature) {
	if m.cpu != nil {
		s := w.view.isa
		old, _ := s.Meaning([]string{m.cpu.Key})
		now, _ := s.Meaning([]string{f.Key})
		switch {
		case now.Within(old):
			return
		case !old.Within(now):
			w.note(KeyFeatures, "%s builds for one device: it gets no `%s` besides `%s`", w.c.Name, f.Name, m.cpu.Name)
			return
		}
	}
	m.cpuKind, m.cpuText, m.cpu = kind, text, f
}

// flags writes all options in the compiler's order.
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

// leastFPU returns the smallest unit that has everything the named units have.
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

// riscv completes the ISA string: it adds the base letter, and the extensions needed by an ABI
// that passes floats in registers.
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
		m.base = "" // if the compiler has no E base, the code must not be built for I
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
		// A gcc has one default convention, and refuses a machine that is too small for it.
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

// isaText joins RISC-V extensions in the order that compilers expect.
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

// arm begins -march of a 32-bit ARM with the architecture that the target names. If it names
// none, arm uses the mode's own architecture, which features may raise.
func (w *writer) arm(m *march, wanted []*table.Feature) {
	s := w.view.isa
	set, _ := s.Meaning(names(wanted))
	arch, unfit := armArch(s, set)
	if unfit != nil {
		w.note(KeyFeatures, "%s builds for one architecture: it gets no `%s` besides `%s`", w.c.Name, unfit.Name, arch.Name)
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

// takesARM reports whether the architecture accepts a suffix or a unit that needs at least
// another architecture. If the target names no architecture, takesARM raises it to that one.
func (m *march) takesARM(s *table.ISA, least string) bool {
	if !m.fixed {
		if slices.Index(armOrder, least) > slices.Index(armOrder, m.base) {
			m.base = least
		}
		return true
	}
	return least == m.base || m.given.Has(s.Feature(least).ID) || least == "armv8-a" && m.base == "armv8-r" // armv8-r takes the same suffixes
}

// armOrder lists the 32-bit ARM architectures that a suffix may need, in rising order.
var armOrder = []string{"armv7-a", "armv8-a", "armv8.2-a"}

// unit returns the flag of the floating point units. From ARMv8.1-M on the units are suffixes,
// since -mfpu would remove the vector instructions.
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
