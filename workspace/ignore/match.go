package ignore

import "strings"

// part is a piece of a pattern.
type part struct {
	kind kind
	char byte      // the byte of a literal
	set  *[32]byte // the bytes of a class, with one bit for each byte
}

type kind uint8

const (
	letter  kind = iota
	anyChar      // `?`
	class        // `[a-z]`
	star         // `*`: any text without a slash
	deep         // `**/`: any number of folders
	subtree      // `/**` at the end: everything below a folder; the slash is a separate literal before it
)

// compile parses a pattern. It returns false if the pattern cannot match
// anything.
func compile(text string) ([]part, bool) {
	parts := make([]part, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i++; i == len(text) {
				return nil, false
			}
			parts = append(parts, part{kind: letter, char: text[i]})
		case '?':
			parts = append(parts, part{kind: anyChar})
		case '[':
			set, end := parseClass(text, i+1)
			if set == nil {
				return nil, false
			}
			parts = append(parts, part{kind: class, set: set})
			i = end
		case '*':
			stars := 1
			for i+stars < len(text) && text[i+stars] == '*' {
				stars++
			}
			begins := i == 0 || text[i-1] == '/'
			i += stars - 1
			switch after := text[i+1:]; {
			case stars > 1 && begins && after == "":
				parts = append(parts, part{kind: subtree})
			case stars > 1 && begins && after[0] == '/':
				parts = append(parts, part{kind: deep})
				i++
			default:
				parts = append(parts, part{kind: star})
			}
		default:
			parts = append(parts, part{kind: letter, char: c})
		}
	}
	return parts, true
}

// parseClass parses the text after `[`. It returns the set and the index of the
// closing `]`, or nil if there is none.
func parseClass(text string, i int) (*[32]byte, int) {
	var set [32]byte
	add := func(from, to byte) {
		for c := int(from); c <= int(to); c++ {
			set[c/8] |= 1 << (c % 8)
		}
	}
	negated := i < len(text) && (text[i] == '!' || text[i] == '^')
	if negated {
		i++
	}
	for first := true; ; first = false {
		if i >= len(text) {
			return nil, 0
		}
		c := text[i]
		switch {
		case c == ']' && !first:
			if negated {
				for j := range set {
					set[j] = ^set[j]
				}
			}
			set['/'/8] &^= 1 << ('/' % 8)
			return &set, i
		case c == '[' && strings.HasPrefix(text[i+1:], ":"):
			name, _, ok := strings.Cut(text[i+2:], ":]")
			named := classes[name]
			if !ok || named == nil {
				return nil, 0
			}
			for b := range 256 {
				if named(byte(b)) {
					add(byte(b), byte(b))
				}
			}
			i += len(name) + 4
			continue
		case c == '\\':
			if i++; i >= len(text) {
				return nil, 0
			}
			c = text[i]
		}
		i++
		if i+1 < len(text) && text[i] == '-' && text[i+1] != ']' {
			if i++; text[i] == '\\' {
				if i++; i >= len(text) {
					return nil, 0
				}
			}
			add(c, text[i])
			i++
		} else {
			add(c, c)
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isAlpha(c byte) bool { return isLower(c) || isUpper(c) }
func isGraph(c byte) bool { return c > ' ' && c < 0x7f }

// classes are the character classes `[[:name:]]`.
var classes = map[string]func(byte) bool{
	"digit": isDigit, "lower": isLower, "upper": isUpper, "alpha": isAlpha, "graph": isGraph,
	"alnum":  func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"print":  func(c byte) bool { return isGraph(c) || c == ' ' },
	"punct":  func(c byte) bool { return isGraph(c) && !isAlpha(c) && !isDigit(c) },
	"space":  func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' },
	"xdigit": func(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' },
}

// matches reports whether the parts match a text. It follows all alternatives
// at once, so its time is at most proportional to the length of the pattern
// times the length of the text.
func matches(parts []part, text string) bool {
	now, next := make([]bool, len(parts)+1), make([]bool, len(parts)+1)
	now[0] = true
	skip(parts, now, true)
	for i := 0; i < len(text); i++ {
		clear(next)
		c := text[i]
		alive := false
		for j := range parts {
			if !now[j] {
				continue
			}
			p := &parts[j]
			switch p.kind {
			case star:
				if c != '/' {
					next[j] = true
				}
			case deep, subtree:
				next[j] = true
			case letter:
				next[j+1] = next[j+1] || c == p.char
			case anyChar:
				next[j+1] = next[j+1] || c != '/'
			case class:
				next[j+1] = next[j+1] || p.set[c/8]&(1<<(c%8)) != 0
			}
			alive = alive || next[j] || next[j+1]
		}
		if !alive {
			return false
		}
		skip(parts, next, c == '/')
		now, next = next, now
	}
	return now[len(parts)]
}

// skip turns on the parts that can be reached without reading a byte, because
// the parts before them may match nothing. `**/` may match nothing only at the
// start of a name.
func skip(parts []part, on []bool, begins bool) {
	for j := range parts {
		if on[j] && (parts[j].kind == star || parts[j].kind == subtree || parts[j].kind == deep && begins) {
			on[j+1] = true
		}
	}
}
