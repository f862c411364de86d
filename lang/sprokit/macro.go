package sprokit

import (
	"iter"
	"strings"
)

// provider says where the value of a macro comes from.
type provider string

const (
	fromLocal  provider = "LOCAL"  // a `:=` on a line above
	fromConfig provider = "CONFIG" // an entry on a line above
	fromEnv    provider = "ENV"    // an environment variable
	fromSysenv provider = "SYSENV" // a property of the machine
)

// macro is a `$PROVIDER{name}` in a text.
type macro struct {
	provider   provider
	name       string
	start, end int
}

// macros finds the macros in a text, from left to right. Text that only looks like a macro is skipped. If upstream is set, a name cannot contain
// `-` and `/`, as in the original program.
func macros(text string, upstream bool) iter.Seq[macro] {
	return func(yield func(macro) bool) {
		for at := 0; ; {
			i := strings.IndexByte(text[at:], '$')
			if i < 0 {
				return
			}
			at += i
			m, ok := macroAt(text, at, upstream)
			if !ok {
				at++
				continue
			}
			if !yield(m) {
				return
			}
			at = m.end
		}
	}
}

func macroAt(text string, start int, upstream bool) (macro, bool) {
	at := start + 1
	for at < len(text) && (letter(text[at]) || at > start+1 && (digit(text[at]) || text[at] == '_')) {
		at++
	}
	if at == start+1 || at == len(text) || text[at] != '{' {
		return macro{}, false
	}
	m := macro{provider: provider(text[start+1 : at]), start: start}
	wide := !upstream && (m.provider == fromConfig || m.provider == fromLocal)
	name := at + 1
	for at = name; at < len(text); at++ {
		c := text[at]
		if letter(c) || digit(c) || c == '.' || c == '_' || c == ':' || wide && (c == '-' || c == '/') {
			continue
		}
		break
	}
	if at == len(text) || text[at] != '}' {
		return macro{}, false
	}
	m.name, m.end = text[name:at], at+1
	return m, true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// trim removes only the characters that are white space in C, not other Unicode spaces.
func trim(s string) string { return strings.Trim(s, " \t\n\r\v\f") }

// Limits of the text that macros may produce.
const (
	maxValue    = 1 << 20
	maxExpanded = 64 << 20
)
