package pdi

import (
	"fmt"
	"iter"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/data"
)

// describe returns the description of the symbol at an occurrence.
func (m *Model) describe(o lang.Occurrence) string {
	what, name, _ := strings.Cut(o.Symbol, " ")
	switch what {
	case "section":
		if k := rootRule.Find(name); k != nil {
			return describeKey(*k)
		}
	case "plugin":
		if spec := m.FindPlugin(name); spec != nil {
			return fmt.Sprintf("plugin `%s`\n\n%s", name, pluginDoc(spec))
		}
	case "event":
		return fmt.Sprintf("event `%s`", name)
	case "datum":
		return m.describeName(name)
	case "type":
		if doc := typeDocs[name]; doc != "" {
			return fmt.Sprintf("type `%s`\n\n%s", name, doc)
		}
		return m.describeName(name)
	case "key":
		if key, doc, ok := strings.Cut(name, " "); ok {
			return fmt.Sprintf("`%s`\n\n%s", key, doc)
		}
	}
	return ""
}

// describeName returns the declaration of a name. It adds size and layout if these do not depend on data.
func (m *Model) describeName(name string) string {
	d, what := m.names[name], "datum"
	if t := m.types[name]; t != nil && d == nil {
		d, what = t, "type"
	}
	if d == nil {
		if isBuiltin(name) {
			return fmt.Sprintf("type `%s`", name)
		}
		return ""
	}
	if d.Section == metadataSection {
		what = metadataSection
	}
	text := fmt.Sprintf("%s `%s`", what, name)
	s, err := m.store()
	if err != nil {
		return text
	}
	t, err := m.TypeOf(s, name)
	if err != nil {
		if needs := Needs(err); len(needs) > 0 {
			text += fmt.Sprintf("\n\nIts size depends on `%s`.", strings.Join(needs, "`, `"))
		}
		return text
	}
	text += fmt.Sprintf(": `%v`\n\n%d bytes, aligned to %d", t, t.Size(), t.Align())
	rows := data.Layout(t)
	if len(rows) < 2 && rows[0].Name == "" {
		return text
	}
	text += "\n\n| offset | size | member |\n|---|---|---|\n"
	for _, r := range rows[:min(len(rows), maxRows)] {
		label := "`" + r.Name + "`"
		if r.Name == "" {
			label = "*unused*"
		}
		text += fmt.Sprintf("| %d | %d | %s |\n", r.Offset, r.Size, label)
	}
	return text
}

// maxRows is how many rows of a layout are shown.
const maxRows = 40

// hints returns the offsets of members, if they do not depend on data.
func (m *Model) hints(f *source.File) iter.Seq[lang.Hint] {
	return func(yield func(lang.Hint) bool) {
		s, err := m.store()
		if err != nil {
			return
		}
		for _, list := range [][]*Declaration{m.Types, m.Metadata, m.Data} {
			for _, d := range list {
				if d.file.Tree.File() != f || d.value.get("members").absent() {
					continue
				}
				t, err := m.TypeOf(s, d.Name)
				record, ok := t.(*data.Record)
				if err != nil || !ok {
					continue
				}
				for _, member := range record.Members {
					at, found := memberKey(d.value.get("members"), member.Name)
					if found && !yield(lang.Hint{At: at.inner(), Text: fmt.Sprintf("at %d", member.Offset), Kind: lang.OffsetHint}) {
						return
					}
				}
			}
		}
	}
}

// memberKey finds the name of a member in the members of a struct or record.
func memberKey(members value, name string) (value, bool) {
	if key, _, ok := members.find(name); ok {
		return key, true
	}
	for _, item := range members.items() {
		if key, _, ok := item.find(name); ok {
			return key, true
		}
	}
	return value{}, false
}
