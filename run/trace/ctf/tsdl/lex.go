package tsdl

import (
	"fmt"
	"strconv"
	"strings"
)

// Error is an error in a text and its position.
type Error struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

type kind int

const (
	end kind = iota
	word
	number
	text
	mark
)

// token is a token of the text.
type token struct {
	kind  kind
	at    int    // the byte where it begins
	text  string // the word, the mark, or the content of a text
	value uint64 // of a number
}

// shown returns a token as messages show it.
func (t token) shown() string {
	switch t.kind {
	case end:
		return "the end"
	case text:
		return "a text"
	case number:
		return strconv.FormatUint(t.value, 10)
	}
	if len(t.text) > 40 {
		return "`" + t.text[:40] + "…`"
	}
	return "`" + t.text + "`"
}

// lexer splits a text into tokens.
type lexer struct {
	source string
	at     int
}

// failed is the panic with which the parser stops at the first error.
type failed struct{ err *Error }

func (l *lexer) fail(at int, format string, args ...any) {
	panic(failed{l.mistake(at, format, args...)})
}

// mistake returns an error at a byte of the text.
func (l *lexer) mistake(at int, format string, args ...any) *Error {
	before := l.source[:min(at, len(l.source))]
	return &Error{strings.Count(before, "\n") + 1, len(before) - strings.LastIndexByte(before, '\n'), fmt.Sprintf(format, args...)}
}

func (l *lexer) next() token {
	l.blanks()
	if l.at == len(l.source) {
		return token{kind: end, at: l.at}
	}
	from := l.at
	switch c := l.source[from]; {
	case letter(c):
		for l.at < len(l.source) && (letter(l.source[l.at]) || digit(l.source[l.at])) {
			l.at++
		}
		return token{kind: word, at: from, text: l.source[from:l.at]}
	case digit(c):
		return l.number()
	case c == '"':
		return l.quoted('"')
	case c == '\'':
		t := l.quoted('\'')
		if len(t.text) != 1 {
			l.fail(from, "a character constant must have exactly one character")
		}
		return token{kind: number, at: from, value: uint64(t.text[0])}
	}
	for _, m := range [...]string{"...", ":="} {
		if strings.HasPrefix(l.source[from:], m) {
			l.at += len(m)
			return token{kind: mark, at: from, text: m}
		}
	}
	if !strings.ContainsRune("{}[]()<>;:=,.-+*", rune(l.source[from])) {
		l.fail(from, "%q has no meaning here", l.source[from])
	}
	l.at++
	return token{kind: mark, at: from, text: l.source[from:l.at]}
}

func letter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// blanks skips blanks and comments.
func (l *lexer) blanks() {
	for l.at < len(l.source) {
		rest := l.source[l.at:]
		switch {
		case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
			l.at++
		case strings.HasPrefix(rest, "//"):
			line := strings.IndexByte(rest, '\n')
			if line < 0 {
				line = len(rest)
			}
			l.at += line
		case strings.HasPrefix(rest, "/*"):
			last := strings.Index(rest[2:], "*/")
			if last < 0 {
				l.fail(l.at, "this comment does not end")
			}
			l.at += last + 4
		default:
			return
		}
	}
}

// number reads a number as C writes one.
func (l *lexer) number() token {
	from := l.at
	for l.at < len(l.source) && (letter(l.source[l.at]) || digit(l.source[l.at])) {
		l.at++
	}
	written := strings.TrimRight(l.source[from:l.at], "uUlL")
	value, err := strconv.ParseUint(written, 0, 64)
	if err != nil || strings.Contains(written, "_") {
		l.fail(from, "`%.40s` is not a number of at most 64 bits", written)
	}
	return token{kind: number, at: from, value: value}
}

// quoted reads a text in quotes.
func (l *lexer) quoted(quote byte) token {
	from := l.at
	var b []byte
	for l.at++; l.at < len(l.source) && l.source[l.at] != quote && l.source[l.at] != '\n'; l.at++ {
		c := l.source[l.at]
		if c == '\\' && l.at+1 < len(l.source) {
			b = append(b, l.escaped()...)
			continue
		}
		b = append(b, c)
	}
	if l.at == len(l.source) || l.source[l.at] != quote {
		l.fail(from, "this text does not end on its line")
	}
	l.at++
	return token{kind: text, at: from, text: string(b)}
}

// escaped reads the character after a backslash, and stops at its last byte.
func (l *lexer) escaped() string {
	value, _, tail, err := strconv.UnquoteChar(l.source[l.at:min(l.at+10, len(l.source))], '"')
	if err != nil { // a backslash before any other character means that character
		l.at++
		return l.source[l.at : l.at+1]
	}
	used := min(10, len(l.source)-l.at) - len(tail)
	l.at += used - 1
	if value < 256 && used == 4 { // \x41 and \101 are bytes
		return string([]byte{byte(value)})
	}
	return string(value)
}
