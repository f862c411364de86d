package coil

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/target"
)

// Target returns the target that a configuration describes, for the engine. It
// is only as complete as the file; findings report what is missing.
func (m *Model) Target() target.Target {
	t := target.Target{
		Span:         m.Top(),
		PU:           m.text(targetSection, "PU"),
		Architecture: m.text(targetSection, "Architecture"),
		Mode:         m.number(targetSection, "Mode"),
		Features:     m.words(targetSection, "Features"),
		Optimization: target.Optimization{
			Level:         m.number(optimizeSect, "Level"),
			Size:          m.switched(optimizeSect, "SizeOptimization"),
			Speed:         m.switched(optimizeSect, "SpeedOptimization"),
			Vectorization: m.maybe(optimizeSect, "VectorizationLevel"),
			Inlining:      m.maybe(optimizeSect, "InliningLevel"),
		},
		Memory: target.Memory{
			Model:       m.text(memorySection, "Model"),
			Alignment:   m.number(memorySection, "Alignment"),
			StackGrowth: m.text(memorySection, "StackGrowth"),
			Endianness:  m.text(memorySection, "Endianness"),
		},
		Extensions: target.Extensions{
			SIMD:         m.words(extSection, "SIMD"),
			Crypto:       m.words(extSection, "Crypto"),
			Atomics:      m.switched(extSection, "AtomicOperations"),
			SharedMemory: m.switched(extSection, "SharedMemory"),
		},
		Preprocessor: target.Preprocessor{Defines: m.defines(), Includes: m.words(preprocSection, "Include")},
		Linker: target.Linker{
			LibraryPath:  m.text(linkerSection, "DefaultLibraryPath"),
			Libraries:    m.words(linkerSection, "Libraries"),
			EntryPoint:   m.text(linkerSection, "EntryPoint"),
			OutputFormat: m.text(linkerSection, "OutputFormat"),
		},
		Platform: target.Platform{
			OS: m.text(platformSect, "OS"), OSVersion: m.text(platformSect, "OSVersion"),
			Libc: m.text(platformSect, "Libc"), LibcVersion: m.text(platformSect, "LibcVersion"),
			CodeModel: m.text(platformSect, "CodeModel"), Position: m.text(platformSect, "PositionIndependence"),
			FloatABI: m.text(platformSect, "FloatABI"), TLSModel: m.text(platformSect, "TLSModel"),
			AtomicWidth: m.number(platformSect, "AtomicWidth"),
		},
	}
	if s := m.Lookup(targetSection, "PU"); s != nil {
		t.Span = s.Name
	}
	if name := m.text(abiSection, "Name"); name != "" {
		t.ABI = &target.ABI{
			Name:           name,
			Parameters:     m.words(abiSection, "ParameterRegisters"),
			Returns:        m.words(abiSection, "ReturnRegisters"),
			StackAlignment: m.maybe(abiSection, "StackAlignment"),
			RedZone:        m.maybe(abiSection, "RedZoneSize"),
		}
	}
	return t
}

func (m *Model) maybe(section, key string) *int {
	if s := m.good(section, key); s != nil {
		n := int(s.Value.Int)
		return &n
	}
	return nil
}

func (m *Model) number(section, key string) int {
	if n := m.maybe(section, key); n != nil {
		return *n
	}
	return 0
}

func (m *Model) switched(section, key string) bool {
	s := m.good(section, key)
	return s != nil && s.Value.Bool
}

func (m *Model) words(section, key string) []string {
	var words []string
	for _, it := range m.items(section, key) {
		words = append(words, it.Text)
	}
	return words
}

// defines returns the constants. If a name is defined twice, the later
// definition counts.
func (m *Model) defines() []target.Define {
	var list []target.Define
	at := map[string]int{}
	for _, it := range m.items(preprocSection, "Define") {
		d := parseDefine(it)
		if i, there := at[d.Name]; there {
			list[i] = d
			continue
		}
		at[d.Name] = len(list)
		list = append(list, d)
	}
	return list
}

// parseDefine reads `NAME` or `NAME=VALUE`.
func parseDefine(it Item) target.Define {
	name, value, assigned := cutDefine(it)
	d := target.Define{Name: name, Text: value}
	text, quoted := unquote(value)
	_, fits, integer := parseInt(value)
	switch {
	case !assigned:
		d.Kind = target.Flag
	case quoted:
		d.Kind, d.Text = target.String, text
	case integer && fits:
		d.Kind = target.Integer
	case isFloat(value):
		d.Kind = target.Float
	default:
		d.Kind = target.Bare
	}
	return d
}

// isFloat reports whether a text is digits, a point and digits.
func isFloat(text string) bool {
	whole, part, ok := strings.Cut(text, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return ok && digits(whole) && digits(part)
}

func newFile(text string) *source.File { return source.NewFile("target.coilcfg", text) }

// Write returns a target as a configuration, in the order of the language's
// document. The comments become the first lines.
func Write(t target.Target, comments ...string) string {
	w := &writer{}
	for _, c := range comments {
		w.b.WriteString("# " + c + "\n")
	}
	w.section(targetSection)
	w.text("PU", t.PU)
	w.text("Architecture", t.Architecture)
	w.text("Mode", strconv.Itoa(t.Mode))
	w.list("Features", t.Features)
	w.section(memorySection)
	w.text("Model", t.Memory.Model)
	w.text("Alignment", strconv.Itoa(t.Memory.Alignment))
	w.text("StackGrowth", t.Memory.StackGrowth)
	w.text("Endianness", t.Memory.Endianness)
	if a := t.ABI; a != nil {
		w.section(abiSection)
		w.text("Name", a.Name)
		w.list("ParameterRegisters", a.Parameters)
		w.list("ReturnRegisters", a.Returns)
		w.number("StackAlignment", a.StackAlignment)
		w.number("RedZoneSize", a.RedZone)
	}
	w.section(optimizeSect)
	w.text("Level", strconv.Itoa(t.Optimization.Level))
	w.text("SizeOptimization", strconv.FormatBool(t.Optimization.Size))
	w.text("SpeedOptimization", strconv.FormatBool(t.Optimization.Speed))
	w.number("VectorizationLevel", t.Optimization.Vectorization)
	w.number("InliningLevel", t.Optimization.Inlining)
	return w.b.String()
}

type writer struct{ b strings.Builder }

func (w *writer) section(name string) {
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
	w.b.WriteString("[" + name + "]\n")
}

func (w *writer) text(key, value string) {
	if value != "" {
		w.b.WriteString(key + " = " + value + "\n")
	}
}

func (w *writer) list(key string, values []string) { w.text(key, strings.Join(values, ",")) }

func (w *writer) number(key string, n *int) {
	if n != nil {
		w.text(key, strconv.Itoa(*n))
	}
}

// Fingerprint returns the fingerprint of the target.
func (m *Model) Fingerprint() (fingerprint.Sum, error) {
	return target.Machines{Tables: m.tables}.Fingerprint(m.Target()), nil
}

// unread reports whether a key is in a vendor's section, which is not part of a
// target.
func unread(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return !slices.Contains([]string{targetSection, optimizeSect, memorySection, abiSection, extSection, preprocSection, linkerSection}, section)
}
