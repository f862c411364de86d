package pinsight

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
)

// convertJSON writes the resolved settings as an object of sections.
func convertJSON(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	out := map[string]map[string]any{}
	for e := range m.values {
		if e.Implicit {
			continue
		}
		section, key, _ := splitKey(m, e.Key)
		if section == "" {
			section, key, _ = strings.Cut(e.Key, ".")
		}
		if out[section] == nil {
			out[section] = map[string]any{}
		}
		out[section][key] = jsonValue(e.Type, e.Value)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(out) // a broken writer is the caller's to see
	return nil
}

// jsonValue is a value as the schema has it.
func jsonValue(typ, value string) any {
	switch typ {
	case schema.Int.String():
		return json.Number(value)
	case schema.Bool.String():
		return value == "true"
	}
	return value
}
