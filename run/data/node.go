package data

import (
	"fmt"

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
