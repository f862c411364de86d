package coil

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/target/table"
)

// checkExtensions checks the instruction set extensions against the machine.
func (m *Model) checkExtensions() {
	if m.machine.pu != "" && m.machine.pu != "GPU" {
		if s := m.good(extSection, "SharedMemory"); s != nil {
			d := m.report(sharedMemory, s.At(), "`SharedMemory` is for GPUs, and this is a %s", m.machine.pu)
			m.because(d, targetSection, "PU")
		}
	}
	if m.machine.isa == nil {
		return
	}
	isa := m.machine.isa
	m.extension("SIMD", "a SIMD extension", isa.SIMD)
	m.extension("Crypto", "a cryptographic extension", isa.Crypto)
	if s := m.good(extSection, "SIMD"); s != nil && len(s.Value.Items) > 1 && !isa.SIMT {
		m.report(severalSIMD, s.Text, "several SIMD extensions are named; each may be used")
	}
}

// extension checks one list; set is what the architecture has of this kind.
func (m *Model) extension(key, what string, set table.Features) {
	s := m.good(extSection, key)
	isa, arch := m.machine.isa, m.machine.arch.Name
	if s == nil || len(s.Value.Items) == 0 || isa.Open {
		return
	}
	if isa.SIMT {
		d := m.report(noExtensions, s.Text, "%s has no %s extensions: every instruction works on many threads", arch, key)
		m.because(d, targetSection, "Architecture")
		return
	}
	names := set.Names(isa)
	has, sure := m.has()
	for _, it := range s.Value.Items {
		f := isa.Feature(it.Key)
		switch {
		case f.Feature == nil || f.How == table.Prefixed:
			if m.crowded() {
				return
			}
			m.unknownExtension(it, what, names)
			continue
		case key == "SIMD" && slices.Contains(isa.NotSIMD.Names(isa), f.Name):
			m.report(notSIMD, it.Span, "`%s` is a floating-point unit, not a SIMD extension", f.Name)
		case !slices.Contains(names, f.Name):
			m.report(extensionArch, it.Span, "`%s` is a feature of %s, but not %s", clip(it.Text), m.machineName(), what).
				Helped("they are %s; others belong into `Features`", and(names))
			continue
		}
		m.feature(it, what)
		if need, _ := isa.Meaning([]string{it.Key}); sure && !need.Within(has) {
			d := m.report(extNotInFeatures, it.Span, "`Features` does not have `%s`; a compiler may refuse it", f.Name)
			if fs := m.get(targetSection, "Features"); fs != nil {
				d.At(fs.At(), "the features")
			}
		}
	}
}

func (m *Model) unknownExtension(it Item, what string, names []string) {
	d := m.report(extensionArch, it.Span, "`%s` is not %s of %s", clip(it.Text), what, m.machineName())
	m.because(d, targetSection, "Architecture")
	owners := m.tables.Owners(it.Key)
	switch near := m.meant(it.Text, names); {
	case separated(it, d):
	case near != "":
		d.Suggest(false, near)
	case len(owners) > 0:
		d.Helped("it belongs to %s", and(owners))
	case len(names) == 0:
		d.Helped("%s has none", m.machineName())
	default:
		d.Helped("there are %s", strings.Join(names[:min(len(names), 24)], ", "))
	}
}
