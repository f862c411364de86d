package coil

import (
	"math"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/coil/syntax"
)

// values gives every deciding setting the value that its key's type makes of the
// text. A setting that lost says nothing: the file it stands in is checked by itself.
func (m *Model) values() {
	for _, sec := range m.Sections {
		for _, s := range sec.settings {
			m.value(s)
		}
	}
}

func (m *Model) value(s *Setting) {
	raw := s.Text.Text()
	v := &s.Value
	v.Type = s.typeOf()
	v.Text, v.quoted = unquote(raw)
	switch {
	case s.broken:
		return
	case isAuto(v.Text):
		m.report(autoDetected, s.Text, "`%s` stands for a value that is found on the host; a file says it", v.Text).
			Helped("`pentode target detect` writes the configuration of this machine")
		return
	case s.key == nil:
		v.untyped(s.Text, raw)
		return
	}
	switch v.Type {
	case schema.Int:
		m.integer(s)
	case schema.Bool:
		m.boolean(s)
	case schema.List:
		m.list(s, raw)
	default:
		v.OK = m.unquotedText(s.Text, raw)
	}
}

// isAuto recognises what the language's document writes where a processor
// fills in its default configuration.
func isAuto(text string) bool { return text == "(auto-detected)" || text == "(architecture-specific)" }

// unquote takes the quotes away that stand around all of a text.
func unquote(raw string) (string, bool) {
	if len(raw) >= 2 && raw[0] == '"' && strings.IndexByte(raw[1:], '"') == len(raw)-2 {
		return raw[1 : len(raw)-1], true
	}
	return raw, false
}

// unquotedText says of a text with a quote in its middle that it has no form.
func (m *Model) unquotedText(span source.Span, raw string) bool {
	if _, quoted := unquote(raw); quoted || !strings.Contains(raw, `"`) {
		return true
	}
	m.report(quoteInside, span, "a quote in the middle of a text").
		Helped("put all of it into quotes, or leave them out")
	return false
}

func (m *Model) integer(s *Setting) {
	v := &s.Value
	n, fits, ok := parseInt(v.Text)
	what := "a whole number, decimal or hexadecimal after `0x`"
	switch {
	case ok && v.quoted:
		m.report(wrongType, s.Text, "`%s` takes %s; in quotes it is a text", s.Key, what).Helped("write `%s`", clip(v.Text)).Replace(true, v.Text)
	case ok && !fits:
		m.report(outOfRange, s.Text, "`%s` is more than 64 bits hold", clip(v.Text))
	case ok:
		v.Int, v.OK = n, true
	default:
		d := m.report(wrongType, s.Text, "`%s` takes %s, not `%s`", s.Key, what, clip(v.Text))
		if strings.HasPrefix(v.Text, "-") || strings.HasPrefix(v.Text, "+") {
			d.Helped("numbers have no sign")
		}
	}
}

// parseInt reads a number of the language; fits is false where it needs
// more than 64 bits.
func parseInt(text string) (n uint64, fits, ok bool) {
	base, digits := 10, text
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		base, digits = 16, text[2:]
	}
	if digits == "" {
		return 0, false, false
	}
	for i := 0; i < len(digits); i++ {
		c := digits[i]
		if !isDigit(c) && (base == 10 || !('a' <= c|0x20 && c|0x20 <= 'f')) {
			return 0, false, false
		}
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return math.MaxUint64, false, true
	}
	return n, true, true
}

func (m *Model) boolean(s *Setting) {
	v := &s.Value
	b, ok := parseBool(v.Text)
	switch {
	case ok && v.quoted:
		m.report(wrongType, s.Text, "`%s` takes true or false; in quotes it is a text", s.Key).Helped("write `%s`", v.Text).Replace(true, v.Text)
	case ok:
		v.Bool, v.OK = b, true
	default:
		d := m.report(wrongType, s.Text, "`%s` takes true, false, yes, no, 1 or 0, not `%s`", s.Key, clip(v.Text))
		switch strings.ToLower(v.Text) {
		case "on", "enabled", "t", "y":
			d.Helped("write `true`").Replace(false, "true")
		case "off", "disabled", "f", "n":
			d.Helped("write `false`").Replace(false, "false")
		default:
			d.Suggest(false, "true", "false", "yes", "no")
		}
	}
}

func parseBool(text string) (value, ok bool) {
	switch {
	case text == "1" || strings.EqualFold(text, "true") || strings.EqualFold(text, "yes"):
		return true, true
	case text == "0" || strings.EqualFold(text, "false") || strings.EqualFold(text, "no"):
		return false, true
	}
	return false, false
}

// list cuts a value into its elements. Only `""` is a list of none.
func (m *Model) list(s *Setting, raw string) {
	v := &s.Value
	v.OK = true
	if raw == `""` {
		v.Items = []Item{}
		return
	}
	if tooLong(raw) {
		v.OK = false
		m.report(outOfRange, s.Name, "`%s` has more than %d elements", s.Key, maxItems)
		return
	}
	v.Items = cut(s.Text)
	for i, it := range v.Items {
		if m.crowded() && !v.OK {
			return
		}
		if it.Raw == "" || it.Raw == `""` {
			v.OK = false
			m.emptyElement(s, i)
			continue
		}
		if s.key.Format != defineForm && !m.unquotedText(it.Span, it.Raw) {
			v.OK = false
		}
	}
}

// maxItems bounds a list.
const maxItems = 100_000

func tooLong(raw string) bool { return len(raw) > maxItems && strings.Count(raw, ",") >= maxItems }

func (m *Model) emptyElement(s *Setting, i int) {
	items := s.Value.Items
	at := items[i].Span
	d := m.report(emptyElement, s.Text, "an element of the list is empty")
	switch {
	case items[i].Raw != "":
		d.Span = at
	case i == len(items)-1 && i > 0:
		// The comma and the blanks after the last element but one.
		f, from := at.File, items[i-1].Span.End
		d.Span = f.Span(from, at.End)
		d.Labelled("nothing follows this comma").Helped("leave it out").Replace(true, "")
	case at.Start < len(at.File.Text()) && at.File.Text()[at.Start] == ',':
		d.Span = at.File.Span(at.Start, at.Start+1)
		d.Labelled("nothing stands before this comma").Helped("leave it out").Replace(true, "")
	}
	if d.Span.Len() > 200 {
		d.Span = d.Span.File.Span(d.Span.Start, d.Span.Start+200)
		d.Fixes = nil
	}
}

// cut makes items of a comma-separated text.
func cut(span source.Span) []Item {
	text := span.File.Text()
	parts := syntax.Items(text, syntax.Text{Start: int32(span.Start), End: int32(span.End)})
	items := make([]Item, len(parts))
	for i, x := range parts {
		raw := text[x.Start:x.End]
		plain, _ := unquote(raw)
		items[i] = Item{Text: plain, Key: short(plain), Raw: raw, Span: span.File.Span(int(x.Start), int(x.End))}
	}
	return items
}

// untyped guesses the type of a value that no table knows: a quoted text, a list,
// a number, a truth value, else a text.
func (v *Value) untyped(span source.Span, raw string) {
	v.OK = true
	if v.quoted {
		v.Type = schema.String
		return
	}
	if tooLong(raw) {
		return
	}
	if items := cut(span); len(items) > 1 {
		v.Type, v.Items = schema.List, items
		return
	}
	if n, fits, ok := parseInt(raw); ok && fits {
		v.Type, v.Int = schema.Int, n
		return
	}
	if b, ok := parseBool(raw); ok {
		v.Type, v.Bool = schema.Bool, b
	}
}
