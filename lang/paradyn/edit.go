package paradyn

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
)

// edit changes a value at its place in the file. A new tunable constant is added at
// the end of the last file, a new field of a block before its closing brace.
func edit(t *syntax.Tree, m *Model, text, value string) ([]source.Edit, error) {
	k, ok := parseKey(text)
	if !ok {
		return nil, m.noKey(text)
	}
	if help := m.refuse(k, value); help != "" {
		return nil, fmt.Errorf("`%s` cannot be `%s`: %s", problem.Clip(text, problem.Short), problem.Clip(value, problem.Short), help)
	}
	if k.kind == "tunable_constant" {
		return m.editTunable(t, k.name, value)
	}
	if k.item >= 0 {
		items := m.items(k)
		if k.item >= len(items) {
			return nil, m.noKey(text)
		}
		return editText(items[k.item].Place, items[k.item].Text, quoteText(value), value)
	}
	if !k.isBlock() || k.index >= len(*m.of(k.kind)) {
		return nil, m.noKey(text)
	}
	if k.name == "args" {
		return nil, errors.New("arguments are changed one at a time: `" + text + "[0]`")
	}
	return m.editField((*m.of(k.kind))[k.index], k.name, value)
}

func (m *Model) noKey(text string) error {
	message, help := m.unknownKey(text)
	return fmt.Errorf("%s; %s", message, help)
}

// editText replaces a value. If it is the same, there is no edit.
func editText(at Place, old, text, value string) ([]source.Edit, error) {
	if at.Override {
		return nil, errors.New("the command line decides this setting with -s")
	}
	if old == value {
		return nil, nil
	}
	return []source.Edit{{Span: at.Span, Text: text}}, nil
}

func (m *Model) editTunable(t *syntax.Tree, name, value string) ([]source.Edit, error) {
	for _, have := range slices.Backward(m.Tunables) {
		if have.Name == name {
			return editText(have.Place, have.Value, value, value)
		}
	}
	if name == "" || strings.ContainsAny(name, "\"\r\n") {
		return nil, errors.New("the name of a tunable constant has at least one character, no quotes and no line breaks")
	}
	end := t.File().Len()
	line := fmt.Sprintf("tunable_constant \"%s\" %s;\n", name, value)
	if end > 0 && t.File().Text()[end-1] != '\n' {
		line = "\n" + line
	}
	return []source.Edit{{Span: t.File().Span(end, end), Text: line}}, nil
}

func (m *Model) editField(b *Block, name, value string) ([]source.Edit, error) {
	written := quoteText(value)
	if section(b.Kind).Key(name).Type == schema.Enum {
		written = value
	}
	if f := b.field(name); f != nil {
		return editText(f.last().Place, f.last().Text, written, value)
	}
	if section(b.Kind).Key(name).Extension && m.pcl.IsZero() {
		return nil, fmt.Errorf("`%s` is a field of later versions of Paradyn; %s has %s", name, b.Kind, strings.Join(fieldNames(b.Kind, PSDL), ", "))
	}
	return []source.Edit{newField(b, name+" "+written+";")}, nil
}

// newField puts a field after the last one, on a line of its own if the last one has
// its own line.
func newField(b *Block, text string) source.Edit {
	body := b.Span.Text()[:b.end.Start-b.Span.Start]
	before := " "
	if line := strings.LastIndexByte(body, '\n'); line >= 0 {
		last := body[line+1:]
		before = "\n" + last[:len(last)-len(strings.TrimLeft(last, " \t"))]
	} else if strings.Contains(body, "//") {
		before = "\n"
	}
	return source.Edit{Span: b.end, Text: before + text}
}
