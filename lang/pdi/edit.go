package pdi

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// edit sets a key: it replaces the value if the key exists, else it adds the key to its mapping.
func edit(m *Model, key, text string) ([]source.Edit, error) {
	parts, err := parseKey(key)
	if err != nil {
		return nil, err
	}
	if !isSection(parts[0].name) {
		return nil, fmt.Errorf("`%s` is not a section; %s", problem.Clip(parts[0].name, problem.Short),
			problem.Advise(parts[0].name, sections, "there are "+strings.Join(sections, ", ")))
	}
	e, err := m.place(parts, text)
	if err != nil {
		return nil, err
	}
	return []source.Edit{e}, nil
}

// place returns the edit that puts a value into a file.
func (m *Model) place(parts []part, text string) (source.Edit, error) {
	v, found := m.locate(parts)
	switch {
	case found == 0:
		return m.newSection(parts, text)
	case found == len(parts) && v.is(data.ScalarNode):
		return m.replace(v, text)
	case found == len(parts):
		return source.Edit{}, fmt.Errorf("the setting is %s, only a single value can be set", v.name())
	case found == len(parts)-1 && parts[found].index < 0 && (v.is(data.MappingNode) || v.empty()):
		return m.insert(v, parts[found].name, text)
	case v.is(data.SequenceNode) && found == len(parts)-1 && parts[found].index == len(v.Items):
		return source.Edit{}, fmt.Errorf("the list has %d items, and a new one cannot be added by `set`", len(v.Items))
	}
	return source.Edit{}, fmt.Errorf("there is no `%s`, so nothing can be set inside it", keyText(parts[:found+1]))
}

func keyText(parts []part) string {
	var b strings.Builder
	for i, p := range parts {
		switch {
		case p.index >= 0:
			fmt.Fprintf(&b, "[%d]", p.index)
		case i > 0:
			b.WriteString("." + keyName(p.name))
		default:
			b.WriteString(p.name)
		}
	}
	return b.String()
}

// replace overwrites a scalar. It keeps the style of the scalar if that style can hold the text.
func (m *Model) replace(v value, text string) (source.Edit, error) {
	if v.syn == nil {
		return source.Edit{}, fmt.Errorf("the setting comes from the command line, no file has it")
	}
	n := v.syn.Resolved()
	span := v.file.Tree.NodeSpan(n)
	switch n.Style {
	case syntax.Absent, syntax.Broken:
		if n.Style == syntax.Broken {
			return source.Edit{}, fmt.Errorf("the value at %s cannot be read; fix the file first", span)
		}
		return source.Edit{Span: span, Text: " " + scalarText(text, syntax.PlainStyle)}, nil
	case syntax.Literal, syntax.Folded:
		// A block scalar ends with a line break that belongs to the next line.
		tail := span.Text()[len(strings.TrimRight(span.Text(), " \n\r")):]
		return source.Edit{Span: span, Text: scalarText(text, syntax.PlainStyle) + tail}, nil
	}
	return source.Edit{Span: span, Text: scalarText(text, n.Style)}, nil
}

// scalarText writes a text as a scalar.
func scalarText(text string, style syntax.Style) string {
	switch {
	case strings.ContainsAny(text, "\n\r\t") || strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff
	}):
		return doubleQuoted(text)
	case style == syntax.DoubleQuoted && !strings.ContainsAny(text, `\"`):
		return `"` + text + `"`
	case style == syntax.SingleQuoted || !plain(text):
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return text
}

func doubleQuoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r == 0x7f || r == 0x85:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// plain reports whether a text needs no quotes anywhere in a document.
func plain(text string) bool {
	if text == "" || text != strings.TrimSpace(text) || strings.ContainsAny(text, "{}[],#`\"'") || strings.HasSuffix(text, ":") {
		return false
	}
	if strings.ContainsAny(text[:1], "-?:&*!|>%@~") && (len(text) == 1 || strings.ContainsAny(text[:1], "&*!|>%@") || text[1] == ' ' || text[0] == '-' && strings.HasPrefix(text, "---")) {
		return false
	}
	return !strings.Contains(text, ": ") && !strings.HasPrefix(text, "...")
}

// insert adds a key to a mapping.
func (m *Model) insert(v value, name, text string) (source.Edit, error) {
	if v.syn == nil {
		return source.Edit{}, fmt.Errorf("`%s` would belong to a value of the command line", problem.Clip(name, problem.Short))
	}
	tree, n := v.file.Tree, v.syn.Resolved()
	pair := scalarText(name, syntax.PlainStyle) + ": " + scalarText(text, syntax.PlainStyle)
	span := tree.NodeSpan(n)
	switch {
	case n.Style == syntax.Absent:
		return source.Edit{Span: span, Text: " {" + pair + "}"}, nil
	case n.Style == syntax.Flow && len(n.Entries) == 0:
		return source.Edit{Span: source.Span{File: span.File, Start: span.End - 1, End: span.End - 1}, Text: pair}, nil
	case len(n.Entries) == 0:
		return source.Edit{}, fmt.Errorf("the value at %s is %s, not a mapping", span, v.name())
	}
	last := n.Entries[len(n.Entries)-1]
	end := tree.EntrySpan(last)
	at := source.Span{File: span.File, Start: end.End, End: end.End}
	if n.Style == syntax.Flow {
		return source.Edit{Span: at, Text: ", " + pair}, nil
	}
	at, after := lineEnd(at)
	column := tree.EntrySpan(n.Entries[0])
	indent := strings.Repeat(" ", column.Start-lineStart(column))
	if after {
		return source.Edit{Span: at, Text: indent + pair + "\n"}, nil
	}
	return source.Edit{Span: at, Text: "\n" + indent + pair}, nil
}

// lineEnd returns the start of the line after a place, and whether there is a line break before it.
func lineEnd(at source.Span) (source.Span, bool) {
	text := at.File.Text()
	if at.End > 0 && text[at.End-1] == '\n' {
		return at, true
	}
	i := strings.IndexByte(text[at.End:], '\n')
	if i < 0 {
		return at.File.Span(len(text), len(text)), false
	}
	return at.File.Span(at.End+i+1, at.End+i+1), true
}

func lineStart(at source.Span) int { return strings.LastIndexByte(at.File.Text()[:at.Start], '\n') + 1 }

// newSection adds a section to the document.
func (m *Model) newSection(parts []part, text string) (source.Edit, error) {
	f := m.main()
	value := scalarText(text, syntax.PlainStyle)
	for i := len(parts) - 1; i > 0; i-- {
		if parts[i].index > 0 {
			return source.Edit{}, fmt.Errorf("there is no `%s`", keyText(parts[:i]))
		}
		if parts[i].index == 0 {
			value = "[" + value + "]"
			continue
		}
		value = "{" + scalarText(parts[i].name, syntax.PlainStyle) + ": " + value + "}"
	}
	root := f.root
	if root.syn == nil || root.syn.Resolved().Style == syntax.Absent {
		end := f.Tree.End
		lead := ""
		if end > 0 && f.Tree.File().Text()[end-1] != '\n' {
			lead = "\n"
		}
		return source.Edit{Span: f.Tree.File().Span(end, end), Text: lead + parts[0].name + ": " + value + "\n"}, nil
	}
	e, err := m.insert(root, parts[0].name, "x")
	if err == nil {
		i := strings.LastIndexByte(e.Text, 'x')
		e.Text = e.Text[:i] + value + e.Text[i+1:]
	}
	return e, err
}
