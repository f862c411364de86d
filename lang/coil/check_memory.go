package coil

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/target"
)

// wideAlignment is the alignment above which a value is probably a mistake.
const wideAlignment = 65536

// optimization checks the optimization settings. If both preferences are on,
// it reports which one wins.
func (c *checker) optimization() {
	size, speed := c.good(optimizeSect, "SizeOptimization"), c.good(optimizeSect, "SpeedOptimization")
	if size == nil || speed == nil || !size.Value.Bool || !speed.Value.Bool {
		return
	}
	c.report(bothPreferences, speed.At(), "size and speed are both preferred; here %s wins", c.preference()).
		At(size.At(), "the other preference").
		Helped("speed wins from `Level = 2` on, size below that")
}

// memory checks the memory settings against what the machine can do. The
// language's document forbids no combination, so these findings are warnings.
func (c *checker) memory() {
	if a := c.good(memorySection, "Alignment"); a != nil && a.Value.Int > wideAlignment {
		c.report(largeValue, a.Text, "an alignment of %d bytes is unusual", a.Value.Int)
	}
	if c.machine.mode == nil {
		return
	}
	c.endianness()
	if s := c.good(memorySection, "Model"); s != nil && !slices.Contains(c.machine.mode.Models, s.Value.Text) {
		d := c.report(memoryModel, s.Text, "%s has no %s memory in mode %d", c.machine.arch.Name, strings.ToLower(s.Value.Text), c.machine.mode.Bits).
			Helped("it has %s", and(c.machine.mode.Models))
		c.because(d, targetSection, "Architecture")
	}
	if s := c.good(memorySection, "StackGrowth"); s != nil && s.Value.Text == "Up" {
		c.report(stackGrowth, s.Text, "the stack of %s grows down", c.machine.arch.Name)
	}
}

func (c *checker) endianness() {
	s := c.good(memorySection, "Endianness")
	if s == nil {
		return
	}
	mode, arch := c.machine.mode, c.machine.arch.Name
	usual, possible := mode.Allows(s.Value.Text)
	switch {
	case usual:
	case possible:
		c.report(endianness, s.Text, "%s with %s-endian memory exists only on paper", arch, strings.ToLower(s.Value.Text)).Helped("%s", mode.RareNote)
	default:
		d := c.report(endianness, s.Text, "no %s machine is %s-endian in mode %d", arch, strings.ToLower(s.Value.Text), mode.Bits)
		c.because(d, targetSection, "Architecture")
	}
}

// preprocessor reports constants that are defined twice.
func (c *checker) preprocessor() {
	seen := map[string]Item{}
	for _, it := range c.items(preprocSection, "Define") {
		name := parseDefine(it).Name
		if first, there := seen[name]; there {
			c.report(repeatedDefine, it.Span, "`%s` is defined again; this one counts", name).At(first.Span, "defined here before")
		}
		seen[name] = it
	}
	for _, it := range c.items(preprocSection, "Include") {
		if path, flag := strings.CutPrefix(it.Text, "-I"); flag && path != "" {
			c.report(includeFlag, it.Span, "`%s` is the flag of a compiler; a folder has a path", it.Text).
				Helped("write `%s`", path).Replace(true, path)
		} else if c.opts.PathExists != nil {
			c.exists(it.Text, it)
		}
	}
}

func (c *checker) exists(path string, it Item) {
	if !c.opts.PathExists(path) {
		c.report(pathMissing, it.Span, "the folder `%s` does not exist on this machine", path)
	}
}

// linker checks the output format and, if the user asked for it, the library
// folder.
func (c *checker) linker() {
	if s := c.good(linkerSection, "DefaultLibraryPath"); s != nil && c.opts.PathExists != nil {
		c.exists(s.Value.Text, Item{Span: s.Text})
	}
	s := c.good(linkerSection, "OutputFormat")
	if s == nil || c.machine.arch == nil {
		return
	}
	formats := target.Formats(c.machine.pu, c.machine.arch.Name)
	if slices.Contains(formats, s.Value.Text) {
		return
	}
	d := c.report(outputFormat, s.Text, "programs for %s do not come as %s", c.machine.arch.Name, s.Value.Text).
		Helped("they come as %s", and(formats))
	c.because(d, targetSection, "Architecture")
}
