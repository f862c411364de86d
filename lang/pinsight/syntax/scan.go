package syntax

import (
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// single maps each character that is a token by itself to its kind.
var single = [256]token.Kind{
	'[': Open, ']': Close, '(': ParenOpen, ')': ParenClose,
	':': Colon, ',': Comma, '.': Dot, '=': Equals,
}

// blank is the characters for which C's isspace is true, without the line break.
var blank = token.NewSet(" \t\r\v\f")

// ends is the characters that end a word.
var ends = token.NewSet(" \t\r\v\f\n[]():,.=")

// scan splits a text into tokens. A `#` at the start of a line or after a blank begins a comment; elsewhere it is part of a word.
func scan(f *source.File) *token.List {
	c := token.NewCursor(f, 3)
	fresh := true // at the start of a line or after a blank
	for c.More() {
		b := c.Text[c.Pos]
		switch {
		case b == '\n':
			c.Take(1, Newline)
			fresh = true
		case blank[b]:
			c.While(blank)
			c.Emit(Blank)
			fresh = true
		case b == '#' && fresh:
			c.Until('\n')
			c.Emit(Comment)
		case single[b] != 0:
			c.Take(1, single[b])
			fresh = false
		default:
			for c.Pos < len(c.Text) && !ends[c.Text[c.Pos]] {
				c.Pos++
			}
			c.Emit(Word)
			fresh = false
		}
	}
	return c.Done()
}
