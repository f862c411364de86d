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
	Keyword int // the token of the keyword
	Name    int // the token of the name, or -1
	Blocks  []Block
	Pairs   []Pair // of a tunable_constant
	Items   []int  // strings of a list
	Grouped bool
	Opaque  bool // kept as text: it begins with an unknown word
	Broken  bool // its own form is wrong; blocks and pairs have their own flag
}

// Block is the contents of a pair of braces.
type Block struct {
	Tokens Range
	Fields []Field
	Broken bool
	// Garbled means that a backslash before a quote ended a string in the wrong place, so the block's
	// fields are not the intended ones.
	Garbled bool
}

// Field is `KEY VALUE;` or `KEY { VALUE … };`.
type Field struct {
	Key    int // the token of the key
	Values []int
	List   bool // the values are in braces
	Broken bool

	Unclosed bool // the last list of the text, without its closing brace
}

// Pair is a name with its value.
type Pair struct {
	Name   int // the token of the name
	Value  int // the token of the value, or -1
	Broken bool
}

// Range is a piece of the file, given by tokens.
type Range = token.Range

// Kind returns the kind of token i.
func (t *Tree) Kind(i int) token.Kind { return t.Tokens().Kind(i) }

// TokenSpan returns the place of token i.
func (t *Tree) TokenSpan(i int) source.Span { return t.Tokens().Span(i) }

// Text returns the text of token i; a string is returned without its quotes.
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
