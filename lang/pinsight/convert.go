package pinsight

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
)

// convertJSON writes the resolved settings as an object of sections.
func convertJSON(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	out := map[string]map[string]any{}
	put := func(section, key string, e *origin.Entry) {
		if e.Implicit {
			return
		}
		if out[section] == nil {
			out[section] = map[string]any{}
		}
		out[section][key] = jsonValue(e.Type, e.Value)
	}
	if n := m.upstream(); n != nil {
		for e := range n.Values {
			section, key, ok := splitKey(m, e.Key)
			if !ok {
				section, key, _ = strings.Cut(e.Key, ".")
			}
			put(section, key, &e)
		}
	} else {
		for kind, s := range m.sections {
			m.sectionValues(kind, s, func(e origin.Entry) bool {
				put(s.Name, strings.TrimPrefix(e.Key, s.Name+"."), &e)
				return true
			})
		}
	}
	_ = jsontext.Write(w, out) // writing errors are reported by the caller's writer
	return nil
}

// jsonValue returns a value with the type of the schema.
func jsonValue(typ, value string) any {
	switch typ {
	case schema.Int.String():
		return json.Number(value)
	case schema.Bool.String():
		return value == "true"
	}
	return value
}
