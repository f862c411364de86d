package pinsight

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
)

// convertJSON writes the resolved settings as an object of sections.
func convertJSON(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	out := map[string]map[string]string{}
	for e := range m.values {
		if e.Implicit {
			continue
		}
		section, key, _ := splitKey(m, e.Key)
		if section == "" {
			section, key, _ = strings.Cut(e.Key, ".")
		}
		if out[section] == nil {
			out[section] = map[string]string{}
		}
		out[section][key] = e.Value
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(out) // a broken writer is the caller's to see
	return nil
}
