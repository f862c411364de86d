package coil

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/lang"
)

// describe returns a description of the thing that an occurrence names.
func (m *Model) describe(o lang.Occurrence) string {
	_, name, _ := strings.Cut(o.Symbol, " ")
	switch o.Kind {
	case lang.Section:
		if s := m.schema.Section(name); s != nil {
			return s.Doc
		}
	case lang.Feature:
		return m.describeFeature(name)
	case lang.Register:
		if m.machine.mode != nil && m.machine.mode.HasRegister(name) {
			return fmt.Sprintf("register `%s` of %s", name, m.machineName())
		}
	case lang.Key, lang.Word, lang.Number:
		section, key, _ := cutKey(o.Key)
		if s := m.schema.Section(section); s != nil {
			if k := s.Key(key); k != nil {
				return k.Describe()
			}
		}
	}
	return ""
}

// describeFeature describes a feature and what it implies.
func (m *Model) describeFeature(name string) string {
	isa := m.machine.isa
	if isa == nil {
		return ""
	}
	f := isa.Feature(name)
	if f.Feature == nil {
		return ""
	}
	text := fmt.Sprintf("feature `%s` of %s", f.Name, m.machineName())
	if implied := f.Implies.Names(isa); len(implied) > 0 {
		text += "\n\nIt implies `" + strings.Join(implied, "`, `") + "`."
	}
	if f.Obsolete {
		text += "\n\nOnly old processors have it."
	}
	return text
}
