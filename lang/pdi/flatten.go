package pdi

import (
	"bufio"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// flatten writes one tree without includes and aliases, with the origin of every declaration
// as a comment.
func (m *Model) flatten(w io.Writer) diag.List {
	f := &flattener{Writer: bufio.NewWriter(w), left: maxValues}
	for _, name := range []string{loggingSection, sealSection, pathSection, typesSection, metadataSection, dataSection, pluginsSection} {
		f.section(m, name)
	}
	if err := f.Flush(); err != nil {
		return diag.List{diag.New(notConverted, m.main().top(), "the tree cannot be written: %s", err)}
	}
	if f.left < 0 {
		return diag.List{diag.New(notConverted, m.main().top(), "aliases expand to more than %d values; the rest is left out", maxValues)}
	}
	return nil
}

type flattener struct {
	*bufio.Writer
	left int
}

func (f *flattener) section(m *Model, name string) {
	begun := false
	seen := map[string]bool{}
	for _, file := range m.Files {
		sec := file.section(name)
		if sec.empty() || mainOnly(name) && file != m.main() {
			continue
		}
		if !sec.is(data.MappingNode) || name == loggingSection {
			f.WriteString(name + ":")
			f.value(sec, 1)
			return
		}
		if !begun {
			begun = true
			f.WriteString(name + ":\n")
		}
		for key, val := range sec.pairs() {
			if !key.is(data.ScalarNode) || seen[key.Text] {
				continue
			}
			seen[key.Text] = true
			f.WriteString("  # " + strings.ReplaceAll(key.span().String(), "\n", " ") + "\n  " + quoted(key.Text) + ":")
			f.value(val, 2)
		}
	}
}

func quoted(text string) string { return scalarText(text, syntax.PlainStyle) }

// value writes the value of a key or of a dash.
func (f *flattener) value(v value, depth int) {
	if f.left--; f.left < 0 {
		f.WriteByte('\n')
		return
	}
	indent := strings.Repeat("  ", depth)
	switch {
	case v.is(data.ScalarNode):
		if v.Text != "" || v.syn == nil || v.syn.Resolved().Style != syntax.Absent {
			f.WriteString(" " + quoted(v.Text))
		}
		f.WriteByte('\n')
	case v.is(data.SequenceNode) && len(v.Items) == 0:
		f.WriteString(" []\n")
	case v.is(data.MappingNode) && len(v.Pairs) == 0:
		f.WriteString(" {}\n")
	case v.is(data.SequenceNode):
		f.WriteByte('\n')
		for _, item := range v.items() {
			f.WriteString(indent + "-")
			f.value(item, depth+1)
		}
	default:
		f.WriteByte('\n')
		for key, val := range v.pairs() {
			if !key.is(data.ScalarNode) {
				continue
			}
			f.WriteString(indent + quoted(key.Text) + ":")
			f.value(val, depth+1)
		}
	}
}
