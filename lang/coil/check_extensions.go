package coil

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/target/table"
)

// extensions checks the instruction set extensions against the machine.
func (c *checker) extensions() {
	if c.machine.pu != "" && c.machine.pu != "GPU" {
		if s := c.good(extSection, "SharedMemory"); s != nil {
			d := c.report(sharedMemory, s.At(), "`SharedMemory` is for GPUs, and this is a %s", c.machine.pu)
			c.because(d, targetSection, "PU")
		}
	}
	if c.machine.isa == nil {
		return
	}
	isa := c.machine.isa
	c.extension("SIMD", "a SIMD extension", isa.SIMD)
	c.extension("Crypto", "a cryptographic extension", isa.Crypto)
	if s := c.good(extSection, "SIMD"); s != nil && len(s.Value.Items) > 1 && !isa.SIMT {
		c.report(severalSIMD, s.Text, "several SIMD extensions are named; each may be used")
	}
}

// extension checks one list. set is the extensions of this kind that the
// architecture has.
func (c *checker) extension(key, what string, set table.Features) {
	s := c.good(extSection, key)
	isa, arch := c.machine.isa, c.machine.arch.Name
	if s == nil || len(s.Value.Items) == 0 || isa.Open {
		return
	}
	if isa.SIMT {
		d := c.report(noExtensions, s.Text, "%s has no %s extensions: every instruction works on many threads", arch, key)
		c.because(d, targetSection, "Architecture")
		return
	}
	names := set.Names(isa)
	has, sure := c.has()
	for _, it := range s.Value.Items {
		f := isa.Feature(it.Key)
		switch {
		case f.Feature == nil || f.How == table.Prefixed:
			if c.crowded() {
				return
			}
			c.unknownExtension(it, what, names)
			continue
		case key == "SIMD" && slices.Contains(isa.NotSIMD.Names(isa), f.Name):
			c.report(notSIMD, it.Span, "`%s` is a floating-point unit, not a SIMD extension", f.Name)
		case !slices.Contains(names, f.Name):
			c.report(extensionArch, it.Span, "`%s` is a feature of %s, but not %s", it.Text, c.machineName(), what).
				Helped("they are %s; others belong in `Features`", and(names))
			continue
		}
		c.feature(it, what)
		if need, _ := isa.Meaning([]string{it.Key}); sure && !need.Within(has) {
			d := c.report(extNotInFeatures, it.Span, "`Features` does not have `%s`; a compiler may refuse it", f.Name)
			if fs := c.Lookup(targetSection, "Features"); fs != nil {
				d.At(fs.At(), "the features")
			}
		}
	}
}

func (c *checker) unknownExtension(it Item, what string, names []string) {
	d := c.report(extensionArch, it.Span, "`%s` is not %s of %s", it.Text, what, c.machineName())
	c.because(d, targetSection, "Architecture")
	owners := c.tables.Owners(it.Key)
	switch near := c.nearest(it.Text, names); {
	case separated(it, d):
	case near != "":
		d.Suggest(false, near)
	case len(owners) > 0:
		d.Helped("it belongs to %s", and(owners))
	case len(names) == 0:
		d.Helped("%s has none", c.machineName())
	default:
		d.Helped("there are %s", strings.Join(names[:min(len(names), 24)], ", "))
	}
}
