package token

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
)

// Text is a piece of a file by its bytes.
type Text struct{ Start, End int32 }

// Empty reports whether nothing is there.
func (x Text) Empty() bool { return x.Start == x.End }

// Trim is the piece without the bytes of the set at its ends.
func (x Text) Trim(text string, set *Set) Text {
	for x.Start < x.End && set[text[x.Start]] {
		x.Start++
	}
	for x.End > x.Start && set[text[x.End-1]] {
		x.End--
	}
	return x
}

// Range is tokens First up to, not including, End.
type Range struct{ First, End int32 }

// Tree is what every syntax tree has: the tokens of its file, and the places
// that have no form of the language. Trees embed it.
type Tree struct {
	tokens   *List
	problems diag.List
}

// NewTree returns the tree of a text without any node.
func NewTree(tokens *List) Tree { return Tree{tokens: tokens} }

// File is the text the tree was made of.
func (t *Tree) File() *source.File { return t.tokens.File }

// Tokens are all tokens of the text.
func (t *Tree) Tokens() *List { return t.tokens }

// Problems are the pieces that have no form of the language.
func (t *Tree) Problems() diag.List { return t.problems }

// Report adds a problem, to be described further.
func (t *Tree) Report(code *diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	return t.problems.Report(code, span, format, args...)
}

// Of is what stands at a piece.
func (t *Tree) Of(x Text) string { return t.tokens.File.Text()[x.Start:x.End] }

// Span is the place of a piece.
func (t *Tree) Span(x Text) source.Span {
	return source.Span{File: t.tokens.File, Start: int(x.Start), End: int(x.End)}
}

// RangeSpan is the place of a range of tokens.
func (t *Tree) RangeSpan(r Range) source.Span { return t.tokens.Between(int(r.First), int(r.End)) }
