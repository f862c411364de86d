package coil

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/target"
)

// wideAlignment is the alignment from which a file is more likely wrong than right.
const wideAlignment = 65536

// checkOptimization says what is done where both preferences are on.
func (m *Model) checkOptimization() {
	size, speed := m.good(optimizeSect, "SizeOptimization"), m.good(optimizeSect, "SpeedOptimization")
	if size == nil || speed == nil || !size.Value.Bool || !speed.Value.Bool {
		return
	}
	m.report(bothPreferences, speed.At(), "size and speed are both preferred; here %s wins", m.preference()).
		At(size.At(), "the other preference").
		Helped("speed wins from `Level = 2`, size below")
}

// preference is what wins where both are on.
func (m *Model) preference() string {
	if level := m.good(optimizeSect, "Level"); level != nil && level.Value.Int >= 2 {
		return "speed"
	}
	return "size"
}

// checkMemory checks how memory looks against what the machine can do. The
// language's document does not forbid any combination, so these are warnings.
func (m *Model) checkMemory() {
	if a := m.good(memorySection, "Alignment"); a != nil && a.Value.Int > wideAlignment {
		m.report(largeValue, a.Text, "an alignment of %d bytes is unusual", a.Value.Int)
	}
	if m.machine.mode == nil {
		return
	}
	m.checkEndianness()
	if s := m.good(memorySection, "Model"); s != nil && !slices.Contains(m.machine.mode.Models, s.Value.Text) {
		d := m.report(memoryModel, s.Text, "%s has no %s memory in mode %d", m.machine.arch.Name, strings.ToLower(s.Value.Text), m.machine.mode.Bits).
			Helped("it has %s", and(m.machine.mode.Models))
		m.because(d, targetSection, "Architecture")
	}
	if s := m.good(memorySection, "StackGrowth"); s != nil && s.Value.Text == "Up" {
		m.report(stackGrowth, s.Text, "the stack of %s grows down", m.machine.arch.Name)
	}
}

func (m *Model) checkEndianness() {
	s := m.good(memorySection, "Endianness")
	if s == nil {
		return
	}
	mode, arch := m.machine.mode, m.machine.arch.Name
	usual, possible := mode.Allows(s.Value.Text)
	switch {
	case usual:
	case possible:
		m.report(endianness, s.Text, "%s with %s-endian memory exists on paper", arch, strings.ToLower(s.Value.Text)).Helped("%s", mode.RareNote)
	default:
		d := m.report(endianness, s.Text, "no %s machine is %s-endian in mode %d", arch, strings.ToLower(s.Value.Text), mode.Bits)
		m.because(d, targetSection, "Architecture")
	}
}

// checkPreprocessor looks for constants that are defined twice.
func (m *Model) checkPreprocessor() {
	seen := map[string]Item{}
	for _, it := range m.items(preprocSection, "Define") {
		name := parseDefine(it).Name
		if first, there := seen[name]; there {
			m.report(repeatedDefine, it.Span, "`%s` is defined again; this one counts", clip(name)).At(first.Span, "defined here before")
		}
		seen[name] = it
	}
	if m.opts.PathExists != nil {
		for _, it := range m.items(preprocSection, "Include") {
			m.exists(it.Text, it)
		}
	}
}

func (m *Model) exists(path string, it Item) {
	if !m.opts.PathExists(path) {
		m.report(pathMissing, it.Span, "the folder `%s` does not exist on this machine", clip(path))
	}
}

// define checks `NAME` or `NAME=VALUE`.
func (m *Model) define(it Item) bool {
	name, value, assigned := cutDefine(it)
	switch {
	case !isIdentifier(name):
		m.report(badDefine, it.Span, "`%s` is not a name for a constant: letters, digits and `_`, not beginning with a digit", clip(name)).
			Helped("write `NAME` or `NAME=VALUE`")
		return false
	case assigned && value == "":
		m.report(badDefine, it.Span, "`%s` has no value after its `=`", clip(name)).
			Helped("write `%s` alone, or `%s=VALUE`", clip(name), clip(name))
		return false
	}
	if _, quoted := unquote(value); !quoted && strings.Contains(value, `"`) {
		m.report(quoteInside, it.Span, "a quote in the middle of a text").Helped("put all of the value into quotes: `NAME=\"VALUE\"`")
		return false
	}
	if it.Raw == it.Text {
		m.blanks(it.Span.File.Span(it.Span.End-len(value), it.Span.End), value, value)
	}
	return true
}

// checkLinker checks the output format and, where asked for, the folder.
func (m *Model) checkLinker() {
	if s := m.good(linkerSection, "DefaultLibraryPath"); s != nil && m.opts.PathExists != nil {
		m.exists(s.Value.Text, Item{Span: s.Text})
	}
	s := m.good(linkerSection, "OutputFormat")
	if s == nil || m.machine.arch == nil {
		return
	}
	formats := target.Formats(m.machine.pu, m.machine.arch.Name)
	if slices.Contains(formats, s.Value.Text) {
		return
	}
	d := m.report(outputFormat, s.Text, "programs for %s do not come as %s", m.machine.arch.Name, s.Value.Text).
		Helped("they come as %s", and(formats))
	m.because(d, targetSection, "Architecture")
}

// library checks the name of a library.
func (m *Model) library(it Item) bool {
	if !isLibrary(it.Text) {
		d := m.report(badLibrary, it.Span, "`%s` is not the name of a library: letters, digits and `_ + . -`", clip(it.Text))
		m.apostrophes(it.Text, d)
		separated(it, d)
		return false
	}
	if strings.ContainsAny(it.Text, `/\`) {
		m.report(libraryPath, it.Span, "`%s` is a path; a library has a name", clip(it.Text)).
			Helped("the folder belongs into `DefaultLibraryPath`")
	}
	return true
}
