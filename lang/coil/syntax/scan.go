package syntax

import (
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

const bom = "\ufeff"

var (
	blank = token.NewSet(" \t\v\f")
	// ends are the bytes that end a word of a value.
	ends = token.NewSet(" \t\v\f\r\n,\"")
)

// scanner cuts a text into tokens, line by line: what a character means
// depends on how its line begins.
type scanner struct{ *token.Cursor }

func scan(f *source.File) *token.List {
	s := scanner{token.NewCursor(f, 3)}
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
	case 0:
		if !s.More() {
			return
		}
		s.entry()
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

// header reads `[Name]`; what follows is read like a value, so that a
// comment is found.
func (s scanner) header() {
	s.Take(1, Open)
	s.blanks()
	s.name(']')
	if s.Peek(0) == ']' {
		s.Take(1, Close)
		s.value(true)
	}
}

// entry reads `key = value`.
func (s scanner) entry() {
	s.name('=')
	if s.Peek(0) == '=' {
		s.Take(1, Equals)
		s.value(true)
	}
}

// name reads up to a byte, the end of the line or a comment. Blanks at its
// end are not part of it.
func (s scanner) name(stop byte) {
	last := s.Pos // behind the last byte that is no blank
	for s.More() {
		switch b := s.Text[s.Pos]; {
		case b == stop || b == '\n' || b == '\r':
			s.cut(last, Name)
			return
		case (b == '#' || b == ';') && last < s.Pos:
			s.cut(last, Name)
			s.comment()
			return
		case blank[b]:
			s.Pos++
		default:
			s.Pos++
			last = s.Pos
		}
	}
	s.cut(last, Name)
}

// cut makes a token up to an offset and one of the blanks after it.
func (s scanner) cut(last int, k token.Kind) {
	end := s.Pos
	s.Pos = last
	s.Emit(k)
	s.Pos = end
	s.Emit(Blank)
}

// value reads the rest of a line. A comment begins after a blank, or at once
// where fresh.
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
			for s.Pos++; s.More() && !ends[s.Text[s.Pos]]; {
				s.Pos++
			}
			s.Emit(Word)
		}
		fresh = false
	}
}

// quoted reads `"…"`, or to the end of the line where the quote is not closed.
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
