package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxQuote is how much of a file's text a message quotes: enough to
// recognise it.
const maxQuote = 300

// sentence formats a message. What it quotes may come from a file that is no
// text at all, so long texts are cut and what cannot be shown is marked.
func sentence(format string, args []any) string {
	for i, a := range args {
		if s, ok := a.(string); ok && !plain(s) {
			args[i] = quote(s)
		}
	}
	return fmt.Sprintf(format, args...)
}

func plain(s string) bool {
	if len(s) > maxQuote {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

func quote(s string) string {
	var b strings.Builder
	n := 0
	for i, r := range s {
		if n++; n == maxQuote {
			b.WriteRune('…')
			break
		}
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"), unicode.IsControl(r), unicode.In(r, unicode.Cf):
			b.WriteRune('\uFFFD')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
