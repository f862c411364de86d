package syntax

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Tree is a parsed file.
type Tree struct {
	Defs []Def

	file     *source.File
	tokens   *token.List
	problems diag.List
}

// Def is a definition:
//
//	KEYWORD [NAME] { BLOCK }            daemon, process, visi
//	KEYWORD [NAME] { { BLOCK } { … } }  the same, grouped
//	KEYWORD NAME VALUE ;                tunable_constant
//	KEYWORD { NAME VALUE ; … }          tunable_constant
//	KEYWORD NAME { STRING … }           list
type Def struct {
	Tokens  Range
	Keyword int // token
	Name    int // token, or -1
	Blocks  []Block
	Pairs   []Pair // of a tunable_constant
	Items   []int  // strings of a list
	Grouped bool
	Opaque  bool // kept as text: it begins with a word of no definition
	Broken  bool // something is wrong with its own form; blocks and pairs have theirs
}

// Block is what stands between a pair of braces.
type Block struct {
	Tokens Range
	Fields []Field
	Broken bool
	// Garbled blocks are broken by a backslash before a quote: their fields are not what was meant.
	Garbled bool
}

// Field is `KEY VALUE;` or `KEY { VALUE … };`.
type Field struct {
	Key    int // token
	Values []int
	List   bool // in braces
	Broken bool

	Unclosed bool // a list without its closing brace, at the end of all
}

// Pair is a name with its value.
type Pair struct {
	Name   int // token
	Value  int // token, or -1
	Broken bool
}

// Range is tokens First up to, not including, End.
type Range struct{ First, End int }

// File is the text the tree was made of.
func (t *Tree) File() *source.File { return t.file }

// Tokens are all tokens of the text.
func (t *Tree) Tokens() *token.List { return t.tokens }

// Problems are the places that have no form of the language.
func (t *Tree) Problems() diag.List { return t.problems }

// Kind is the kind of a token.
func (t *Tree) Kind(i int) token.Kind { return t.tokens.Kind(i) }

// Span is the place of a token.
func (t *Tree) Span(i int) source.Span { return t.tokens.Span(i) }

// Text is a token's text; a string's without its quotes.
func (t *Tree) Text(i int) string {
	text := t.tokens.At(i)
	switch t.tokens.Kind(i) {
	case String:
		return text[1 : len(text)-1]
	case OpenString:
		return text[1:]
	}
	return text
}

// Of is the place of a definition or block.
func (t *Tree) Of(r Range) source.Span { return t.tokens.Between(r.First, r.End) }
