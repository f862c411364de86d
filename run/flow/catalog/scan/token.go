package scan

import "strings"

// A token is a word, a text or a sign of a source.
type token struct {
	kind   kind
	text   string // of a text: what stands between its quotes
	indent int    // of its line
	first  bool   // in its line
	at     int    // where it begins in the source, and ends
	end    int
}

type kind uint8

const (
	word kind = iota
	text
	formatted // a text of Python with `{…}` in it
	sign
)

func (t token) is(s string) bool { return t.kind <= sign && t.kind != text && t.text == s }

// tokens takes a source apart. Comments are left out, and in C++ the lines of
// the preprocessor. No text is wrong: what is not understood is a sign.
func tokens(src string, python bool) []token {
	var list []token
	indent, lineStart := 0, true
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '\n':
			lineStart, indent = true, 0
			i++
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			if lineStart {
				indent++
			}
			i++
			continue
		case c == '#' && (python || lineStart):
			i = lineEnd(src, i, !python)
			continue
		case !python && strings.HasPrefix(src[i:], "//"):
			i = lineEnd(src, i, false)
			continue
		case !python && strings.HasPrefix(src[i:], "/*"):
			i = after(src, i+2, "*/")
			continue
		case c == '\\':
			i++
			continue
		}
		t := token{indent: indent, first: lineStart}
		lineStart = false
		t.at = i
		t, i = one(src, i, python, t)
		t.end = i
		list = append(list, t)
	}
	return list
}

// one reads the token at i and returns where the next begins.
func one(src string, i int, python bool, t token) (token, int) {
	start := i
	for i < len(src) && wordByte(src[i]) {
		i++
	}
	prefix := src[start:i]
	switch {
	case i < len(src) && (src[i] == '"' || src[i] == '\'') && isPrefix(prefix, python):
		t.kind = text
		lower := strings.ToLower(prefix)
		if python && strings.Contains(lower, "f") {
			t.kind = formatted
		}
		raw := strings.Contains(lower, "r")
		t.text, i = quoted(src, i, python, raw)
		return t, i
	case i > start:
		t.text = prefix
		return t, i
	}
	t.kind = sign
	n := 1
	if two := src[i:min(i+2, len(src))]; two == "::" || two == "->" {
		n = 2
	}
	t.text = src[i : i+n]
	return t, i + n
}

// isPrefix reports whether a word before a quote belongs to it.
func isPrefix(word string, python bool) bool {
	if python {
		return len(word) <= 2 && strings.Trim(word, "rRbBuUfF") == ""
	}
	return strings.Trim(word, "uU8LR") == ""
}

// quoted reads a text and returns where it ends.
func quoted(src string, i int, python, raw bool) (string, int) {
	quote := src[i : i+1]
	if python && strings.HasPrefix(src[i:], quote+quote+quote) {
		end := after(src, i+3, quote+quote+quote)
		return strings.TrimSuffix(src[i+3:end], quote+quote+quote), end
	}
	if raw && !python {
		mark, _, ok := strings.Cut(src[i+1:], "(")
		if ok && len(mark) <= 16 {
			end := after(src, i, ")"+mark+quote)
			return strings.TrimSuffix(src[min(i+2+len(mark), end):end], ")"+mark+quote), end
		}
	}
	var b strings.Builder
	for i++; i < len(src) && src[i] != '\n'; i++ {
		if src[i] == quote[0] {
			return b.String(), i + 1
		}
		if src[i] == '\\' && !raw && i+1 < len(src) {
			i++
			b.WriteString(escaped(src[i]))
			continue
		}
		b.WriteByte(src[i])
	}
	return b.String(), i
}

func escaped(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case '\n':
		return ""
	}
	return string(rune(c))
}

// lineEnd is the end of a line; joined lines continue behind a backslash.
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

func after(src string, i int, mark string) int {
	if j := strings.Index(src[i:], mark); j >= 0 {
		return i + j + len(mark)
	}
	return len(src)
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// maxCall bounds the arguments of a call, in tokens.
const maxCall = 2000

// arguments are those of the call whose opening bracket is at i, and the
// index behind its closing one.
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

// split takes an expression apart at a sign that stands in no brackets.
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

// lastWord is the last name of a path such as `kwiver::vital::image`.
func lastWord(list []token) string {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].kind == word {
			return list[i].text
		}
	}
	return ""
}

// literal is the text of an expression that is nothing but texts, also where
// a call such as `port_description_t("…")` is around them.
func literal(list []token) string {
	var b strings.Builder
	for _, t := range list {
		if t.kind == text || t.kind == formatted {
			b.WriteString(t.text)
		}
	}
	return b.String()
}
