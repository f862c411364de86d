// Package lexer splits sources of C, C++, Fortran and Python into tokens.
//
// It accepts every source: characters that it does not understand become signs. It skips comments.
package lexer

import (
	"iter"
	"strings"
)

// A Token is a word, a text or a sign in a source, or the end of a statement.
type Token struct {
	Kind       Kind
	Value      string // of a text: its content; of a directive: its line
	Start, End int32  // byte offsets in the source
	From, To   int32  // for a text: the positions inside its quotes
	Indent     int32  // indentation of its line, in Python
}

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens.
const (
	Word Kind = iota
	Text
	Formatted // a text with placeholders, such as an f-string
	Sign
	Directive // a line of the preprocessor
	Stop      // the end of a statement in Fortran and Python: the end of a line, or a semicolon
)

// Language is the language of a source.
type Language uint8

// The languages; C includes C++.
const (
	C Language = iota
	Fortran
	Python
)

type lexer struct {
	src      string
	language Language
	fixed    bool // Fortran in fixed form
	pos      int
	fresh    bool // whether only blanks come before pos on its line
	indent   int32
	depth    int // the number of open brackets
	token    Token
	found    bool // whether next has set token
	stopped  bool // whether the last statement has ended
}

// Tokens returns the tokens of a source; fixed means Fortran in fixed form.
func Tokens(src string, l Language, fixed bool) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		x := &lexer{src: src, language: l, fixed: fixed, fresh: true, stopped: true}
		for x.pos < len(x.src) {
			start := x.pos
			if x.next(); x.found {
				x.found, x.stopped = false, x.token.Kind == Stop
				x.token.Start, x.token.End = int32(start), int32(x.pos)
				if !yield(x.token) {
					return
				}
			}
		}
		if x.stop(""); x.found {
			yield(x.token)
		}
	}
}

// next reads one token, or skips characters that belong to no token.
func (x *lexer) next() {
	switch b := x.src[x.pos]; {
	case b == '\n':
		x.newline()
	case blank(b):
		start := x.pos
		for x.pos++; x.pos < len(x.src) && blank(x.src[x.pos]); x.pos++ {
		}
		if x.fresh {
			x.indent += int32(x.pos - start)
		}
	case x.comment(b):
	case b == '#' && x.fresh && x.language != Python: // Fortran may be preprocessed too
		start := x.pos
		x.pos = lineEnd(x.src, x.pos, true)
		x.add(Directive, x.src[start:x.pos], start, x.pos)
	case b == '\\' && x.language != Fortran:
		x.pos++
		if strings.HasPrefix(x.src[x.pos:], "\r\n") {
			x.pos++
		}
		if x.pos < len(x.src) && x.src[x.pos] == '\n' {
			x.pos++ // the line continues
		}
	case b == '&' && x.language == Fortran:
		x.pos++
		if rest := lineEnd(x.src, x.pos, false); x.continues(x.src[x.pos:rest]) {
			x.pos = x.continued(rest)
		}
	case b == ';' && x.language != C:
		x.stop(";")
		x.pos++
	case WordByte(b):
		x.word()
	case b == '"' || b == '\'':
		x.quoted(false, false)
	default:
		x.sign(b)
	}
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\f' || b == '\v' }

// newline ends a line, and with it the statement, unless a bracket is open in Python.
func (x *lexer) newline() {
	x.pos++
	switch {
	case x.fixed && x.pos+5 < len(x.src) && strings.TrimSpace(x.src[x.pos:x.pos+5]) == "" && !strings.ContainsAny(x.src[x.pos:x.pos+5], "\t\n") &&
		!strings.ContainsRune(" 0\r\n", rune(x.src[x.pos+5])):
		x.pos += 6 // a mark in the sixth column continues the line
		return
	case x.language == Python && x.depth > 0:
		return
	}
	if x.language != C {
		x.stop("")
	}
	x.fresh, x.indent = true, 0
}

// comment skips a comment that begins here.
func (x *lexer) comment(b byte) bool {
	switch {
	case x.language == C && strings.HasPrefix(x.src[x.pos:], "//"):
		x.pos = lineEnd(x.src, x.pos, true)
	case x.language == C && strings.HasPrefix(x.src[x.pos:], "/*"):
		x.pos = after(x.src, x.pos+2, "*/")
	case x.language == Python && b == '#', x.language == Fortran && b == '!',
		x.fixed && (x.pos == 0 || x.src[x.pos-1] == '\n') && strings.IndexByte("cC*dD", b) >= 0:
		x.pos = lineEnd(x.src, x.pos, false)
	default:
		return false
	}
	return true
}

// continues reports whether an & at this place continues a Fortran line. rest is the text after the
// &; it may only be a comment.
func (x *lexer) continues(rest string) bool {
	rest = strings.TrimSpace(rest)
	return rest == "" || rest[0] == '!'
}

// continued returns where a statement continues after the end of a line. It skips comment lines,
// and an & at the start of the continuation.
func (x *lexer) continued(end int) int {
	for end < len(x.src) {
		start := end + 1
		end = lineEnd(x.src, min(start, len(x.src)), false)
		line := strings.TrimLeft(x.src[min(start, len(x.src)):end], " \t\r")
		if line == "" || line[0] == '!' {
			continue
		}
		at := end - len(line)
		if line[0] == '&' {
			at++
		}
		return at
	}
	return len(x.src)
}

// word reads a word, or a text with a prefix.
func (x *lexer) word() {
	start := x.pos
	for x.pos < len(x.src) && WordByte(x.src[x.pos]) {
		x.pos++
	}
	w := x.src[start:x.pos]
	if x.pos < len(x.src) && (x.src[x.pos] == '"' || x.src[x.pos] == '\'') {
		switch {
		case x.language == C && strings.Trim(w, "uU8L") == "":
			x.quoted(false, false)
			return
		case x.language == C && strings.Trim(w, "uU8LR") == "" && x.src[x.pos] == '"':
			x.raw()
			return
		case x.language == C && w[0] >= '0' && w[0] <= '9': // 1'000'000
			for x.pos < len(x.src) && (WordByte(x.src[x.pos]) || x.src[x.pos] == '\'') {
				x.pos++
			}
			w = x.src[start:x.pos]
		case x.language == Python && len(w) <= 2 && strings.Trim(w, "rRbBuUfF") == "":
			x.quoted(strings.ContainsAny(w, "rR"), strings.ContainsAny(w, "fF"))
			return
		}
	}
	if x.language == Fortran {
		w = strings.ToLower(w)
	}
	x.add(Word, w, start, x.pos)
}

// quoted reads a text. A text without a closing quote ends with its line.
func (x *lexer) quoted(raw, fills bool) {
	quote := x.src[x.pos]
	if x.language == Python && strings.HasPrefix(x.src[x.pos:], strings.Repeat(string(quote), 3)) {
		mark := x.src[x.pos : x.pos+3]
		start := x.pos + 3
		x.pos = after(x.src, start, mark)
		x.text(strings.TrimSuffix(x.src[start:x.pos], mark), start, max(start, x.pos-3), fills)
		return
	}
	x.pos++
	start := x.pos
	var b strings.Builder
	for x.pos < len(x.src) && x.src[x.pos] != '\n' {
		switch ch := x.src[x.pos]; {
		case ch == quote && x.language == Fortran && x.pos+1 < len(x.src) && x.src[x.pos+1] == quote:
			b.WriteByte(quote)
			x.pos += 2
		case ch == quote:
			x.text(b.String(), start, x.pos, fills)
			x.pos++
			return
		case ch == '\\' && x.language != Fortran && !raw && x.pos+1 < len(x.src):
			b.WriteString(unescape(x.src[x.pos+1]))
			x.pos += 2
		default:
			b.WriteByte(ch)
			x.pos++
		}
	}
	x.text(b.String(), start, x.pos, fills)
}

// raw reads R"MARK(…)MARK".
func (x *lexer) raw() {
	const maxMark = 16
	head := x.src[x.pos+1 : min(len(x.src), x.pos+2+maxMark)]
	mark, _, ok := strings.Cut(head, "(")
	if !ok || strings.ContainsAny(mark, " )\\\t\n") {
		x.quoted(true, false)
		return
	}
	start := x.pos + 2 + len(mark)
	x.pos = after(x.src, start, ")"+mark+`"`)
	end := max(start, x.pos-len(mark)-2)
	x.text(x.src[start:end], start, end, false)
}

func (x *lexer) text(value string, start, end int, fills bool) {
	k := Text
	if fills && strings.Contains(value, "{") {
		k = Formatted
	}
	x.add(k, value, start, end)
}

// sign reads one sign, or two characters that form one sign.
func (x *lexer) sign(b byte) {
	switch b {
	case '(', '[', '{':
		x.depth++
	case ')', ']', '}':
		x.depth = max(0, x.depth-1)
	}
	n := 1
	if x.pos+1 < len(x.src) {
		switch x.src[x.pos : x.pos+2] {
		case "::", "->", "==", "!=", "<=", ">=", "+=", "&&", "||", "++", "--":
			n = 2
		case "//":
			n = 2 // the concatenation sign of Fortran; in C it would begin a comment
		}
	}
	x.add(Sign, x.src[x.pos:x.pos+n], x.pos, x.pos+n)
	x.pos += n
}

func (x *lexer) add(k Kind, value string, start, end int) {
	x.token.Kind, x.token.Value, x.token.From, x.token.To, x.token.Indent = k, value, int32(start), int32(end), x.indent
	x.found = true
	x.fresh = false
}

// stop ends a statement.
func (x *lexer) stop(sign string) {
	at := int32(x.pos)
	x.token, x.found = Token{Stop, sign, at, at, at, at, x.indent}, !x.stopped
}

func unescape(b byte) string {
	switch b {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case '0':
		return "\x00"
	case '\n':
		return ""
	}
	return string(rune(b))
}

// lineEnd returns the end of a line. If joined is set, lines that end in a backslash count as one
// line with the next.
func lineEnd(src string, i int, joined bool) int {
	for ; i < len(src) && src[i] != '\n'; i++ {
		if joined && src[i] == '\\' {
			if strings.HasPrefix(src[i+1:], "\r\n") {
				i++
			}
			i++
		}
	}
	return min(i, len(src))
}

// after returns the position after mark, or the end of src.
func after(src string, i int, mark string) int {
	if i <= len(src) {
		if j := strings.Index(src[i:], mark); j >= 0 {
			return i + j + len(mark)
		}
	}
	return len(src)
}

// WordByte reports whether a byte can be part of a word.
func WordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}
