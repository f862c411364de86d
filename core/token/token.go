// Package token is the lossless layer under every syntax.
//
// A scanner cuts a text into adjacent tokens: every byte is in exactly one of
// them, including blanks and comments. Trees refer to tokens by index, so a
// formatter can change only the blanks, and an edit can leave everything else
// as it was.
package token

import (
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// Kind is the kind of a token; each language has its own constants. Zero is
// text that is not a token of the language.
type Kind uint8

// Bad is the kind of text that is not a token of the language.
const Bad Kind = 0

// Token is a piece of the text.
type Token struct {
	Start, End int32
	Kind       Kind
}

// List is a whole text, cut into tokens.
type List struct {
	File   *source.File
	Tokens []Token
}

// Len returns the number of tokens.
func (l *List) Len() int { return len(l.Tokens) }

// Text joins all tokens. It equals the text of the file, which the tests of
// every language check.
func (l *List) Text() string {
	var b strings.Builder
	b.Grow(l.File.Len())
	for i := range l.Tokens {
		b.WriteString(l.At(i))
	}
	return b.String()
}

// At returns the text of token i.
func (l *List) At(i int) string {
	t := l.Tokens[i]
	return l.File.Text()[t.Start:t.End]
}

// Kind returns the kind of token i, or Bad outside the list.
func (l *List) Kind(i int) Kind {
	if i < 0 || i >= len(l.Tokens) {
		return Bad
	}
	return l.Tokens[i].Kind
}

// Span returns the place of token i.
func (l *List) Span(i int) source.Span {
	t := l.Tokens[i]
	return source.Span{File: l.File, Start: int(t.Start), End: int(t.End)}
}

// Between returns the place of the tokens from first up to, but not including,
// end.
func (l *List) Between(first, end int) source.Span {
	if first >= end || first >= len(l.Tokens) {
		at := l.File.Len()
		if first < len(l.Tokens) {
			at = int(l.Tokens[first].Start)
		}
		return source.Span{File: l.File, Start: at, End: at}
	}
	return source.Span{File: l.File, Start: int(l.Tokens[first].Start), End: int(l.Tokens[end-1].End)}
}
