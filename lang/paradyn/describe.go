package paradyn

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/lang"
)

// describe returns a description of what an occurrence stands for.
func (m *Model) describe(o lang.Occurrence) string {
	what, name, _ := strings.Cut(o.Symbol, " ")
	switch {
	case what == "tunable":
		if k := tunables.Key(name); k != nil {
			return k.Describe()
		}
		return fmt.Sprintf("tunable constant `%s`\n\n%s", name, tunables.Doc)
	case what == "list":
		return lists.Doc
	case what == "word":
		for _, s := range table().Sections {
			if kind, _, _ := strings.Cut(s.Name, "["); kind == name {
				return s.Doc
			}
		}
		return ""
	case what == "field":
		kind, field, _ := strings.Cut(name, ".")
		if k := section(kind).Key(field); k != nil {
			return k.Describe()
		}
		return ""
	}
	k, ok := parseKey(o.Symbol)
	if !ok {
		if k, ok = parseKey(o.Key); !ok || !k.isBlock() {
			return ""
		}
	}
	if k.kind == daemon && k.index < len(m.Daemons) && o.Kind == lang.Daemon {
		b := m.Daemons[k.index]
		return fmt.Sprintf("daemon `%s` on `%s`\n\nIt is started before the processes under it.", b.Text("command"), m.host(b))
	}
	if field := section(k.kind).Key(k.name); field != nil {
		return field.Describe()
	}
	return ""
}
