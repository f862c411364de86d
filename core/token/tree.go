package token

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
)

// Text is a piece of a file, given by its bytes.
type Text struct{ Start, End int32 }

// Empty reports whether the piece is empty.
func (x Text) Empty() bool { return x.Start == x.End }

// Trim returns the piece without the bytes of the set at its ends.
func (x Text) Trim(text string, set *Set) Text {
	for x.Start < x.End && set[text[x.Start]] {
		x.Start++
	}
	for x.End > x.Start && set[text[x.End-1]] {
		x.End--
	}
	return x
}

// Range is the tokens from First up to, but not including, End.
type Range struct{ First, End int32 }

// Tree is the common part of every syntax tree: the tokens of its file, and the
// problems of its syntax. Trees embed it.
type Tree struct {
	tokens   *List
	problems diag.List
}

// NewTree returns a tree without nodes.
func NewTree(tokens *List) Tree { return Tree{tokens: tokens} }

// File returns the file that the tree was made from.
func (t *Tree) File() *source.File { return t.tokens.File }

// Tokens returns all tokens of the text.
func (t *Tree) Tokens() *List { return t.tokens }

// Problems returns the findings about the syntax.
func (t *Tree) Problems() diag.List { return t.problems }

// Report adds a problem and returns it, so that the caller can add notes and
// help.
func (t *Tree) Report(code *diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	return t.problems.Report(code, span, format, args...)
}

// Of returns the text of a piece.
func (t *Tree) Of(x Text) string { return t.tokens.File.Text()[x.Start:x.End] }

// Span returns the place of a piece.
func (t *Tree) Span(x Text) source.Span {
	return source.Span{File: t.tokens.File, Start: int(x.Start), End: int(x.End)}
}

// RangeSpan returns the place of a range of tokens.
func (t *Tree) RangeSpan(r Range) source.Span { return t.tokens.Between(int(r.First), int(r.End)) }
