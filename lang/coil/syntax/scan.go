package syntax

import (
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

const bom = "\ufeff"

var (
	blank = token.NewSet(" \t\v\f")
	// ends are the bytes at which a word of a value may end.
	ends = token.NewSet(" \t\v\f\r\n,\"")
	// headEnds and keyEnds are the bytes at which the names of sections and
	// keys may end.
	headEnds = token.NewSet(" \t\v\f\r\n]")
	keyEnds  = token.NewSet(" \t\v\f\r\n=")
)

// scanner cuts a text into tokens, line by line, since the meaning of a
// character depends on how its line begins.
type scanner struct{ *token.Cursor }

func scan(f *source.File) *token.List {
	s := scanner{token.NewCursor(f, 2)}
	if strings.HasPrefix(s.Text, bom) {
		s.Take(len(bom), BOM)
	}
	for s.More() {
		s.line()
	}
	return s.Done()
}

func (s scanner) line() {
	s.blanks()
	switch s.Peek(0) {
	case '#', ';':
		s.comment()
	case '[':
		s.header()
	case '@':
		for s.Pos++; s.More() && !ends[s.Text[s.Pos]]; {
			s.Pos++
		}
		s.Emit(Directive)
		s.value(false)
	default:
		s.entry()
	}
	s.newline()
}

func (s scanner) blanks() {
	s.While(blank)
	s.Emit(Blank)
}

// newline takes `\n`, `\r\n` or a lone `\r`.
func (s scanner) newline() {
	switch s.Peek(0) {
	case '\n':
		s.Take(1, Newline)
	case '\r':
		if s.Peek(1) == '\n' {
			s.Pos++
		}
		s.Take(1, Newline)
	}
}

func (s scanner) comment() {
	start := s.Pos
	s.Until('\n')
	if i := strings.IndexByte(s.Text[start:s.Pos], '\r'); i >= 0 {
		s.Pos = start + i
	}
	s.Emit(Comment)
}

// header reads `[Name]`. Text after it is read like a value, so that a comment
// is found.
func (s scanner) header() {
	s.Take(1, Open)
	s.blanks()
	fresh := s.text(headEnds, Name)
	if s.Peek(0) == ']' {
		s.Take(1, Close)
		fresh = true
	}
	s.value(fresh)
}

// entry reads `key = value`.
func (s scanner) entry() {
	fresh := s.text(keyEnds, Name)
	if s.Peek(0) == '=' {
		s.Take(1, Equals)
		fresh = true
	}
	s.value(fresh)
}

// value reads the remainder of a line. A comment may begin after a blank or,
// if fresh is set, at once.
func (s scanner) value(fresh bool) {
	for s.More() {
		switch b := s.Text[s.Pos]; {
		case b == '\n' || b == '\r':
			return
		case blank[b]:
			s.blanks()
			fresh = true
			continue
		case (b == '#' || b == ';') && fresh:
			s.comment()
			return
		case b == ',':
			s.Take(1, Comma)
		case b == '"':
			s.quoted()
		default:
			fresh = s.text(ends, Word)
			continue
		}
		fresh = false
	}
}

// text reads a name or a word, including blanks inside it, up to one of the
// ending bytes, a comment or the end of the line. It reports whether blanks
// follow.
func (s scanner) text(ends *token.Set, k token.Kind) bool {
	text, i := s.Text, s.Pos
	last := i // after the last byte that is not blank
	for i < len(text) && !ends[text[i]] {
		if (text[i] == '#' || text[i] == ';') && last < i {
			break
		}
		for i++; i < len(text) && !ends[text[i]]; {
			i++
		}
		last = i
		for i < len(text) && blank[text[i]] {
			i++
		}
	}
	s.Pos = last
	s.Emit(k)
	s.Pos = i
	s.Emit(Blank)
	return last < i
}

// quoted reads `"…"`, or to the end of the line if the quote is not closed.
func (s scanner) quoted() {
	for s.Pos++; s.More(); s.Pos++ {
		switch s.Text[s.Pos] {
		case '"':
			s.Take(1, Quoted)
			return
		case '\n', '\r':
			s.Emit(Quoted)
			return
		}
	}
	s.Emit(Quoted)
}
