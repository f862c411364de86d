package paradyn

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
)

// values are the settings with the way they came.
func (m *Model) values(yield func(origin.Entry) bool) {
	if !m.tunableValues(yield) {
		return
	}
	for kind, blocks := range m.kinds {
		for i, b := range blocks {
			if !m.blockValues(key{kind: kind, index: i, item: -1}, b, yield) {
				return
			}
		}
	}
	for i := range m.Lists {
		l := &m.Lists[i]
		k := key{kind: "list", name: l.Name, item: -1}
		if !l.Replaced && !m.itemValues(k, l.Items, l.Place, nil, yield) {
			return
		}
	}
}

// tunableValues lists each name once, where it was first set, with every setting of it.
func (m *Model) tunableValues(yield func(origin.Entry) bool) bool {
	at := map[string]int{}
	var entries []origin.Entry
	for _, t := range m.Tunables {
		i, seen := at[t.Name]
		if !seen {
			i = len(entries)
			at[t.Name] = i
			entries = append(entries, origin.Entry{Key: key{kind: "tunable_constant", name: t.Name, item: -1}.String(), Type: numberType(t.Value)})
		}
		e := &entries[i]
		e.Value = t.Value
		e.Steps = append(e.Steps, m.step(t.Value, t.Place))
	}
	for _, e := range entries {
		if !yield(e) {
			return false
		}
	}
	return true
}

func numberType(value string) string {
	for i := range len(value) {
		if value[i] == '.' {
			return schema.Float.String()
		}
	}
	return schema.Int.String()
}

// step is one writing of a value.
func (m *Model) step(text string, p Place) origin.Step {
	s := origin.Step{What: "set", Text: text, Span: p.Span}
	switch {
	case p.Override:
		s.What, s.Span, s.Note = "override", source.Span{}, p.Span.File.Text()+" on the command line"
	case m.Layers > 1:
		s.Note = fmt.Sprintf("layer %d of %d", p.Layer, m.Layers)
	}
	return s
}

func (m *Model) blockValues(k key, b *Block, yield func(origin.Entry) bool) bool {
	var flags []string
	if b.Replaced {
		flags = []string{"replaced"}
	}
	for i := range b.Fields {
		f := &b.Fields[i]
		k.name = f.Name
		if f.Name == "args" {
			if !m.itemValues(k, f.last().Items, f.last().Place, flags, yield) {
				return false
			}
			continue
		}
		e := origin.Entry{Key: k.String(), Value: f.last().Text, Flags: flags, Type: section(b.Kind).Key(f.Name).Type.String()}
		for _, v := range f.Values {
			e.Steps = append(e.Steps, m.step(v.Text, v.Place))
		}
		if f.Name == "host" && e.Value == "localhost" {
			e.Value = m.hostname
			e.Steps = append(e.Steps, origin.Step{What: "localhost", Text: m.hostname, Note: "the name of this machine"})
		}
		if !yield(e) {
			return false
		}
	}
	return m.implicitValues(k, b, yield)
}

// implicitValues are those that no file wrote.
func (m *Model) implicitValues(k key, b *Block, yield func(origin.Entry) bool) bool {
	implicit := func(name, value string, step origin.Step) bool {
		if b.field(name) != nil {
			return true
		}
		k.name = name
		step.Text = value
		return yield(origin.Entry{Key: k.String(), Value: value, Type: section(b.Kind).Key(name).Type.String(), Implicit: true, Steps: []origin.Step{step}})
	}
	if b.Kind != visi && !implicit("flavor", flavorField.Default, origin.Step{What: "default", Note: "of the language"}) {
		return false
	}
	return implicit("host", m.hostname, origin.Step{What: "localhost", Note: "the name of this machine"})
}

// itemValues lists arguments or items of a list; none is an empty value.
func (m *Model) itemValues(k key, items []Item, whole Place, flags []string, yield func(origin.Entry) bool) bool {
	if len(items) == 0 {
		return yield(origin.Entry{Key: k.String(), Type: schema.List.String(), Flags: flags, Steps: []origin.Step{m.step("", whole)}})
	}
	for i, it := range items {
		k.item = i
		e := origin.Entry{Key: k.String(), Value: it.Text, Type: schema.String.String(), Flags: flags, Steps: []origin.Step{m.step(it.Text, it.Place)}}
		if !yield(e) {
			return false
		}
	}
	return true
}
