package paradyn

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
)

// values are the settings with their origins.
func (m *Model) values(yield func(origin.Entry) bool) {
	if !m.tunableValues(yield) {
		return
	}
	uses := m.daemonUses()
	for kind, blocks := range m.kinds {
		for i, b := range blocks {
			if !m.blockValues(key{kind: kind, index: i, item: -1}, b, uses, yield) {
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
	m.programValues(yield)
}

// tunableValues lists each tunable constant once, in the order of first settings, with every
// place that sets it.
func (m *Model) tunableValues(yield func(origin.Entry) bool) bool {
	at := map[string]int{}
	var entries []origin.Entry
	for _, t := range m.Tunables {
		i, seen := at[t.Name]
		if !seen {
			i = len(entries)
			at[t.Name] = i
			entries = append(entries, origin.Entry{Key: key{kind: "tunable_constant", name: t.Name, item: -1}.String()})
		}
		e := &entries[i]
		e.Value, e.Type = t.Value, numberType(t.Value)
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
	if strings.Contains(value, ".") {
		return schema.Float.String()
	}
	return schema.Int.String()
}

// step describes one place that sets a value.
func (m *Model) step(text string, p Place) origin.Step {
	s := origin.Step{What: origin.Set, Text: text, Span: p.Span}
	switch {
	case p.Override:
		s.What, s.Span, s.Note = origin.Override, source.Span{}, p.Span.File.Text()+" on the command line"
	case m.Layers > 1:
		s.Note = fmt.Sprintf("layer %d of %d", p.Layer, m.Layers)
	}
	return s
}

// daemonUses returns the places that refer to a daemon by its command, or by a name that no
// other daemon on its host has.
func (m *Model) daemonUses() map[key][]origin.Use {
	const several = -1
	daemons := map[[3]string]int{} // the index of each daemon, by field, host and text
	for i, b := range m.Daemons {
		command := [3]string{"command", m.host(b), b.Text("command")}
		if _, ok := daemons[command]; !ok {
			daemons[command] = i
		}
		name := [3]string{"name", m.host(b), b.Text("name")}
		if other, ok := daemons[name]; ok && (other == several || m.Daemons[other].Text("command") != b.Text("command")) {
			i = several
		}
		daemons[name] = i
	}
	uses := map[key][]origin.Use{}
	for i, b := range m.Processes {
		f := b.field(daemon)
		if f == nil {
			continue
		}
		for _, field := range []string{"command", "name"} {
			if at, ok := daemons[[3]string{field, m.host(b), f.last().Text}]; ok && at != several {
				k := key{kind: daemon, index: at, name: field, item: -1}
				by := key{kind: process, index: i, name: daemon, item: -1}
				uses[k] = append(uses[k], origin.Use{Key: by.String(), Text: f.last().Text, Span: f.last().Place.Span})
				break
			}
		}
	}
	return uses
}

func (m *Model) blockValues(k key, b *Block, uses map[key][]origin.Use, yield func(origin.Entry) bool) bool {
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
		e := origin.Entry{Key: k.String(), Value: f.last().Text, Flags: flags, Type: section(b.Kind).Key(f.Name).Type.String(), Uses: uses[k]}
		for _, v := range f.Values {
			e.Steps = append(e.Steps, m.step(v.Text, v.Place))
		}
		if f.Name == "host" && e.Value == "localhost" {
			e.Value = m.hostname
			e.Steps = append(e.Steps, origin.Step{What: origin.Localhost, Text: m.hostname, Note: "the name of this machine"})
		}
		if !yield(e) {
			return false
		}
	}
	return m.implicitValues(k, b, yield)
}

// implicitValues lists the values that no file sets.
func (m *Model) implicitValues(k key, b *Block, yield func(origin.Entry) bool) bool {
	implicit := func(name, value string, step origin.Step) bool {
		if b.field(name) != nil {
			return true
		}
		k.name = name
		step.Text = value
		return yield(origin.Entry{Key: k.String(), Value: value, Type: section(b.Kind).Key(name).Type.String(), Implicit: true, Steps: []origin.Step{step}})
	}
	if b.Kind != visi && !implicit("flavor", flavorField.Default, origin.Step{What: origin.Default, Note: "of the language"}) {
		return false
	}
	return implicit("host", m.hostname, origin.Step{What: origin.Localhost, Note: "the name of this machine"})
}

// itemValues lists arguments or the items of a list; an empty list is an empty value.
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

// programValues lists the project's settings for the programs of the plan.
func (m *Model) programValues(yield func(origin.Entry) bool) bool {
	if len(m.programs) == 0 {
		return true
	}
	plan, _, err := m.plan()
	if err != nil {
		return true
	}
	seen := map[string]bool{}
	for _, n := range plan.Nodes {
		for _, s := range n.Settings {
			e := origin.Entry{Key: "launch." + quoteName(cmp.Or(n.Base, n.ID)) + "." + s.Key, Value: s.Value, Type: schema.String.String(), Steps: []origin.Step{{
				What: origin.Set, Text: s.Value, Span: s.Span, Note: "of the project",
			}}}
			if !seen[e.Key] && !yield(e) {
				return false
			}
			seen[e.Key] = true
		}
	}
	return true
}

// Adjustable yields the tunable constants, each with its schema if it is known.
func (m *Model) Adjustable(yield func(origin.Entry, schema.Key) bool) {
	m.tunableValues(func(e origin.Entry) bool {
		k, _ := parseKey(e.Key) // no error is possible: the text was made from a key
		if known := tunables.Key(k.name); known != nil {
			return yield(e, *known)
		}
		return yield(e, schema.Key{Name: k.name})
	})
}
