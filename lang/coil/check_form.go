package coil

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/target"
)

// form checks a value against its row of the table, by itself.
func (m *Model) form(s *Setting) {
	k := s.key
	ok := true
	switch {
	case k.Type == schema.Int && len(k.Enum) > 0:
		ok = m.power(s)
	case k.Type == schema.Int:
		n := float64(s.Value.Int)
		if k.Min.Set && n < k.Min.Value || k.Max.Set && n > k.Max.Value {
			m.report(outOfRange, s.Text, "`%s` is %s, not `%s`", s.Key, k.Range(), clip(s.Value.Text))
			ok = false
		}
	case k.Type == schema.Enum:
		ok = m.word(s)
	case k.Type == schema.List:
		for _, it := range s.Value.Items {
			ok = m.element(s, it) && ok
		}
	default:
		ok = m.textForm(s)
	}
	s.Value.OK = ok
}

// power checks that a number is a power of two.
func (m *Model) power(s *Setting) bool {
	n := s.Value.Int
	switch {
	case n > target.MaxAlignment:
		m.report(outOfRange, s.Text, "`%s` is at most %d, not `%s`", s.Key, target.MaxAlignment, clip(s.Value.Text))
		return false
	case n == 0 || n&(n-1) != 0:
		d := m.report(notPower, s.Text, "`%s` is a power of two, not `%s`", s.Key, clip(s.Value.Text))
		below, above := uint64(1), uint64(1)
		for above < n {
			below, above = above, above*2
		}
		if n > 0 {
			d.Helped("the nearest are %d and %d", below, above)
		} else {
			d.Helped("the least is 1: no alignment")
		}
		return false
	}
	return true
}

// word checks a word of an enumeration, which are case-sensitive.
func (m *Model) word(s *Setting) bool {
	v, k := &s.Value, s.key
	if slices.Contains(k.Enum, v.Text) {
		return true
	}
	d := m.report(notInSet, s.Text, "`%s` is not a value of `%s`; it is one of %s", clip(v.Text), s.Key, and(k.Enum))
	for _, w := range k.Enum {
		if strings.EqualFold(w, v.Text) {
			d.Helped("did you mean `%s`? case matters here", w)
			d.Fix(true, "write `"+w+"`", editOf(s.Text, w))
			return false
		}
	}
	if hint := otherWords[strings.ToLower(v.Text)]; hint != "" && slices.Contains(k.Enum, hint) {
		d.Helped("did you mean `%s`?", hint)
		d.Fix(false, "write `"+hint+"`", editOf(s.Text, hint))
		return false
	}
	if first, _, several := strings.Cut(v.Text, ","); several && slices.Contains(k.Enum, first) {
		d.Helped("it takes one of them; a target is one machine")
		return false
	}
	if near := m.meant(v.Text, k.Enum); near != "" {
		d.Helped("did you mean `%s`?", near)
		d.Fix(false, "write `"+near+"`", editOf(s.Text, near))
	}
	return false
}

// otherWords are what people and other documents call the words of the enumerations.
var otherWords = map[string]string{
	"tpu": "NPU", "processor": "CPU", "graphics": "GPU", "le": "Little", "be": "Big", "littleendian": "Little", "little-endian": "Little",
	"bigendian": "Big", "big-endian": "Big", "coff": "PE", "exe": "PE", "macho": "Mach-O", "bin": "Raw", "binary": "Raw", "downwards": "Down", "upwards": "Up",
}

func editOf(span source.Span, text string) source.Edit { return source.Edit{Span: span, Text: text} }

// element checks one element of a list by itself. Names that the tables know are
// checked where the machine is known.
func (m *Model) element(s *Setting, it Item) bool {
	switch s.key.Format {
	case defineForm:
		return m.define(it)
	case libraryForm:
		return m.library(it)
	}
	if s.Section.keys.Name == preprocSection {
		m.blanks(it.Span, it.Text, it.Raw)
	}
	return true
}

// textForm checks a text that is no list.
func (m *Model) textForm(s *Setting) bool {
	v := &s.Value
	if v.Text == "" {
		m.report(emptyText, s.Text, "`%s` is empty", s.Key).Helped("leave the line out, or write a value")
		return false
	}
	switch s.Path() {
	case "Linker.EntryPoint":
		if !isSymbol(v.Text) {
			m.apostrophes(v.Text, m.report(badSymbol, s.Text, "`%s` is not the name of a symbol: letters, digits and `_ . $ @ ?`, not beginning with a digit", clip(v.Text)))
			return false
		}
	case "ABI.Name":
		if !isABIName(v.Text) {
			d := m.report(badABIName, s.Text, "`%s` is not a name for an ABI: letters, digits and `_ . -`, beginning with a letter", clip(v.Text))
			m.apostrophes(v.Text, d)
			var known []string
			for i := range m.tables.ABIs {
				known = append(known, m.tables.ABIs[i].Name)
			}
			if near := m.meant(v.Text, known); near != "" && len(d.Help) == 0 {
				d.Helped("did you mean `%s`?", near)
			}
			return false
		}
	default:
		m.blanks(s.Text, v.Text, s.Text.Text())
	}
	return true
}

// apostrophes tells who quotes as shells do what a quote is here.
func (m *Model) apostrophes(text string, d *diag.Diagnostic) {
	if len(text) > 2 && text[0] == '\'' && text[len(text)-1] == '\'' {
		d.Helped("a quote is `\"`, and a name needs none").Replace(false, text[1:len(text)-1])
	}
}

// blanks warns about blanks inside a text without quotes.
func (m *Model) blanks(span source.Span, text, raw string) {
	if raw == text && strings.ContainsAny(text, " \t\v\f") {
		m.report(blankInside, span, "there are blanks inside this text").
			Helped("put it into quotes, so that everybody sees that they belong to it").
			Replace(true, `"`+text+`"`)
	}
}
