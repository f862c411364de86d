package sprokit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

// edit returns the edits that give key the value: at the entry that decides its value or, if there is none, in the section where
// the key belongs.
func (m *Model) edit(key, value string) ([]source.Edit, error) {
	if err := m.writable(value); err != nil {
		return nil, err
	}
	if s, ok := m.Lookup(key); ok {
		return m.replace(s, value)
	}
	if name, rest, ok := strings.Cut(key, ":"); ok {
		if p := m.process(name); p != nil && p.Inside != nil {
			if s, ok := p.Inside.Lookup(rest); ok && s.is(readOnly) {
				return nil, fmt.Errorf("`%s` is read-only in the cluster: %s says `[ro]`", key, s.keySpan())
			}
		}
	}
	if !isKey(key) {
		return nil, fmt.Errorf("`%s` is not a key: its parts are made of letters, digits, `_` and `-`, with `:` between them", problem.Clip(key, problem.Short))
	}
	return m.insert(key, value)
}

// writable returns an error if a text cannot be written as a value.
func (m *Model) writable(value string) error {
	switch {
	case strings.ContainsAny(value, "\n#"):
		return errors.New("a value cannot contain a line break or `#`, which begins a comment")
	case trim(value) != value:
		return errors.New("a value cannot begin or end with a blank")
	}
	for macro := range macros(value, m.dialect == load.Upstream) {
		return fmt.Errorf("`%s` would be replaced as a macro; write it into the file by hand", value[macro.start:macro.end])
	}
	return nil
}

// isKey reports whether a text can be written as a key.
func isKey(key string) bool {
	tree := syntax.Parse(source.NewFile("", key+" = 1\n"))
	return len(tree.Problems()) == 0 && len(tree.Stmts) == 1 && tree.Stmts[0].Kind == syntax.EntryStmt &&
		tree.Of(tree.Stmts[0].Name) == key && tree.Stmts[0].Flags&^syntax.Dashed == 0
}

// replace changes an existing entry.
func (m *Model) replace(s *Setting, value string) ([]source.Edit, error) {
	switch {
	case s.unit == nil:
		return nil, fmt.Errorf("`%s` is set on the command line; leave the -s out", s.Key)
	case s.unit.joined:
		return nil, fmt.Errorf("`%s` is in a file that ends a statement of another file: edit %s by hand", s.Key, s.keySpan())
	case s.is(readOnly):
		return nil, fmt.Errorf("`%s` is read-only: %s says `[ro]`", s.Key, s.keySpan())
	}
	tree, stmt := s.unit.tree, s.stmt
	var edits []source.Edit
	if stmt.Has(syntax.Relative) {
		folder := s.Value[:s.path]
		if rest, ok := strings.CutPrefix(value, folder); ok {
			value = rest
		} else {
			head := tree.Head(stmt)
			head.End = int(stmt.Name.Start)
			if stmt.Has(syntax.OldStyle) {
				head.End--
			}
			edits = append(edits, source.Edit{Span: head})
		}
	}
	at := tree.Span(stmt.Value)
	switch {
	case value == "" && stmt.Value.Empty():
		return edits, nil
	case value == "" && stmt.Has(syntax.OldStyle):
		text := keyText(tree, stmt)
		if text != "include" { // a blank would turn it into an include
			text += " "
		}
		edits = []source.Edit{{Span: tree.StmtSpan(stmt), Text: text + "="}}
	case stmt.Value.Empty():
		end := tree.StmtSpan(stmt).End
		edits = append(edits, source.Edit{Span: tree.File().Span(end, end), Text: " " + value})
	case stmt.Has(syntax.Glued) && m.dialect != 0:
		edits = append(edits, source.Edit{Span: at, Text: " " + value})
	default:
		edits = append(edits, source.Edit{Span: at, Text: value})
	}
	return edits, nil
}

// keyText returns the key of an entry with its attributes, without the colon of the older style.
func keyText(t *syntax.Tree, s *syntax.Stmt) string {
	text := t.Join(s.Name)
	if !s.Attrs.Empty() {
		text += "[" + t.Of(s.Attrs) + "]"
	}
	return text
}

// insert adds an entry after the last one of the section that fits best or, if no section fits, in a new section at the end of
// the document.
func (m *Model) insert(key, value string) ([]source.Edit, error) {
	best, length := m.tree, -1
	var after *syntax.Stmt
	for _, u := range m.units {
		for i := range u.tree.Stmts {
			s := &u.tree.Stmts[i]
			if s.Kind != syntax.ProcessStmt && s.Kind != syntax.ConfigStmt || s.Has(syntax.Incomplete) {
				continue
			}
			root := u.tree.Name(s)
			if strings.HasPrefix(key, root+":") && len(root) > length {
				best, after, length = u.tree, lastOf(u.tree, i), len(root)
			}
		}
	}
	root, rest, ok := strings.Cut(key, ":")
	if after != nil {
		indent := "  "
		end := lineEnd(best, after)
		return []source.Edit{{Span: best.File().Span(end, end), Text: fmt.Sprintf("\n%s%s = %s", indent, key[length+1:], value)}}, nil
	}
	if !ok || !strings.HasPrefix(root, "_") {
		return nil, m.noSection(key, root)
	}
	if i := strings.LastIndexByte(key, ':'); i > 0 && isSection(key[:i]) {
		root, rest = key[:i], key[i+1:]
	}
	text := fmt.Sprintf("config %s\n  %s = %s\n", root, rest, value)
	if n := m.tree.File().Len(); n > 0 {
		text = "\n" + text
		if m.tree.File().Text()[n-1] != '\n' {
			text = "\n" + text
		}
	}
	end := m.tree.File().Len()
	return []source.Edit{{Span: m.tree.File().Span(end, end), Text: text}}, nil
}

// isSection reports whether a text can be written after `config`.
func isSection(name string) bool {
	tree := syntax.Parse(source.NewFile("", "config "+name+"\n"))
	return len(tree.Problems()) == 0 && len(tree.Stmts) == 1 && !tree.Stmts[0].Has(syntax.Scattered)
}

// lastOf returns the last statement of the section that begins at i. It stops at the first statement that is neither an entry
// nor the begin or the end of a block.
func lastOf(t *syntax.Tree, i int) *syntax.Stmt {
	last := &t.Stmts[i]
	for i++; i < len(t.Stmts); i++ {
		switch t.Stmts[i].Kind {
		case syntax.EntryStmt, syntax.BlockStmt, syntax.EndblockStmt:
			last = &t.Stmts[i]
		default:
			return last
		}
	}
	return last
}

// lineEnd returns the end of the line on which a statement ends.
func lineEnd(t *syntax.Tree, s *syntax.Stmt) int {
	text := t.File().Text()
	end := t.StmtSpan(s).End
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		return end + i
	}
	return len(text)
}

func (m *Model) noSection(key, root string) error {
	var names []string
	for s := range m.each {
		names = append(names, s.Key)
	}
	if near, ok := problem.Nearest(key, names); ok {
		return fmt.Errorf("there is no setting `%s`; did you mean `%s`?", problem.Clip(key, problem.Short), near)
	}
	names = names[:0]
	for i := range m.Processes {
		names = append(names, m.Processes[i].Name)
	}
	slices.Sort(names)
	if near, ok := problem.Nearest(root, names); ok {
		return fmt.Errorf("there is no process or section `%s`; did you mean `%s`?", problem.Clip(root, problem.Short), near)
	}
	return fmt.Errorf("there is no process or section `%s` that could have the key `%s`", problem.Clip(root, problem.Short), problem.Clip(key, problem.Short))
}

// extract moves the value of the entry at an offset to a new `:=` on the line above, which the entry then reads.
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
