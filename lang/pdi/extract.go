package pdi

import (
	"iter"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// extract gives the type at an offset a name in the section `types`. offset must lie on the key `type` or on its value.
func (m *Model) extract(f *source.File, offset int) []source.Edit {
	for t := range m.writtenTypes(f) {
		key, val, ok := t.find("type")
		if !ok || !holds(key.span(), offset) && !holds(val.span(), offset) {
			continue
		}
		if _, _, displaced := t.find("disp"); displaced || t.section == typesSection {
			return nil // a named type cannot contain the offset of a member, and the section `types` has the named types
		}
		return m.nameType(t)
	}
	return nil
}

// writtenType is a type written in a declaration: the type of the whole, of an element or of a member.
type writtenType struct {
	value
	section, owner string
}

// writtenTypes returns the types that a file spells out in its declarations.
func (m *Model) writtenTypes(f *source.File) iter.Seq[writtenType] {
	return func(yield func(writtenType) bool) {
		for _, file := range m.Files {
			if file.Tree.File() != f {
				continue
			}
			for _, section := range []string{typesSection, metadataSection, dataSection} {
				for key, val := range file.section(section).pairs() {
					if !eachType(val, func(v value) bool { return yield(writtenType{v, section, key.Text}) }) {
						return
					}
				}
			}
		}
	}
}

// eachType visits a type and the types it consists of, until visit returns false.
func eachType(v value, visit func(value) bool) bool {
	if !isWritten(v) {
		return true
	}
	if !visit(v) {
		return false
	}
	for key, val := range v.pairs() {
		switch key.Text {
		case "subtype":
			if !eachType(val, visit) {
				return false
			}
		case "members", "elements":
			if !eachMember(val, visit) {
				return false
			}
		}
	}
	return true
}

func eachMember(v value, visit func(value) bool) bool {
	for _, item := range v.items() {
		each := eachType
		if _, _, named := item.NamedElement(); named {
			each = eachMember
		}
		if !each(item, visit) {
			return false
		}
	}
	for _, val := range v.pairs() {
		if !eachType(val, visit) {
			return false
		}
	}
	return true
}

// isWritten reports whether a value is used only at the place that contains its text: it has no anchor and comes neither from an alias nor from
// the command line.
func isWritten(v value) bool {
	return v.Node != nil && v.syn != nil && v.syn.Kind != syntax.Alias && v.syn.Anchor().Empty() && v.syn.Tag().Empty()
}

func holds(s source.Span, offset int) bool { return s.Start <= offset && offset <= s.End }

// nameType moves a type to the section `types` and leaves its name in its place.
func (m *Model) nameType(t writtenType) []source.Edit {
	f := t.file
	root := f.root.syn
	if root == nil || root.Resolved().Style != syntax.Block {
		return nil
	}
	name := t.owner + "_type"
	for n := 2; m.types[name] != nil; n++ {
		name = t.owner + "_type" + strconv.Itoa(n)
	}
	span := f.Tree.NodeSpan(t.syn)
	span.End = span.Start + len(strings.TrimRight(span.Text(), " \t\r\n"))
	use := source.Edit{Span: span, Text: name}
	before := f.Tree.File().Text()[:span.Start]
	if trimmed := strings.TrimRight(before, " \n\r"); strings.HasSuffix(trimmed, ":") { // there is no comment between
		use.Span.Start, use.Text = len(trimmed), " "+name
	}
	above := f.section(typesSection)
	switch {
	case above.absent():
		entry, _ := root.Resolved().Find(t.section)
		at := f.Tree.EntrySpan(entry)
		start := lineStart(at)
		indent := strings.Repeat(" ", at.Start-start)
		return []source.Edit{{Span: at.File.Span(start, start), Text: indent + typesSection + ":\n" + typeEntry(name, span, indent+"  ")}, use}
	case isWritten(above) && above.syn.Style == syntax.Block:
		entries := above.syn.Entries
		column := f.Tree.EntrySpan(entries[0])
		last := f.Tree.EntrySpan(entries[len(entries)-1])
		end, ended := lineEnd(last.File.Span(last.End, last.End))
		text := typeEntry(name, span, strings.Repeat(" ", column.Start-lineStart(column)))
		if !ended {
			text = "\n" + text
		}
		return []source.Edit{{Span: end, Text: text}, use}
	}
	return nil
}

// typeEntry returns the text of an entry of `types`, with the type copied from a place.
func typeEntry(name string, at source.Span, indent string) string {
	head := indent + scalarText(name, syntax.PlainStyle) + ":"
	if strings.HasPrefix(at.Text(), "{") {
		return head + " " + at.Text() + "\n"
	}
	old := strings.Repeat(" ", at.Start-lineStart(at))
	var b strings.Builder
	b.WriteString(head + "\n")
	for line := range strings.Lines(old + at.Text()) {
		b.WriteString(indent + "  " + strings.TrimPrefix(line, old))
	}
	return b.String() + "\n"
}

// inline replaces an alias or the name of a type by its content. If the mapping has other keys besides the name, it is not replaced, because the
// language would ignore those keys.
func (m *Model) inline(f *source.File, offset int) []source.Edit {
	for _, file := range m.Files {
		if file.Tree.File() != f {
			continue
		}
		if n := aliasAt(file.Tree.Root, offset); n != nil {
			return []source.Edit{{Span: file.Tree.NodeSpan(n), Text: lower(n, nil).Flow(quoted)}}
		}
	}
	for t := range m.writtenTypes(f) {
		if t.is(data.ScalarNode) && holds(t.span(), offset) && m.types[t.Text] != nil {
			return []source.Edit{{Span: t.span(), Text: m.types[t.Text].value.Flow(quoted)}}
		}
	}
	return nil
}

// aliasAt returns the alias at an offset, or nil.
func aliasAt(n *syntax.Node, offset int) *syntax.Node {
	if n.Kind == syntax.Alias && int(n.Text.Start) <= offset && offset <= int(n.Text.End) {
		return n
	}
	for _, e := range n.Entries {
		for _, child := range []*syntax.Node{e.Key, e.Value} {
			if child != nil {
				if found := aliasAt(child, offset); found != nil {
					return found
				}
			}
		}
	}
	return nil
}
