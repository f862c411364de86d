package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

var (
	wordStart = token.NewSet("a-zA-Z_$")
	wordPart  = token.NewSet("a-zA-Z0-9_.$")
	digits    = token.NewSet("0-9")
	oddPart   = token.NewSet("a-zA-Z0-9_.+-")
)

// scan cuts a text into tokens, and reports whether it has comments of other languages.
func scan(f *source.File) (list *token.List, oddComments bool) {
	c := token.NewCursor(f, 4)
	neverEnds := false
	for c.More() {
		b := c.Text[c.Pos]
		switch {
		case b == ' ' || b == '\t':
			c.Blanks("")
			c.Emit(Blank)
		case b == '\n':
			c.Take(1, Newline)
		case b == '\r' && c.Peek(1) == '\n':
			c.Take(2, Newline)
		case b == '/' && c.Peek(1) == '/':
			c.Pos = lineEnd(c.Text, c.Pos)
			c.Emit(Comment)
		case b == '#' && startsWord(c):
			c.Pos = lineEnd(c.Text, c.Pos)
			c.Emit(OddComment)
			oddComments = true
		case b == '/' && c.Peek(1) == '*' && !neverEnds:
			if length := strings.Index(c.Text[c.Pos+2:], "*/"); length >= 0 {
				c.Take(2+length+2, OddComment)
				oddComments = true
			} else {
				neverEnds = true // later comments cannot end either
			}
		case b == '"':
			scanString(c)
		case b == '{':
			c.Take(1, BraceOpen)
		case b == '}':
			c.Take(1, BraceClose)
		case b == ';':
			c.Take(1, Semicolon)
		case wordStart[b]:
			c.While(wordPart)
			c.Emit(Word)
		case digits[b], (b == '-' || b == '+') && (digits[c.Peek(1)] || c.Peek(1) == '.'), b == '.' && digits[c.Peek(1)]:
			scanNumber(c)
		default:
			_, n := utf8.DecodeRuneInString(c.Text[c.Pos:])
			c.Take(n, Other)
		}
	}
	return c.Done(), oddComments
}

// startsWord reports whether only a blank or punctuation directly precedes the position.
func startsWord(c *token.Cursor) bool {
	return c.Pos == 0 || strings.IndexByte(" \t\r\n;{}", c.Text[c.Pos-1]) >= 0
}

// lineEnd returns the end of the line on which a token begins, before the line break.
func lineEnd(text string, at int) int {
	end := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	if end < len(text) && text[end-1] == '\r' {
		end--
	}
	return end
}

// scanString looks for the closing quote first, and for a line break only before that
// quote. Otherwise a long line with many strings would be searched for its end again and
// again.
func scanString(c *token.Cursor) {
	rest := c.Text[c.Pos+1:]
	quote := strings.IndexByte(rest, '"')
	if quote >= 0 && strings.IndexByte(rest[:quote], '\n') < 0 {
		c.Take(quote+2, String)
		return
	}
	c.Pos = lineEnd(c.Text, c.Pos)
	c.Emit(OpenString)
}

func scanNumber(c *token.Cursor) {
	start := c.Pos
	c.While(digits)
	if c.Pos > start && c.Peek(0) == '.' && digits[c.Peek(1)] {
		c.Pos++
		c.While(digits)
	}
	if good := c.Pos; good > start && !oddPart[c.Peek(0)] {
		c.Emit(Number)
		return
	}
	c.While(oddPart)
	c.Emit(OddNumber)
}
