package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/problem"
)

// Error is an error in a query, from byte Start to byte End.
type Error struct {
	Start, End int
	Message    string
	Help       string // what to write; may be empty
}

func (e *Error) Error() string {
	if e.Help == "" {
		return e.Message
	}
	return e.Message + ": " + e.Help
}

type tokenKind int

const (
	end tokenKind = iota
	word
	literal  // begins with a digit
	quotedOf // a text, without its quotes in Token.text
	sign
)

type token struct {
	kind       tokenKind
	text       string
	start, end int
}

// other maps signs of other languages to ours.
var other = map[string]string{
	"==": "=", "=~": "~", "<>": "!=", "=<": "<=", "=>": ">=", "&&": "and", "||": "or", "&": "and", "|": "or", "!": "not", "≤": "<=", "≥": ">=", "≠": "!=",
}

// signs are our signs and others, the longer ones first.
var signs = []string{"==", "=~", "<>", "=<", "=>", "&&", "||", "!=", "<=", ">=", "!~", "≤", "≥", "≠", "=", "<", ">", "~", "(", ")", ",", "-", "&", "|", "!"}

// lexer cuts a text into tokens.
type lexer struct {
	text string
	pos  int
}

func isWord(r rune) bool { return r == '_' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// next reads the next token.
func (l *lexer) next() (token, *Error) {
	l.pos += len(l.text[l.pos:]) - len(strings.TrimLeftFunc(l.text[l.pos:], unicode.IsSpace))
	start, rest := l.pos, l.text[l.pos:]
	if rest == "" {
		return token{kind: end, start: start, end: start}, nil
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == '"' || r == '\'':
		return l.quoted(byte(r))
	case isWord(r):
		length := strings.IndexFunc(rest, func(r rune) bool { return !isWord(r) })
		if length < 0 {
			length = len(rest)
		}
		t := token{kind: word, text: rest[:length], start: start, end: start + length}
		if r >= '0' && r <= '9' || r == '.' {
			t.kind = literal
		}
		l.pos = t.end
		return t, nil
	}
	for _, s := range signs {
		if !strings.HasPrefix(rest, s) {
			continue
		}
		l.pos += len(s)
		if ours, ok := other[s]; ok {
			return token{}, &Error{start, l.pos, fmt.Sprintf("queries have no sign `%s`", s), fmt.Sprintf("write `%s`", ours)}
		}
		return token{kind: sign, text: s, start: start, end: l.pos}, nil
	}
	return token{}, &Error{start, start + size, fmt.Sprintf("`%s` has no meaning here", problem.Clip(rest[:size], 1)), "write texts in quotes"}
}

// quoted reads a text. A backslash before the quote or another backslash is removed; other
// backslashes are kept for regular expressions.
func (l *lexer) quoted(quote byte) (token, *Error) {
	start := l.pos
	var b strings.Builder
	for i := start + 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == quote:
			l.pos = i + 1
			return token{kind: quotedOf, text: b.String(), start: start, end: l.pos}, nil
		case c == '\\' && i+1 < len(l.text) && l.text[i+1] == quote:
			i++
			b.WriteByte(quote)
		default:
			b.WriteByte(c)
		}
	}
	return token{}, &Error{start, len(l.text), "this text has no end", fmt.Sprintf("close it with %c", quote)}
}
