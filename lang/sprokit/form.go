package sprokit

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/run/flow/pipe"
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
func declaration(name string, k *pipe.Key) schema.Key {
	if k == nil {
		return schema.Key{Name: name}
	}
	out := schemaKey(k)
	out.Name, out.Pattern = name, ""
	if k.Kind == pipe.Any {
		out.Type = schema.String // it is one of the values below that key
	}
	return out
}
