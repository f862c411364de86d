package pdi

import (
	"iter"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// value is a node of a tree for the engine, together with its syntax node. Both trees have the same shape, so they are walked together, and a
// position is computed only when it is needed.
type value struct {
	*data.Node
	syn  *syntax.Node // for an alias, the alias itself; nil if the value is not from a file
	file *File
}

// pairs returns the entries of a mapping.
func (v value) pairs() iter.Seq2[value, value] {
	return func(yield func(k, v value) bool) {
		if v.Node == nil {
			return
		}
		entries := v.entries()
		for i, p := range v.Pairs {
			key, val := value{p.Key, nil, v.file}, value{p.Value, nil, v.file}
			if i < len(entries) {
				key.syn, val.syn = entries[i].Key, entries[i].Value
			}
			if !yield(key, val) {
				return
			}
		}
	}
}

// items returns the entries of a sequence.
func (v value) items() iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		if v.Node == nil {
			return
		}
		entries := v.entries()
		for i, n := range v.Items {
			item := value{n, nil, v.file}
			if i < len(entries) {
				item.syn = entries[i].Value
			}
			if !yield(i, item) {
				return
			}
		}
	}
}

// entries returns the entries that the file contains; the command line may have added others.
func (v value) entries() []syntax.Entry {
	if v.syn == nil {
		return nil
	}
	return v.syn.Resolved().Entries
}

// find returns the first entry of a key. In the original program, a key that is not a scalar hides all entries after it.
func (v value) find(name string) (key, val value, ok bool) {
	for k, x := range v.pairs() {
		if k.Kind != data.ScalarNode && v.file.model.dialect == data.Upstream {
			break
		}
		if k.Kind == data.ScalarNode && k.Text == name {
			return k, x, true
		}
	}
	return value{}, value{}, false
}

// get returns the value of a key, or a value without a node.
func (v value) get(name string) value {
	_, x, _ := v.find(name)
	return x
}

func (v value) absent() bool { return v.Node == nil }

// empty reports whether the value is missing, or there is no text after its colon.
func (v value) empty() bool { return v.Node.Blank() }

// count returns the number of entries of a mapping.
func (v value) count() int {
	if v.Node == nil {
		return 0
	}
	return len(v.Pairs)
}

func (v value) is(k data.NodeKind) bool { return v.Node != nil && v.Kind == k }

// span returns the place of the value; for an alias, the place of its anchor.
func (v value) span() source.Span {
	if v.Node == nil || v.Node.Span.IsZero() {
		return v.file.top()
	}
	return v.Node.Span
}

// part returns the place where bytes i to j of a scalar's text are written.
func (v value) part(i, j int) source.Span {
	m := v.file.model
	if v.syn == nil {
		if found, ok := m.find(v.Node); ok {
			v = found
		}
	}
	if v.syn == nil || !v.is(data.ScalarNode) || m.isOverridden(v.Node) {
		return v.span()
	}
	return v.file.Tree.ValueSpan(v.syn.Resolved(), i, j)
}

// name describes a value, for a message that says it was unexpected.
func (v value) name() string {
	switch {
	case v.empty():
		return "nothing"
	case v.Kind == data.ScalarNode:
		return "`" + problem.Clip(v.Text, problem.Short) + "`"
	}
	return "a " + v.Kind.String()
}

// lower converts a syntax tree to the engine's nodes. Their places are in the file f; if f is nil, they have none.
func lower(s *syntax.Node, f *source.File) *data.Node {
	l := lowering{file: f}
	return l.node(s)
}

// lowering is the state of converting one tree. An anchored node and its aliases become one shared node, so aliases cost nothing, however often
// they repeat.
type lowering struct {
	file   *source.File
	shared map[*syntax.Node]*data.Node
	nodes  data.Nodes
}

func (l *lowering) node(s *syntax.Node) *data.Node {
	if s.Kind == syntax.Alias {
		if n, ok := l.shared[s.Resolved()]; ok {
			return n
		}
		return l.node(s.Resolved())
	}
	var n *data.Node
	switch s.Kind {
	case syntax.Sequence:
		n = l.nodes.New(data.SequenceNode, len(s.Entries), 0)
	case syntax.Mapping:
		n = l.nodes.New(data.MappingNode, 0, len(s.Entries))
	default:
		n = l.nodes.New(data.ScalarNode, 0, 0)
		n.Text = s.Value
	}
	if l.file != nil {
		n.Span = source.Span{File: l.file, Start: int(s.Text.Start), End: int(s.Text.End)}
	}
	if !s.Anchor().Empty() {
		if l.shared == nil {
			l.shared = map[*syntax.Node]*data.Node{}
		}
		l.shared[s] = n
	}
	for i := range n.Items {
		n.Items[i] = l.node(s.Entries[i].Value)
	}
	for i := range n.Pairs {
		n.Pairs[i] = data.Pair{Key: l.node(s.Entries[i].Key), Value: l.node(s.Entries[i].Value)}
	}
	return n
}

// each returns the items of a list, or the value alone.
func (v value) each() iter.Seq[value] {
	return func(yield func(value) bool) {
		if !v.is(data.SequenceNode) {
			yield(v)
			return
		}
		for _, item := range v.items() {
			if !yield(item) {
				return
			}
		}
	}
}

// text returns the text of a scalar, or "".
func (v value) text() string {
	if v.is(data.ScalarNode) {
		return v.Text
	}
	return ""
}

// texts returns the scalars of a list, or a single scalar that is a shorthand for a list.
func (v value) texts() []string {
	if v.is(data.ScalarNode) {
		return []string{v.Text}
	}
	var list []string
	for _, item := range v.items() {
		list = append(list, item.text())
	}
	return list
}

// at finds the value that was made from the syntax node n.
func (v value) at(n *syntax.Node) value {
	if v.syn == nil || v.syn.Resolved() == n {
		return v
	}
	for _, item := range v.items() {
		if found := item.at(n); found.syn != nil {
			return found
		}
	}
	for key, val := range v.pairs() {
		for _, part := range []value{key, val} {
			if found := part.at(n); found.syn != nil {
				return found
			}
		}
	}
	return value{}
}

// decimal reports whether a text is a plain number, as most sizes are.
func decimal(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return len(s) > 0 && len(s) < 19 && (s[0] != '0' || len(s) == 1)
}

// constant reports whether no scalar of a value contains a reference.
func (v value) constant() bool {
	left := maxScalars
	return v.constantUpTo(&left)
}

// maxScalars limits the number of scalars that are visited, because aliases of aliases can multiply them.
const maxScalars = 10_000

func (v value) constantUpTo(left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	for _, item := range v.items() {
		if !item.constantUpTo(left) {
			return false
		}
	}
	for _, val := range v.pairs() {
		if !val.constantUpTo(left) {
			return false
		}
	}
	return !v.is(data.ScalarNode) || !strings.Contains(v.Text, "$")
}
