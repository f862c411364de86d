package coil

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table"
)

// checkTarget checks the machine: each step needs the one before it.
func (m *Model) checkTarget() {
	m.machine.pu = m.processor()
	arch := m.good(targetSection, "Architecture")
	if m.machine.pu == "" || arch == nil {
		return
	}
	hint := m.checkArch(arch)
	mode := m.good(targetSection, "Mode")
	if m.machine.arch == nil || mode == nil {
		return
	}
	m.checkMode(arch, mode, hint)
	if m.machine.mode == nil {
		return
	}
	m.checkFeatures()
}

// processor is the PU, also where only its case is wrong: everything else can
// be checked all the same.
func (m *Model) processor() string {
	if s := m.get(targetSection, "PU"); s != nil {
		for _, pu := range s.key.Enum {
			if strings.EqualFold(pu, s.Value.Text) {
				return pu
			}
		}
	}
	return ""
}

// checkArch finds the architecture and says what a name such as x86_64 tells
// about the mode.
func (m *Model) checkArch(s *Setting) (hint int) {
	name, pu := short(s.Value.Text), m.machine.pu
	arch, hint := m.tables.Arch(pu, name)
	if arch != nil {
		m.machine.arch = arch
		if hint == 0 || m.modeIs(hint) { // else the hint is the finding
			m.spelling(s.Text, s.Value.quoted, name, arch.Name)
		}
		return hint
	}
	d := m.report(unknownArch, s.Text, "`%s` is not an architecture of a %s", clip(name), pu)
	for _, other := range m.tables.PUs() {
		if a, _ := m.tables.Arch(other, name); a != nil {
			d.Helped("it is one of a %s: `PU = %s`", other, other)
			m.because(d, targetSection, "PU")
			return 0
		}
	}
	var names []string
	for _, a := range m.tables.Of(pu) {
		names = append(names, a.Name)
	}
	if strings.Contains(name, ",") {
		d.Helped("a target has one architecture; write a file for each")
	} else if near := m.meant(name, names); near != "" {
		d.Suggest(false, near)
	} else {
		d.Helped("there are %s; further ones come with `--targets FILE.json`", strings.Join(names, ", "))
	}
	return 0
}

func (m *Model) modeIs(bits int) bool {
	s := m.good(targetSection, "Mode")
	return s != nil && s.Value.Int == uint64(bits)
}

func (m *Model) checkMode(arch, s *Setting, hint int) {
	bits := int(s.Value.Int)
	isa, mode := m.machine.arch.Mode(bits)
	if mode == nil {
		d := m.report(modeArch, s.Text, "%s has no mode %d; it has %s", m.machine.arch.Name, bits, numbers(m.machine.arch.Bits()))
		m.because(d, targetSection, "Architecture")
		return
	}
	m.machine.isa, m.machine.mode = isa, mode
	if hint != 0 && hint != bits {
		m.report(archHint, arch.Text, "`%s` means %d bits, and the mode is %d", clip(arch.Value.Text), hint, bits).
			At(s.At(), "`Mode` decides").
			Helped("write `%s`, or `Mode = %d`", m.machine.arch.Name, hint)
	}
	if mode.Note != "" {
		m.report(doubtfulMode, s.Text, "%s", mode.Note)
	}
}

func numbers(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

// because points at the setting that a finding follows from.
func (m *Model) because(d *diag.Diagnostic, section, key string) {
	s := m.get(section, key)
	if s == nil {
		return
	}
	d.At(s.At(), "`%s` is set here", s.Path())
	if s.frame != nil && s.frame.Parent != nil {
		d.Note("%s is %s", s.frame.File.Path(), s.frame.Chain())
	}
}

// spelling tells how a name is written that was understood another way.
func (m *Model) spelling(span source.Span, quoted bool, name, canonical string) {
	if name == canonical {
		return
	}
	d := m.report(otherSpelling, span, "`%s` is written `%s`", clip(name), canonical)
	text := canonical
	if quoted {
		text = `"` + canonical + `"`
	}
	d.Replace(true, text)
}

func (m *Model) checkFeatures() {
	s := m.good(targetSection, "Features")
	if s == nil || len(s.Value.Items) == 0 {
		return
	}
	if m.machine.isa.Open {
		m.report(uncheckedFeatures, s.Text, "the features of %s are not in the tables; they are taken as they are", m.machine.arch.Name).
			Helped("`--targets FILE.json` can add them")
		return
	}
	seen := map[*table.Feature]Item{}
	var order []*table.Feature
	for _, it := range s.Value.Items {
		f := m.feature(it, "a feature")
		if f == nil && m.crowded() {
			return
		}
		if f == nil {
			continue
		}
		if first, there := seen[f]; there {
			m.report(repeatedElement, it.Span, "`%s` is listed twice", clip(it.Text)).At(first.Span, "here before")
			continue
		}
		seen[f] = it
		order = append(order, f)
	}
	m.redundant(order, seen)
	m.conflicts(order, seen)
}

// feature understands a name of Features, SIMD or Crypto and says what is wrong with
// it; nil where nothing is known by it.
func (m *Model) feature(it Item, what string) *table.Feature {
	isa, arch := m.machine.isa, m.machine.arch
	match := isa.Feature(it.Key)
	switch {
	case match.Feature == nil:
		m.unknownFeature(it, what)
		return nil
	case match.How == table.Prefixed:
		m.report(featurePrefix, it.Span, "`%s`: features are named without a sign; a list has what the machine has", clip(it.Text)).
			Helped("write `%s`, or leave it out if the machine does not have it", match.Name)
		return nil
	case match.How == table.Doubtful:
		m.report(doubtfulFeature, it.Span, "`%s` is read as `%s`, which is not quite the same", clip(it.Text), match.Name).
			Helped("write the name that is meant")
	case it.Text == "AVX512": // as the language's document writes it
	case match.How == table.Respelt || match.How == table.Aliased:
		_, quoted := unquote(it.Raw)
		m.spelling(it.Span, quoted, it.Text, match.Name)
	}
	if match.Obsolete {
		m.report(obsoleteFeature, it.Span, "`%s` exists on old processors only; compilers have dropped it", match.Name)
	}
	if !match.Works(m.machine.mode.Bits) {
		d := m.report(featureMode, it.Span, "`%s` does not work in mode %d of %s", match.Name, m.machine.mode.Bits, arch.Name).
			Helped("it works in mode %s", numbers(match.Modes))
		m.because(d, targetSection, "Mode")
	}
	return match.Feature
}

func (m *Model) unknownFeature(it Item, what string) {
	arch, isa := m.machine.arch, m.machine.isa
	if owners := m.tables.Owners(it.Key); len(owners) > 0 {
		d := m.report(featureArch, it.Span, "`%s` is not %s of %s", clip(it.Text), what, m.machineName())
		m.because(d, targetSection, "Architecture")
		d.Helped("it belongs to %s", and(owners))
		return
	}
	d := m.report(featureUnknown, it.Span, "`%s` is not %s of %s", clip(it.Text), what, m.machineName())
	if separated(it, d) {
		return
	}
	if near := m.meant(it.Text, isa.FeatureNames()); near != "" {
		d.Suggest(false, near)
		return
	}
	d.Helped("`pentode target list features %s` lists them", arch.Name)
}

// separated helps where several names stand where one should, and reports whether they do.
func separated(it Item, d *diag.Diagnostic) bool {
	switch {
	case it.Raw != it.Text && strings.Contains(it.Text, ","):
		d.Helped("quotes make one element of it; write the names without them")
	case strings.ContainsAny(it.Text, " \t;|"):
		d.Helped("the elements of a list are separated by commas")
	default:
		return false
	}
	return true
}

// machineName is the architecture, with its mode where modes differ in what they know.
func (m *Model) machineName() string {
	if len(m.machine.arch.ISAs) > 1 {
		return fmt.Sprintf("%s in mode %d", m.machine.arch.Name, m.machine.mode.Bits)
	}
	return m.machine.arch.Name
}

// redundant tells in one finding which features others of the list bring along.
func (m *Model) redundant(order []*table.Feature, seen map[*table.Feature]Item) {
	var pairs []string
	var first source.Span
	for _, f := range order {
		if _, device := target.ComputeCapability(f.Name); device {
			continue // several of them are a conflict
		}
		for _, by := range order {
			if f != by && implies(m.machine.isa, by, f) && !implies(m.machine.isa, f, by) {
				if pairs == nil {
					first = seen[f].Span
				}
				pairs = append(pairs, fmt.Sprintf("`%s` comes with `%s`", f.Name, by.Name))
				break
			}
		}
	}
	if pairs == nil {
		return
	}
	d := m.report(impliedFeature, first, "%s", pairs[0])
	if len(pairs) > 1 {
		d.Note("and %s", and(pairs[1:]))
	}
}

func implies(isa *table.ISA, by, f *table.Feature) bool {
	return slices.ContainsFunc(by.Implies, func(id table.ID) bool { return &isa.Features[id] == f })
}

// conflicts are features that no machine has both of.
func (m *Model) conflicts(order []*table.Feature, seen map[*table.Feature]Item) {
	isa := m.machine.isa
	item := func(id table.ID) (Item, bool) { it, ok := seen[&isa.Features[id]]; return it, ok }
	for _, c := range isa.Conflicts {
		a, first := item(c.A)
		b, second := item(c.B)
		if first && second {
			m.report(featureConflict, b.Span, "no machine has both `%s` and `%s`", a.Text, b.Text).At(a.Span, "the other one")
		}
	}
	var device *Item
	for _, f := range order {
		if _, ok := target.ComputeCapability(f.Name); !ok {
			continue
		}
		it := seen[f]
		if device != nil {
			m.report(featureConflict, it.Span, "a GPU has one compute capability, and `%s` was named before", device.Text).At(device.Span, "the other one")
			continue
		}
		device = &it
	}
}
