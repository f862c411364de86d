package sprokit

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/run/flow"
)

// Adjustable are the settings that a pipeline offers to its users: those of its `config` blocks and those marked as tunable, each with what is
// declared for it. A key of a `config` block has the declaration of the first key of a process that reads it.
func (m *Model) Adjustable(yield func(origin.Entry, schema.Key) bool) {
	for e := range m.values {
		root, _, _ := strings.Cut(e.Key, ":")
		block := m.process(root) == nil && !strings.HasPrefix(root, "_")
		if e.Implicit || slices.Contains(e.Flags, "ro") || !block && !slices.Contains(e.Flags, "tunable") {
			continue
		}
		key, _ := m.declared(e.Key)
		for i := 0; key == nil && i < len(e.Uses); i++ {
			key, _ = m.declared(e.Uses[i].Key)
		}
		if !yield(e, declaration(e.Key, key)) {
			return
		}
	}
}

// declaration is a key of a process type in the words of the tables that all languages have.
func declaration(name string, k *flow.Key) schema.Key {
	out := schema.Key{Name: name}
	if k == nil {
		return out
	}
	out.Doc, out.Default, out.Enum, out.Required = k.Doc, k.Default, k.Choices, k.Required
	switch k.Kind {
	case flow.Int:
		out.Type = schema.Int
	case flow.Unsigned:
		out.Type, out.Min = schema.Int, schema.At(0)
	case flow.Double, flow.Float:
		out.Type = schema.Float
	case flow.Bool:
		out.Type = schema.Bool
	}
	if len(k.Choices) > 0 {
		out.Type = schema.Enum
	}
	return out
}
