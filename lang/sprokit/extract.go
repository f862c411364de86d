package sprokit

import (
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

// extract gives the value of the entry at an offset a name on the line above,
// which the entry then reads.
func (m *Model) extract(f *source.File, offset int) []source.Edit {
	for _, u := range m.units {
		if u.tree.File() != f {
			continue
		}
		for i := range u.tree.Stmts {
			s := &u.tree.Stmts[i]
			value := u.tree.Span(s.Value)
			if s.Kind != syntax.EntryStmt || s.Flags&(syntax.Local|syntax.Relative|syntax.Incomplete) != 0 || offset < value.Start || offset > value.End {
				continue
			}
			text := value.Text()
			if text == "" || strings.Contains(text, "$") {
				return nil
			}
			key := u.tree.Name(s)
			name := key[strings.LastIndexAny(key, ":/")+1:] + "_value"
			start := f.LineStart(u.tree.StmtSpan(s).Position().Line)
			line := f.Text()[start:]
			indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
			return []source.Edit{
				{Span: f.Span(start, start), Text: indent + name + " := " + text + "\n"},
				{Span: value, Text: "$" + string(fromLocal) + "{" + name + "}"},
			}
		}
	}
	return nil
}
