package data

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Node is one value of a specification tree: a scalar with its text, a
// sequence, or a mapping in written order. Nothing is typed here: the text `42`
// is a number only where it is read as one. A nil *Node is an absent value.
type Node struct {
	Kind  NodeKind
	Text  string      // of a scalar
	Items []*Node     // of a sequence
	Pairs []Pair      // of a mapping, duplicates included
	Span  source.Span // zero where the node comes from a Go program
}

// Pair is one entry of a mapping. Keys are nodes because YAML allows any value
// there; Lookup sees scalar keys only.
type Pair struct {
	Key   *Node
	Value *Node
}

// NodeKind tells the three shapes of a Node apart.
type NodeKind uint8

const (
	ScalarNode NodeKind = iota
	SequenceNode
	MappingNode
)

func (k NodeKind) String() string {
	switch k {
	case ScalarNode:
		return "scalar"
	case SequenceNode:
		return "sequence"
	}
	return "mapping"
}

// Text returns a scalar without a place.
func Text(s string) *Node { return &Node{Text: s} }

// List returns a sequence for programs that write their trees in Go. Items that
// are no *Node become the text that fmt prints of them.
func List(items ...any) *Node {
	n := &Node{Kind: SequenceNode}
	for _, item := range items {
		n.Items = append(n.Items, nodeOf(item))
	}
	return n
}

// Map returns a mapping of keys and values by turns, made like the items of List.
func Map(keysAndValues ...any) *Node {
	n := &Node{Kind: MappingNode}
	for i, v := range keysAndValues {
		if i%2 == 0 {
			n.Pairs = append(n.Pairs, Pair{Key: nodeOf(v), Value: &Node{}})
		} else {
			n.Pairs[i/2].Value = nodeOf(v)
		}
	}
	return n
}

func nodeOf(v any) *Node {
	if n, ok := v.(*Node); ok {
		return n
	}
	return Text(fmt.Sprint(v))
}

// Flow writes a node on one line, with each scalar as the function gives it.
func (n *Node) Flow(scalar func(string) string) string {
	var parts []string
	switch n.Kind {
	case SequenceNode:
		for _, item := range n.Items {
			parts = append(parts, item.Flow(scalar))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case MappingNode:
		for _, p := range n.Pairs {
			parts = append(parts, p.Key.Flow(scalar)+": "+p.Value.Flow(scalar))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return scalar(n.Text)
}

// Lookup returns the value of the first pair whose key is the scalar name, or
// nil. Like upstream's reader it stops at a key that is no scalar: what stands
// behind such a key cannot be reached by name.
func (n *Node) Lookup(name string) *Node {
	if n == nil || n.Kind != MappingNode {
		return nil
	}
	for _, p := range n.Pairs {
		if p.Key.Kind != ScalarNode {
			return nil
		}
		if p.Key.Text == name {
			return p.Value
		}
	}
	return nil
}

// Scalar returns the text of a node that must be a scalar; what is how a message calls it.
func (n *Node) Scalar(what string) (string, error) {
	if n.Kind != ScalarNode {
		return "", Errorf(StatusSpecTree, n, "expected %s, found a %s", what, n.Kind).NoScalar(n)
	}
	return n.Text, nil
}

// Field returns the text of a key of a mapping, which must be a scalar.
func (n *Node) Field(key, what string) (string, error) {
	value := n.Lookup(key)
	if value != nil {
		return value.Scalar(what)
	}
	if n.Kind == MappingNode {
		return "", Errorf(StatusSpecTree, n, "the key `%s` is missing", key).NoKey(key, "")
	}
	return "", Errorf(StatusSpecTree, n, "expected a mapping with the key `%s`, found %s", key, n.name()).NoMapping(n, "")
}

// List returns the items of a node that must be a sequence. Nothing at all has none.
func (n *Node) List(what string) ([]*Node, error) {
	if n.Blank() {
		return nil, nil
	}
	if n.Kind != SequenceNode {
		return nil, Errorf(StatusSpecTree, n, "expected %s, found %s", what, n.name()).NoSequence(n)
	}
	return n.Items, nil
}

// Each visits the entries of a mapping, which must have names; what is how a message calls
// it. Nothing at all has no entries and neither has an empty list: the original program
// counts entries before it looks what they are in.
func (n *Node) Each(what string, visit func(name string, key, value *Node) error) error {
	return n.each(what, "{", visit)
}

// each is Each for a mapping that the original program reaches by a path.
func (n *Node) each(what, path string, visit func(name string, key, value *Node) error) error {
	if n.Blank() || n.Kind == SequenceNode && len(n.Items) == 0 {
		return nil
	}
	if n.Kind != MappingNode {
		return Errorf(StatusSpecTree, n, "expected %s, found %s", what, n.name()).NoMapping(n, path)
	}
	for _, p := range n.Pairs {
		if p.Key.Kind != ScalarNode {
			return p.Key.notName()
		}
		if err := visit(p.Key.Text, p.Key, p.Value); err != nil {
			return err
		}
	}
	return nil
}

// notName is the error of a key that is no scalar.
func (n *Node) notName() error {
	return Errorf(StatusSpecTree, n, "expected a name, found %s", n.name()).NoScalar(n)
}

// Blank reports whether a section is absent or written with nothing behind its
// colon, which means the same.
func (n *Node) Blank() bool {
	return n == nil || n.Kind == ScalarNode && n.Text == ""
}

// pairs are the entries of a mapping; a node that is none has none.
func (n *Node) pairs() []Pair {
	if n == nil {
		return nil
	}
	return n.Pairs
}

// name is how a message calls a node it cannot use.
func (n *Node) name() string {
	switch {
	case n.Blank():
		return "nothing"
	case n.Kind == ScalarNode:
		return "`" + problem.Clip(n.Text, problem.Short) + "`"
	}
	return "a " + n.Kind.String()
}

// slab makes few large allocations of many small ones: a tree declares thousands
// of things that live as long as the store.
type slab[T any] struct {
	free []T
	size int // of the last allocation
}

// take returns n zero values. Appending to them never reaches those of others.
func (s *slab[T]) take(n int) []T {
	if len(s.free) < n {
		s.size = max(n, min(2*s.size, 1024), 4)
		s.free = make([]T, s.size)
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}

// Nodes makes the nodes of a tree with few allocations.
type Nodes struct {
	nodes slab[Node]
	items slab[*Node]
	pairs slab[Pair]
}

// New returns a node with room for so many items and pairs.
func (x *Nodes) New(kind NodeKind, items, pairs int) *Node {
	n := &x.nodes.take(1)[0]
	n.Kind, n.Items, n.Pairs = kind, x.items.take(items), x.pairs.take(pairs)
	return n
}

// Spec is a specification tree as the engine takes it: one Section for each
// file, included ones before the file that includes them. The order matters
// only for the order of plugins and of declarations.
type Spec struct {
	Sections []Section

	// Logging is the `logging` node of the main tree; included files have no say.
	Logging *Node
}

// Section holds what one tree says. Every field is the node as written, nil
// when the key is absent; the engine reads it and its errors carry the node.
type Section struct {
	Types      *Node // name -> type
	Metadata   *Node // name -> type, kept by copy
	Data       *Node // name -> type, kept by reference
	Plugins    *Node // name -> configuration
	PluginPath *Node // a path or a list of paths; shown, never loaded from
}

// Tree returns the Spec of a single tree without includes: its root sections by
// name. A root that is no mapping declares nothing.
func Tree(root *Node) Spec {
	return Spec{
		Logging: root.Lookup("logging"),
		Sections: []Section{{
			Types:      root.Lookup("types"),
			Metadata:   root.Lookup("metadata"),
			Data:       root.Lookup("data"),
			Plugins:    root.Lookup("plugins"),
			PluginPath: root.Lookup("plugin_path"),
		}},
	}
}
