package data

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Node is one value of a specification tree: a scalar with its text, a sequence, or a
// mapping in written order. Scalars have no type: the text `42` is a number only if it is
// read as one. A nil *Node is an absent value.
type Node struct {
	Kind  NodeKind
	Text  string      // of a scalar
	Items []*Node     // of a sequence
	Pairs []Pair      // of a mapping, duplicates included
	Span  source.Span // zero if a Go program made the node
}

// Pair is one entry of a mapping. Keys are nodes because YAML allows any value as a key;
// Lookup sees scalar keys only.
type Pair struct {
	Key   *Node
	Value *Node
}

// NodeKind is the kind of a Node: scalar, sequence or mapping.
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

// Text returns a scalar node without a place.
func Text(s string) *Node { return &Node{Text: s} }

// List returns a sequence for programs that write their trees in Go. Items that are not a
// *Node become scalars with the text that fmt prints for them.
func List(items ...any) *Node {
	n := &Node{Kind: SequenceNode}
	for _, item := range items {
		n.Items = append(n.Items, nodeOf(item))
	}
	return n
}

// Map returns a mapping of alternating keys and values, which are converted like the items
// of List.
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

// Flow returns a node written on one line. scalar formats the text of each scalar.
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

// Lookup returns the value of the first key with the given name, or nil. Like the original
// program, it stops at a key that is not a scalar, so keys after it are not found.
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

// Scalar returns the text of the node, which must be a scalar; what names it in messages.
func (n *Node) Scalar(what string) (string, error) {
	if n.Kind != ScalarNode {
		return "", Errorf(StatusSpecTree, n, "expected %s, found a %s", what, n.Kind).NoScalar(n)
	}
	return n.Text, nil
}

// Field returns the value of a key of a mapping. The value must be a scalar.
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

// List returns the items of a node that must be a sequence; what names it in messages. A
// blank node has no items.
func (n *Node) List(what string) ([]*Node, error) {
	if n.Blank() {
		return nil, nil
	}
	if n.Kind != SequenceNode {
		return nil, Errorf(StatusSpecTree, n, "expected %s, found %s", what, n.name()).NoSequence(n)
	}
	return n.Items, nil
}

// Each calls visit for each entry of a mapping, whose keys must be scalars. what names the
// mapping in messages. A blank node or an empty list counts as an empty mapping; for lists, this
// is because the original program counts entries before it checks the kind of the node.
func (n *Node) Each(what string, visit func(name string, key, value *Node) error) error {
	return n.each(what, "{", visit)
}

// each is Each for a mapping that the original program describes in its messages by path.
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

// notName returns the error for a key that is not a scalar.
func (n *Node) notName() error {
	return Errorf(StatusSpecTree, n, "expected a name, found %s", n.name()).NoScalar(n)
}

// Blank reports whether a section is absent or empty. Both mean the same.
func (n *Node) Blank() bool {
	return n == nil || n.Kind == ScalarNode && n.Text == ""
}

// pairs returns the entries of a mapping, and none for other nodes.
func (n *Node) pairs() []Pair {
	if n == nil {
		return nil
	}
	return n.Pairs
}

// name returns the words by which messages describe a node that is not what was expected.
func (n *Node) name() string {
	switch {
	case n.Blank():
		return "nothing"
	case n.Kind == ScalarNode:
		return "`" + problem.Clip(n.Text, problem.Short) + "`"
	}
	return "a " + n.Kind.String()
}

// slab allocates many small slices in a few large pieces. A tree declares thousands of values,
// which all live as long as the store.
type slab[T any] struct {
	free []T
	size int // number of values in the last piece
}

// take returns a slice of n zero values. Appending to it never overwrites values of another
// slice.
func (s *slab[T]) take(n int) []T {
	if len(s.free) < n {
		s.size = max(n, min(2*s.size, 1024), 4)
		s.free = make([]T, s.size)
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}

// Nodes allocates the nodes of a tree with few allocations.
type Nodes struct {
	nodes slab[Node]
	items slab[*Node]
	pairs slab[Pair]
}

// New returns a node with capacity for the given numbers of items and pairs.
func (x *Nodes) New(kind NodeKind, items, pairs int) *Node {
	n := &x.nodes.take(1)[0]
	n.Kind, n.Items, n.Pairs = kind, x.items.take(items), x.pairs.take(pairs)
	return n
}

// Spec is a specification tree: one Section for each file, where an included file comes before
// the file that includes it. The order determines only the order of plugins and declarations.
type Spec struct {
	Sections []Section

	// Logging is the `logging` node of the main tree; `logging` in included files is ignored.
	Logging *Node
}

// Section has the sections of one file, each as a node. A field is nil if the file does not have
// the key. Errors in a section refer to its node.
type Section struct {
	Types      *Node // name -> type
	Metadata   *Node // name -> type; the store keeps a copy of the value
	Data       *Node // name -> type; the store keeps a reference to the value, not a copy
	Plugins    *Node // name -> configuration
	PluginPath *Node // a path or a list of paths, from which no plugin is ever loaded; the log mentions it
}

// Tree returns the Spec of a single file without includes. root is its mapping of sections; a
// root of another kind declares nothing.
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
