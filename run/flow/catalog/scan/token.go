package scan

import (
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/lexer"
)

// A token is a word, a text or a sign of a source.
type token struct {
	kind   lexer.Kind
	text   string // for a string: the text between its quotes
	indent int    // indentation of its line
	first  bool   // it is the first in its line
	at     int    // where it begins and ends in the source
	end    int
}

const (
	word      = lexer.Word
	text      = lexer.Text
	formatted = lexer.Formatted // a Python string with `{…}` in it
	sign      = lexer.Sign
)

func (t token) is(s string) bool { return (t.kind == word || t.kind == sign) && t.text == s }

// tokens splits a source into tokens, without preprocessor lines and line ends. Tokens know their own
// line, even if a statement has several.
func tokens(src string, l lexer.Language) []token {
	var list []token
	indent, end := 0, int32(0)
	for t := range lexer.Tokens(src, l, false) {
		switch {
		case t.Kind == lexer.Stop && t.Value != "":
			t.Kind = sign
		case t.Kind > sign:
			continue
		}
		before := src[end:t.Start]
		newline := strings.LastIndexByte(before, '\n')
		first := newline >= 0 || end == 0
		if first {
			indent = len(before) - newline - 1
		}
		list = append(list, token{t.Kind, t.Value, indent, first, int(t.Start), int(t.End)})
		end = t.End
	}
	return list
}

// maxCall limits the arguments of a call, in tokens.
const maxCall = 2000

// arguments returns the arguments of the call whose opening bracket is at i, and the index after its
// closing bracket.
func arguments(list []token, i int) ([][]token, int) {
	var args [][]token
	start, depth := i+1, 0
	for list = list[:min(len(list), i+maxCall)]; i < len(list); i++ {
		if list[i].kind != sign {
			continue
		}
		switch list[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				if i > start {
					args = append(args, list[start:i])
				}
				return args, i + 1
			}
		case ",":
			if depth == 1 {
				args = append(args, list[start:i])
				start = i + 1
			}
		}
	}
	return args, i
}

// split splits an expression at a sign outside brackets.
func split(list []token, at string) [][]token {
	var parts [][]token
	start, depth := 0, 0
	for i, t := range list {
		if t.kind != sign {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case at:
			if depth == 0 {
				parts = append(parts, list[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, list[start:])
}

// lastWord returns the last name of a path such as `kwiver::vital::image`.
func lastWord(list []token) string {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].kind == word {
			return list[i].text
		}
	}
	return ""
}

// literal returns the text of an expression that consists only of string literals, possibly inside a
// call such as `port_description_t("…")`.
func literal(list []token) string {
	var b strings.Builder
	for _, t := range list {
		if t.kind == text || t.kind == formatted {
			b.WriteString(t.text)
		}
	}
	return b.String()
}
