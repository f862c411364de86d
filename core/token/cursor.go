package token

import (
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// Cursor walks over a text and cuts tokens from it. A scanner moves Pos forward
// and calls Emit, which makes one token of everything since the last one.
type Cursor struct {
	Text string
	Pos  int

	list  List
	start int
}

// NewCursor starts at the beginning of a file. estimate is the expected number
// of bytes per token. A good estimate avoids copying the list as it grows.
func NewCursor(f *source.File, estimate int) *Cursor {
	c := &Cursor{Text: f.Text(), list: List{File: f}}
	c.list.Tokens = make([]Token, 0, f.Len()/max(1, estimate)+8)
	return c
}

// More reports whether there is text left.
func (c *Cursor) More() bool { return c.Pos < len(c.Text) }

// Peek returns the byte n after Pos, or 0 past the end.
func (c *Cursor) Peek(n int) byte {
	if c.Pos+n < len(c.Text) {
		return c.Text[c.Pos+n]
	}
	return 0
}

// Grow makes room for the tokens of the remaining text, after done of total
// bytes were read. It assumes as many tokens per byte as so far, plus some.
// Doubling the list, as append does, would keep most of a large file's tokens
// in memory twice. Grow is called rarely, so it must not be inlined into its
// callers' loops.
//
//go:noinline
func Grow(tokens []Token, done, total int) []Token {
	rest := max(0, total-done)
	more := int(float64(len(tokens)) / float64(max(1, done)) * float64(rest) * 1.1)
	more = max(min(more, rest), len(tokens)/8, 8)
	room := make([]Token, len(tokens), len(tokens)+more)
	copy(room, tokens)
	return room
}

// Emit makes a token of the text since the last one, unless that is empty.
func (c *Cursor) Emit(k Kind) {
	if c.Pos > c.start {
		if len(c.list.Tokens) == cap(c.list.Tokens) {
			c.list.Tokens = Grow(c.list.Tokens, c.start, len(c.Text))
		}
		c.list.Tokens = append(c.list.Tokens, Token{Start: int32(c.start), End: int32(c.Pos), Kind: k})
		c.start = c.Pos
	}
}

// Take moves over n bytes and makes a token of them.
func (c *Cursor) Take(n int, k Kind) {
	c.Pos += n
	c.Emit(k)
}

// Blanks moves over blanks and tabs, and over the other given bytes.
func (c *Cursor) Blanks(more string) {
	for c.Pos < len(c.Text) {
		b := c.Text[c.Pos]
		if b != ' ' && b != '\t' && (more == "" || strings.IndexByte(more, b) < 0) {
			return
		}
		c.Pos++
	}
}

// While moves over bytes that are in the set.
func (c *Cursor) While(set *Set) {
	for c.Pos < len(c.Text) && set[c.Text[c.Pos]] {
		c.Pos++
	}
}

// Until moves to the next byte b, or to the end of the text.
func (c *Cursor) Until(b byte) {
	if i := strings.IndexByte(c.Text[c.Pos:], b); i >= 0 {
		c.Pos += i
	} else {
		c.Pos = len(c.Text)
	}
}

// Done ends the walk and returns the list. Remaining text becomes a Bad token.
func (c *Cursor) Done() *List {
	c.Pos = len(c.Text)
	c.Emit(Bad)
	list := c.list
	return &list
}

// Set is a set of bytes.
type Set [256]bool

// NewSet makes a set of the bytes of chars, where `a-z` is a range.
func NewSet(chars string) *Set {
	var s Set
	for i := 0; i < len(chars); i++ {
		if i+2 < len(chars) && chars[i+1] == '-' {
			for b := int(chars[i]); b <= int(chars[i+2]); b++ {
				s[b] = true
			}
			i += 2
			continue
		}
		s[chars[i]] = true
	}
	return &s
}
