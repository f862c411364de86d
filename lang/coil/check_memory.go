package coil

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/target"
)

// wideAlignment is the alignment above which a value is probably a mistake.
const wideAlignment = 65536

// optimization reports which preference wins where both are on.
func (c *checker) optimization() {
	size, speed := c.good(optimizeSect, "SizeOptimization"), c.good(optimizeSect, "SpeedOptimization")
	if size == nil || speed == nil || !size.Value.Bool || !speed.Value.Bool {
		return
	}
	c.report(bothPreferences, speed.At(), "size and speed are both preferred; here %s wins", c.preference()).
		At(size.At(), "the other preference").
		Helped("speed wins from `Level = 2`, size below")
}

// memory checks how memory looks against what the machine can do. The
// language's document does not forbid any combination, so these are warnings.
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
		c.report(endianness, s.Text, "%s with %s-endian memory exists on paper", arch, strings.ToLower(s.Value.Text)).Helped("%s", mode.RareNote)
	default:
		d := c.report(endianness, s.Text, "no %s machine is %s-endian in mode %d", arch, strings.ToLower(s.Value.Text), mode.Bits)
		c.because(d, targetSection, "Architecture")
	}
}

// preprocessor looks for constants that are defined twice.
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

// define checks `NAME` or `NAME=VALUE`.
func (c *checker) define(it Item) {
	name, value, assigned := cutDefine(it)
	switch {
	case !isIdentifier(name):
		c.report(badDefine, it.Span, "`%s` is not a name for a constant: letters, digits and `_`, not beginning with a digit", name).
			Helped("write `NAME` or `NAME=VALUE`")
	case assigned && value == "":
		c.report(badDefine, it.Span, "`%s` has no value after its `=`", name).
			Helped("write `%s` alone, or `%s=VALUE`", name, name)
	case !isWhole(value):
		c.report(quoteInside, it.Span, "a quote in the middle of a text").Helped("put all of the value into quotes: `NAME=\"VALUE\"`")
	case it.Raw == it.Text:
		text, _ := unquote(value)
		c.blanks(it.Span.File.Span(it.Span.End-len(value), it.Span.End), text, value)
	}
}

// linker checks the output format and, where asked for, the folder.
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

// library checks the name of a library.
func (c *checker) library(it Item) {
	switch {
	case len(it.Text) > 2 && strings.HasPrefix(it.Text, "-l"):
		c.report(badLibrary, it.Span, "`%s` is the flag of a compiler; a library has a name", it.Text).
			Helped("write `%s`", it.Text[2:]).Replace(true, it.Text[2:])
	case !isLibrary(it.Text):
		d := c.report(badLibrary, it.Span, "`%s` is not the name of a library: letters, digits and `_ + . -`", it.Text)
		apostrophes(it.Text, d)
		separated(it, d)
	case strings.ContainsAny(it.Text, `/\`):
		c.report(libraryPath, it.Span, "`%s` is a path; a library has a name", it.Text).
			Helped("the folder belongs into `DefaultLibraryPath`")
	}
}
