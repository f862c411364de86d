package coil

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table"
)

// checkABI checks calls: the convention, its registers, its numbers.
func (m *Model) checkABI() {
	if s := m.good(abiSection, "StackAlignment"); s != nil && s.Value.Int > target.MaxStackAlignment {
		m.report(largeValue, s.Text, "COIL's binary form holds a stack alignment of at most %d", target.MaxStackAlignment)
	}
	if s := m.good(abiSection, "RedZoneSize"); s != nil && s.Value.Int > target.MaxRedZone {
		m.report(largeValue, s.Text, "COIL's binary form holds a red zone of at most %d bytes", target.MaxRedZone)
	}
	if m.machine.mode == nil {
		return
	}
	abi := m.abi()
	m.registers(abi, "ParameterRegisters")
	m.registers(abi, "ReturnRegisters")
}

// abi finds the convention; nil for a custom one and for none.
func (m *Model) abi() *table.ABI {
	s := m.good(abiSection, "Name")
	if s == nil {
		return nil
	}
	name, arch, bits := short(s.Value.Text), m.machine.arch.Name, m.machine.mode.Bits
	abi, homes := m.tables.ABI(name, m.machine.pu, arch, bits)
	switch {
	case abi != nil:
		m.spelling(s.Text, s.Value.quoted, name, abi.Name)
		m.abiNeeds(s, abi)
	case len(homes) > 0:
		d := m.report(abiArch, s.Text, "`%s` is the ABI of %s, not of %s in mode %d", clip(name), strings.Join(homes, " and of "), arch, bits)
		m.because(d, targetSection, "Architecture")
		if there := m.tables.ABIsOn(m.machine.pu, arch, bits); len(there) > 0 {
			d.Helped("here there are %s, or a name of your own", and(there))
		}
	default:
		d := m.report(customABI, s.Text, "`%s` is not a known ABI; it is taken for one of your own", clip(name))
		if near := m.meant(name, m.tables.ABIsOn(m.machine.pu, arch, bits)); near != "" {
			d.Helped("did you mean `%s`?", near)
		}
	}
	return abi
}

// abiNeeds says which features an ABI cannot do without.
func (m *Model) abiNeeds(s *Setting, abi *table.ABI) {
	has, sure := m.has()
	if !sure {
		return
	}
	var lacks []string
	for _, key := range abi.Needs {
		f := m.machine.isa.Feature(key)
		if need, _ := m.machine.isa.Meaning([]string{key}); f.Feature != nil && !need.Within(has) {
			lacks = append(lacks, f.Name)
		}
	}
	if len(lacks) > 0 && !m.machine.isa.Open {
		m.report(abiNeeds, s.Text, "the ABI `%s` needs `%s`, which the target does not name", abi.Name, strings.Join(lacks, "`, `")).
			Helped("add it to `Features` in `[Target]`")
	}
}

// has is what the machine can do: its features with what they imply, and the
// base of its mode. It is not sure where an element or the whole list is wrong,
// which was said and may be the very one that is looked for.
func (m *Model) has() (set table.Set, sure bool) {
	var names []string
	for _, it := range m.items(targetSection, "Features") {
		names = append(names, it.Key)
	}
	set, unknown := m.machine.isa.Meaning(names)
	sure = len(unknown) == 0 && (m.get(targetSection, "Features") == nil || m.good(targetSection, "Features") != nil)
	return set.Union(m.machine.isa.Always(m.machine.mode, set)), sure
}

// registers checks a list of registers by itself and against the convention.
func (m *Model) registers(abi *table.ABI, key string) {
	s := m.good(abiSection, key)
	if s == nil || len(s.Value.Items) == 0 {
		return
	}
	mode := m.machine.mode
	if mode.NoRegisters {
		m.report(noRegisters, s.Text, "%s has no registers that a program could name", m.machine.arch.Name).
			Helped("leave `%s` out", key)
		return
	}
	if abi != nil && abi.Any || len(mode.Registers) == 0 {
		return
	}
	seen := map[string]Item{}
	names := make([]string, 0, len(s.Value.Items))
	fine := true
	for _, it := range s.Value.Items {
		name := strings.ToLower(it.Key)
		switch first, there := seen[name]; {
		case !mode.HasRegister(it.Key):
			if fine = false; m.crowded() {
				return
			}
			m.unknownRegister(it)
		case there:
			m.report(repeatedElement, it.Span, "the register `%s` is listed twice", clip(it.Text)).At(first.Span, "here before")
		default:
			m.registerSpelling(it)
		}
		seen[name] = it
		names = append(names, name)
	}
	if abi == nil || !fine {
		return
	}
	want := abi.Parameters
	if key == "ReturnRegisters" {
		want = abi.Returns
	}
	if !slices.EqualFunc(names, want, strings.EqualFold) {
		d := m.report(abiRegisters, s.Text, "the ABI `%s` has other registers here", abi.Name)
		if len(want) == 0 {
			d.Helped("it has none: everything is on the stack")
		} else {
			d.Helped("they are `%s`; with other registers it is an ABI of your own, with a name of its own", strings.Join(want, ","))
		}
		m.because(d, abiSection, "Name")
	}
}

// registerSpelling tells how a register is written that was found in another case.
func (m *Model) registerSpelling(it Item) {
	if it.Text == strings.ToLower(it.Text) || m.crowded() {
		return
	}
	names := m.machine.mode.RegisterNames()
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, it.Text) }); i >= 0 {
		_, quoted := unquote(it.Raw)
		m.spelling(it.Span, quoted, it.Text, names[i])
	}
}

func (m *Model) unknownRegister(it Item) {
	mode := m.machine.mode
	d := m.report(unknownRegister, it.Span, "`%s` is not a register of %s in mode %d", clip(it.Text), m.machine.arch.Name, mode.Bits)
	if list := m.registerRange(it.Text); list != nil {
		d.Helped("registers are listed one by one: `%s`", strings.Join(list, ","))
		return
	}
	m.because(d, targetSection, "Architecture")
	if near := m.meant(it.Text, mode.RegisterNames()); near != "" && len(it.Text) > 2 {
		d.Suggest(false, near)
	}
}

// registerRange writes `r8-r15` out, or is nil where a text is no range of registers.
func (m *Model) registerRange(text string) []string {
	low, high, ok := strings.Cut(strings.ToLower(text), "-")
	if !ok || len(text) > 16 {
		return nil
	}
	low, high = strings.TrimSpace(low), strings.TrimSpace(high)
	if !m.machine.mode.HasRegister(low) || !m.machine.mode.HasRegister(high) {
		return nil
	}
	if list := table.Expand([]string{low + ".." + high}); len(list) > 1 {
		return list
	}
	return nil
}
