package syntax

import (
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Tree is a parsed file.
type Tree struct {
	token.Tree

	Defs []Def
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
	// Garbled blocks are broken by a backslash before a quote: their fields are not those that were intended.
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

// Range is a piece of the file by tokens.
type Range = token.Range

// Kind is the kind of token i.
func (t *Tree) Kind(i int) token.Kind { return t.Tokens().Kind(i) }

// TokenSpan is the place of token i.
func (t *Tree) TokenSpan(i int) source.Span { return t.Tokens().Span(i) }

// Text is the text of token i; that of a string is without its quotes.
func (t *Tree) Text(i int) string {
	text := t.Tokens().At(i)
	switch t.Kind(i) {
	case String:
		return text[1 : len(text)-1]
	case OpenString:
		return text[1:]
	}
	return text
}
