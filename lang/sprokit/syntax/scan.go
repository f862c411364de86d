package syntax

import (
	"strings"

	"github.com/pentode-dev/pentode/core/token"
)

// blanks is the characters for which C's isspace is true, without the line break.
const blanks = " \t\r\v\f"

var (
	isBlank = token.NewSet(blanks)
	first   = token.NewSet("A-Za-z0-9_")
	within  = token.NewSet("A-Za-z0-9_-")
	single  = [256]token.Kind{'/': Slash, '.': Dot, ',': Comma, '[': Open, ']': Close}
)

// lexeme is the next token. It is not in the list yet, because a statement may read the rest of the line as one value instead.
type lexeme struct {
	start, end int32
	kind       token.Kind
	space      bool // a blank precedes it
	line       bool // it is the first token of its line
}

// scanner splits a text into tokens, one token ahead of the parser.
type scanner struct {
	text string
	pos  int // the end of the last token of the list
	toks []token.Token
	next lexeme
}

func (s *scanner) put(end int, k token.Kind) {
	if len(s.toks) == cap(s.toks) {
		s.toks = token.Grow(s.toks, s.pos, len(s.text))
	}
	s.toks = append(s.toks, token.Token{Start: int32(s.pos), End: int32(end), Kind: k})
	s.pos = end
}

// advance adds the next token to the list and reads the one after it.
func (s *scanner) advance() {
	s.accept()
	s.look()
}

// accept adds the next token to the list.
func (s *scanner) accept() {
	if s.next.kind != end {
		s.put(int(s.next.end), s.next.kind)
	}
}

// look skips blanks, line breaks and comments and finds the next token.
func (s *scanner) look() {
	n := lexeme{line: s.pos == 0}
	text := s.text
	for s.pos < len(text) {
		b := text[s.pos]
		switch {
		case b == '\n':
			s.put(s.pos+1, Newline)
			n.line, n.space = true, false
			continue
		case isBlank[b]:
			at := s.pos + 1
			for at < len(text) && isBlank[text[at]] {
				at++
			}
			s.put(at, Blank)
			n.space = !n.line // indentation does not matter
			continue
		case b == '#':
			s.put(s.lineEnd(), Comment)
			continue
		}
		if n.line && b == '!' && !s.banged() {
			s.put(s.pos+1, Bang)
			continue
		}
		n.start = int32(s.pos)
		s.cut(&n, b)
		s.next = n
		return
	}
	n.kind, n.start, n.end = end, int32(len(text)), int32(len(text))
	s.next = n
}

// banged reports whether there is already a `!` on this line.
func (s *scanner) banged() bool {
	for i := len(s.toks) - 1; i >= 0; i-- {
		switch s.toks[i].Kind {
		case Blank:
		case Bang:
			return true
		default:
			return false
		}
	}
	return false
}

// cut finds the end and the kind of the token that begins at n.start with the byte b.
func (s *scanner) cut(n *lexeme, b byte) {
	text, at := s.text, int(n.start)
	if first[b] {
		stop := at + 1
		for stop < len(text) && within[text[stop]] {
			stop++
		}
		n.end, n.kind = int32(stop), keyword(text[at:stop])
		if n.line && n.kind == Word && text[at:stop] == "include" && s.includes(at, stop) {
			n.kind = Include
		}
		return
	}
	var c byte
	if at+1 < len(text) {
		c = text[at+1]
	}
	n.end = int32(at + 2)
	switch {
	case b == '-' && c == '-':
		n.kind = Dashes
	case b == '-': // allowed in a key; elsewhere the parser reports it
		for n.end = int32(at + 1); int(n.end) < len(text) && within[text[n.end]]; {
			n.end++
		}
		n.kind = Word
	case b == ':' && c == ':':
		n.kind = DoubleColon
	case b == ':' && c == '=':
		n.kind = LocalAssign
	case b == ':':
		n.end, n.kind = int32(at+1), Colon
	case b == '=':
		n.end, n.kind = int32(at+1), Assign
	default:
		n.end, n.kind = int32(at+1), single[b] // or Bad
		for b >= 0x80 && int(n.end) < len(text) && text[n.end]&0xC0 == 0x80 {
			n.end++ // do not split a character of several bytes
		}
	}
}

// includes reports whether the word `include` begins an include statement: it is at the start of the line or right after a `!`, and a blank and a
// file name follow.
func (s *scanner) includes(at, stop int) bool {
	if stop == len(s.text) || s.text[stop] != ' ' && s.text[stop] != '\t' {
		return false
	}
	if i := len(s.toks) - 1; i > 0 && s.toks[i].Kind == Blank && s.toks[i-1].Kind == Bang {
		return false
	}
	for stop < len(s.text) && isBlank[s.text[stop]] {
		stop++
	}
	return stop < len(s.text) && s.text[stop] != '\n' && s.text[stop] != '#'
}

// lineEnd returns the end of the line at pos.
func (s *scanner) lineEnd() int {
	if i := strings.IndexByte(s.text[s.pos:], '\n'); i >= 0 {
		return s.pos + i
	}
	return len(s.text)
}

// rest adds the rest of the line, up to a comment and without blanks at its ends, as one token. Then it reads the next token.
func (s *scanner) rest() Text {
	at, stop := s.pos, s.lineEnd()
	if i := strings.IndexByte(s.text[at:stop], '#'); i >= 0 {
		stop = at + i
	}
	value := Text{Start: int32(at), End: int32(stop)}.Trim(s.text, isBlank)
	if !value.Empty() {
		if int(value.Start) > s.pos {
			s.put(int(value.Start), Blank)
		}
		s.put(int(value.End), Value)
	}
	s.look()
	return value
}
