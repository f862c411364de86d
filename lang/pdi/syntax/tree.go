package syntax

import (
	"sync/atomic"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Tree is the first document of a text.
type Tree struct {
	token.Tree

	// Root is never nil. The root of an empty document is an Absent scalar.
	Root *Node
	End  int // the end of the text that is read: of the file, or of the raw string in it

	embedded bool // the tree is in a source of C++

	last atomic.Pointer[decoded] // the last scalar that Offset decoded
}

// Kind is the kind of a node.
type Kind uint8

// The kinds of nodes.
const (
	Scalar Kind = iota
	Sequence
	Mapping
	Alias
)

func (k Kind) String() string { return [...]string{"scalar", "sequence", "mapping", "alias"}[k] }

// Style is how a node is written.
type Style uint8

// The styles. The first seven are for scalars, the last two for sequences and mappings.
const (
	Absent       Style = iota // nothing is written: the value of `key:`
	Broken                    // it could not be read; a problem says why
	PlainStyle                // text
	SingleQuoted              // 'text'
	DoubleQuoted              // "text"
	Literal                   // | and lines
	Folded                    // > and lines
	Block                     // by indentation
	Flow                      // in brackets
)

// Node is a scalar, a sequence, a mapping, or an alias of another node.
//
// Nodes form a tree by Entries. An alias leads to another node of the same tree, never to a node that contains the alias, so following it always
// ends. The number of nodes to which all aliases together expand is bounded.
type Node struct {
	Kind  Kind
	Style Style

	indent int32 // the indentation of a block scalar's lines

	Text   Text  // its bytes, without anchor and tag; empty for an Absent node
	Tokens Range // its tokens, with anchor and tag

	Value   string  // of a scalar: its content; of an alias: the name of the anchor
	Entries []Entry // the entries of a sequence or a mapping, in the order of the text

	rare *rare
}

// Entry is an item of a sequence, or a key with its value. Keys may repeat; the language decides what that means.
type Entry struct {
	Key   *Node // nil in a sequence
	Value *Node // never nil
	// Tokens are the tokens of the whole entry, from `-`, `?` or the key to the end of the value.
	Tokens Range
	head   int32 // the token after `-` or `:`, from which the value is read
}

// rare holds what few nodes have.
type rare struct {
	properties
	target *Node // of an alias: never nil, but Broken if the name is unknown
}

type properties struct{ anchor, tag Text }

// Text and Range are pieces of the file in bytes and in tokens.
type (
	Text  = token.Text
	Range = token.Range
)

// Resolved returns the node itself, or the node that an alias refers to.
func (n *Node) Resolved() *Node {
	for n.Kind == Alias {
		n = n.rare.target
	}
	return n
}

// Find returns the first entry with the key, as the original program does.
// A key that is not a scalar hides everything after it from that program; Find skips it.
func (n *Node) Find(key string) (Entry, bool) {
	for _, e := range n.Entries {
		if e.Key == nil {
			continue
		}
		if k := e.Key.Resolved(); k.Kind == Scalar && k.Value == key {
			return e, true
		}
	}
	return Entry{}, false
}

// Anchor returns the name after `&`, or an empty piece.
func (n *Node) Anchor() Text {
	if n.rare == nil {
		return Text{}
	}
	return n.rare.anchor
}

// Tag returns the tag as written, or an empty piece. PDI ignores it.
func (n *Node) Tag() Text {
	if n.rare == nil {
		return Text{}
	}
	return n.rare.tag
}

// Unreadable returns the first problem that the original program's reader has with the text too. That reader stops at the end of the first document.
func (t *Tree) Unreadable() *diag.Diagnostic {
	for _, d := range t.Problems() {
		if d.Severity == diag.Error && d.Code != TextAfterDocument {
			return d
		}
	}
	return nil
}

// NodeSpan returns the place of a node, without anchor and tag.
func (t *Tree) NodeSpan(n *Node) source.Span { return t.Span(n.Text) }

// EntrySpan returns the place of an entry, from `-`, `?` or the key to the end of the value.
func (t *Tree) EntrySpan(e Entry) source.Span { return t.RangeSpan(e.Tokens) }

// ValueSpan returns the place of bytes i to j of a scalar's value.
func (t *Tree) ValueSpan(n *Node, i, j int) source.Span {
	start := t.Offset(n, i)
	if j <= i {
		return source.Span{File: t.File(), Start: start, End: start}
	}
	// The end is the end of the last byte: the text after it may be on another line.
	return source.Span{File: t.File(), Start: start, End: max(start, t.OffsetEnd(n, j))}
}

// Comments returns the comments that belong to an entry: above it, and at the end of its line. If the value is on further lines, that line is the
// first one.
func (t *Tree) Comments(e Entry) token.Comments {
	end := int(e.Tokens.End)
	for i := int(e.head); i < end; i++ {
		switch t.Tokens().Kind(i) {
		case Blank, Comment, Anchor, Tag:
			continue
		case Newline:
			end = int(e.head)
		}
		break
	}
	return t.Tokens().Attach(Roles, int(e.Tokens.First), end)
}
