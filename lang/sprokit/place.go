package sprokit

import "github.com/pentode-dev/pentode/core/source"

// Places finds the spans behind the places that Pipeline gave the engine.
func (m *Model) Places() map[string]source.Span {
	places := map[string]source.Span{}
	m.flowGraph(func(s source.Span) string {
		place := s.String()
		places[place] = s
		return place
	})
	return places
}

// ToSpan is the place of the input that it feeds.
func (c *Connection) ToSpan() source.Span {
	refs := c.unit.tree.Refs(c.stmt)
	return c.unit.tree.Span(refs[len(refs)-1].Text())
}

// Variable is a place that reads an environment variable.
type Variable struct {
	Name    string
	Missing bool // it has no value
	Span    source.Span
}

// Variables are all places that read one in settings, in order.
func (m *Model) Variables() []Variable {
	var list []Variable
	for i := range m.reads {
		r := &m.reads[i]
		if r.provider != "ENV" {
			continue
		}
		if s := &m.settings[r.by]; s.unit != nil {
			list = append(list, Variable{Name: r.name, Missing: r.missing, Span: s.macroSpan(r)})
		}
	}
	return list
}
