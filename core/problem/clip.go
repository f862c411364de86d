package problem

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/internal/leaf/visible"
)

// Short is how many characters of a name or value a message quotes: enough to
// recognise it.
const Short = 60

// Clip cuts a text after limit characters and marks the cut. The result is one
// line without characters that a terminal obeys: line breaks and tabs become
// blanks, and characters that cannot be shown become a replacement character.
func Clip(s string, limit int) string {
	if plain(s, limit) {
		return s
	}
	var b strings.Builder
	n := 0
	for i, r := range s {
		if n++; n > limit {
			b.WriteRune('…')
			break
		}
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"), !visible.Shows(r):
			b.WriteRune(unicode.ReplacementChar)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain reports whether Clip would leave the text as it is.
func plain(s string, limit int) bool {
	if len(s) > limit {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
