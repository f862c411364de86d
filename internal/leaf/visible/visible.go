// Package visible keeps control characters in texts from reaching the terminal.
//
// A file, or the name of a file, can contain characters that a terminal obeys instead
// of showing: an escape sequence that hides the rest of a line, a carriage return that
// overwrites it, a mark that reverses its direction. All texts for people pass through
// this package, which shows such characters as \u001b, \u000d, \u202e. Inside a JSON
// string this is the same text.
package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shows reports whether a terminal shows a character, and the character has no other effect. Line breaks and tabs do not count as shown.
func Shows(r rune) bool {
	if r < 0x7f {
		return r >= ' '
	}
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Text returns a text in which all characters are shown. Line breaks and tabs stay.
func Text(s string) string {
	for i := 0; i < len(s); i++ {
		if !plain(s[i]) {
			return string(escape(make([]byte, 0, len(s)+16), s))
		}
	}
	return s
}

// Line is like Text for a single line: it also escapes line breaks and tabs.
func Line(s string) string { return breaks.Replace(Text(s)) }

var breaks = strings.NewReplacer("\r\n", `\u000d\u000a`, "\n", `\u000a`, "\t", `\u0009`)

// First returns the first character of a text that is not shown, escaped, or "".
func First(s string) string {
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		if one := s[i : i+size]; !Shows(r) && r != '\n' && r != '\t' || r == utf8.RuneError && size == 1 {
			return Text(one)
		}
	}
	return ""
}

// plain reports whether a byte is shown unchanged, whatever follows.
func plain(c byte) bool { return c >= ' ' && c < 0x7f || c == '\n' || c == '\t' }

// escape appends a text to dst and escapes characters that are not shown. The carriage return of a line break stays.
func escape(dst []byte, s string) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, '\\', 'x', hex[s[0]>>4], hex[s[0]&15])
		case Shows(r) || r == '\n' || r == '\t' || r == '\r' && strings.HasPrefix(s, "\r\n"):
			dst = append(dst, s[:size]...)
		case r > 0xffff: // as in JSON, in two halves
			r -= 0x10000
			dst = unit(unit(dst, 0xd800+r>>10), 0xdc00+r&0x3ff)
		default:
			dst = unit(dst, r)
		}
		s = s[size:]
	}
	return dst
}

const hex = "0123456789abcdef"

func unit(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
