package coil

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table"
)

// target checks the machine, step by step, because each step needs the results of the
// previous one.
func (c *checker) target() {
	arch, mode := c.good(targetSection, "Architecture"), c.good(targetSection, "Mode")
	if c.machine.pu == "" || arch == nil {
		return
	}
	c.architecture(arch)
	if c.machine.arch == nil || mode == nil {
		return
	}
	c.mode(arch, mode)
	if c.machine.mode != nil {
		c.features()
	}
}

func (c *checker) architecture(s *Setting) {
	name, pu := s.Value.Text, c.machine.pu
	if arch := c.machine.arch; arch != nil {
		mode := c.good(targetSection, "Mode")
		if hint := c.machine.hint; hint == 0 || mode != nil && mode.Value.Int == uint64(hint) { // otherwise the contradiction between hint and mode is reported
			c.spelling(s.Text, s.Value.quoted, name, arch.Name)
		}
		return
	}
	d := c.report(unknownArch, s.Text, "`%s` is not an architecture of a %s", name, pu)
	for _, other := range c.tables.PUs() {
		if a, _ := c.tables.Arch(other, name); a != nil && isWord(name) {
			d.Helped("it is an architecture of a %s: `PU = %s`", other, other)
			c.because(d, targetSection, "PU")
			return
		}
	}
	var names []string
	for _, a := range c.tables.Of(pu) {
		names = append(names, a.Name)
	}
	if strings.Contains(name, ",") {
		d.Helped("a target has one architecture; write a file for each")
	} else if near := c.nearest(name, names); near != "" {
		d.Suggest(false, near)
	} else {
		d.Helped("there are %s; `coil.targets` in pentode.toml can add others", strings.Join(names, ", "))
	}
}

func (c *checker) mode(arch, s *Setting) {
	bits, hint, mode := int(s.Value.Int), c.machine.hint, c.machine.mode
	if mode == nil {
		d := c.report(modeArch, s.Text, "%s has no mode %d; it has %s", c.machine.arch.Name, bits, numbers(c.machine.arch.Bits()))
		c.because(d, targetSection, "Architecture")
		return
	}
	if hint != 0 && hint != bits {
		c.report(archHint, arch.Text, "`%s` means %d bits, and the mode is %d", arch.Value.Text, hint, bits).
			At(s.At(), "`Mode` decides").
			Helped("write `%s`, or `Mode = %d`", c.machine.arch.Name, hint)
	}
	if mode.Note != "" {
		c.report(doubtfulMode, s.Text, "%s", mode.Note)
	}
}

func numbers(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

// because adds a label at the setting that causes a finding.
func (c *checker) because(d *diag.Diagnostic, section, key string) {
	s := c.Lookup(section, key)
	if s == nil {
		return
	}
	d.At(s.At(), "`%s` is set here", s.Path())
	if s.frame != nil && s.frame.Parent != nil {
		d.Note("%s is %s", s.frame.File.Path(), s.frame.Chain())
	}
}

// has returns what the machine can do: its features with the features they imply, and
// the base features of its mode. sure is false if the list or an element of it is
// wrong: the wrong element is reported, and it may be the feature that the caller
// looks for.
func (c *checker) has() (set table.Set, sure bool) {
	var names []string
	for _, it := range c.items(targetSection, "Features") {
		names = append(names, it.Key)
	}
	set, unknown := c.machine.isa.Meaning(names)
	sure = len(unknown) == 0 && (c.Lookup(targetSection, "Features") == nil || c.good(targetSection, "Features") != nil)
	return set.Union(c.machine.isa.Always(c.machine.mode, set)), sure
}

// spelling reports a name that is not spelt as in the tables.
func (c *checker) spelling(span source.Span, quoted bool, name, canonical string) {
	if name == canonical {
		return
	}
	d := c.report(otherSpelling, span, "`%s` is written `%s`", name, canonical)
	text := canonical
	if quoted {
		text = `"` + canonical + `"`
	}
	d.Replace(true, text)
}

func (c *checker) features() {
	s := c.good(targetSection, "Features")
	if s == nil || len(s.Value.Items) == 0 {
		return
	}
	if c.machine.isa.Open {
		for _, it := range s.Value.Items {
			if !isWord(it.Text) && !c.crowded() {
				c.unknownFeature(it, "a feature")
			}
		}
		c.report(uncheckedFeatures, s.Text, "the features of %s are not in the tables; they are taken as they are", c.machine.arch.Name).
			Helped("`coil.targets` of pentode.toml can add them")
		return
	}
	seen := map[*table.Feature]Item{}
	var order []*table.Feature
	for _, it := range s.Value.Items {
		f := c.feature(it, "a feature")
		if f == nil && c.crowded() {
			return
		}
		if f == nil {
			continue
		}
		if first, there := seen[f]; there {
			c.report(repeatedElement, it.Span, "`%s` is listed twice", it.Text).At(first.Span, "here before")
			continue
		}
		seen[f] = it
		order = append(order, f)
	}
	c.conflicts(order, seen)
}

// feature looks up a name from Features, SIMD or Crypto and reports what is wrong with
// it. It returns nil if no feature has the name.
func (c *checker) feature(it Item, what string) *table.Feature {
	isa, arch := c.machine.isa, c.machine.arch
	match := isa.Feature(it.Key)
	switch {
	case match.Feature == nil || !isWord(it.Text):
		c.unknownFeature(it, what)
		return nil
	case match.How == table.Prefixed:
		c.report(featurePrefix, it.Span, "`%s`: features are named without a sign; the list has the features of the machine", it.Text).
			Helped("write `%s`, or leave it out if the machine does not have it", match.Name)
		return nil
	case match.How == table.Doubtful:
		c.report(doubtfulFeature, it.Span, "`%s` is read as `%s`, which is not quite the same", it.Text, match.Name).
			Helped("write the exact name")
	case it.Text == "AVX512": // the language's document spells it so
	case match.How == table.Respelt || match.How == table.Aliased:
		_, quoted := unquote(it.Raw)
		c.spelling(it.Span, quoted, it.Text, match.Name)
	}
	if match.Obsolete {
		c.report(obsoleteFeature, it.Span, "`%s` exists on old processors only; compilers have dropped it", match.Name)
	}
	if !match.Works(c.machine.mode.Bits) {
		d := c.report(featureMode, it.Span, "`%s` does not work in mode %d of %s", match.Name, c.machine.mode.Bits, arch.Name).
			Helped("it works in mode %s", numbers(match.Modes))
		c.because(d, targetSection, "Mode")
	}
	return match.Feature
}

func (c *checker) unknownFeature(it Item, what string) {
	arch, isa := c.machine.arch, c.machine.isa
	if owners := c.tables.Owners(it.Key); len(owners) > 0 && isWord(it.Text) {
		d := c.report(featureArch, it.Span, "`%s` is not %s of %s", it.Text, what, c.machineName())
		c.because(d, targetSection, "Architecture")
		d.Helped("it belongs to %s", and(owners))
		return
	}
	d := c.report(featureUnknown, it.Span, "`%s` is not %s of %s", it.Text, what, c.machineName())
	if separated(it, d) {
		return
	}
	if near := c.nearest(it.Text, isa.FeatureNames()); near != "" {
		d.Suggest(false, near)
		return
	}
	d.Helped("`pentode target list features %s` lists them", arch.Name)
}

// separated adds help if an element holds several names, and reports whether it does.
func separated(it Item, d *diag.Diagnostic) bool {
	switch {
	case it.Raw != it.Text && strings.Contains(it.Text, ","):
		d.Helped("the quotes make it one element; write the names without them")
	case strings.ContainsAny(it.Text, " \t;|"):
		d.Helped("the elements of a list are separated by commas")
	default:
		return false
	}
	return true
}

// conflicts reports features that no machine has together.
func (c *checker) conflicts(order []*table.Feature, seen map[*table.Feature]Item) {
	isa := c.machine.isa
	item := func(id table.ID) (Item, bool) { it, ok := seen[&isa.Features[id]]; return it, ok }
	for _, pair := range isa.Conflicts {
		a, first := item(pair.A)
		b, second := item(pair.B)
		if first && second {
			c.report(featureConflict, b.Span, "no machine has both `%s` and `%s`", a.Text, b.Text).At(a.Span, "the other one")
		}
	}
	var device *Item
	for _, f := range order {
		if _, ok := target.ComputeCapability(f.Name); !ok {
			continue
		}
		it := seen[f]
		if device != nil {
			c.report(featureConflict, it.Span, "a GPU has one compute capability, and `%s` was named before", device.Text).At(device.Span, "the other one")
			continue
		}
		device = &it
	}
}

// platform checks the platform section, an extension, against the machine and the
// other sections.
func (c *checker) platform() {
	if c.machine.mode == nil || c.section(platformSect) == nil || c.opts.Validator {
		return
	}
	for _, p := range (target.Machines{Tables: c.tables}).Unfit(c.Target()) {
		s := c.good(platformSect, p.Subject.Key)
		if s == nil {
			continue
		}
		if _, sure := c.has(); !sure && p.Subject.Key == string(target.KeyAtomicWidth) {
			continue // not reported: the misspelt feature may be this one
		}
		d := c.report(platformUnfit, s.Text, "%s", p.Message)
		if p.Expected != "" {
			d.Helped("%s", p.Expected)
		}
	}
}
