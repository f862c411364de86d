package syntax

import "strings"

// Embedded finds the tree in a raw string R"MARK(…)MARK" of a C++ source: the first such string with a section of a tree at the beginning of a line.
// Programs compile their trees in this way.
func Embedded(text string) (start, end int, ok bool) {
	if !strings.Contains(text, `R"`) {
		return 0, 0, false
	}
	for i := 0; i < len(text); {
		switch b := text[i]; {
		case strings.HasPrefix(text[i:], "//"):
			i = after(text, i, "\n")
		case strings.HasPrefix(text[i:], "/*"):
			i = after(text, i+2, "*/")
		case b == 'R' && rawBegins(text, i):
			mark, _, _ := strings.Cut(text[i+2:], "(")
			start = i + 2 + len(mark) + 1
			closing := ")" + mark + `"`
			i = after(text, start, closing)
			end = i
			if strings.HasSuffix(text[start:i], closing) {
				end -= len(closing)
			}
			if hasSection(text[start:end]) {
				return start, end, true
			}
		case b == '"' || b == '\'' && (i == 0 || !isWordByte(text[i-1])):
			i = quoteEnd(text, i)
		default:
			i++
		}
	}
	return 0, 0, false
}

// rawBegins reports whether a raw string begins at the R at i: its mark is short, and the R does not end a name.
func rawBegins(text string, i int) bool {
	const maxMark = 16
	if !strings.HasPrefix(text[i:], `R"`) || i > 0 && isWordByte(text[i-1]) && strings.IndexByte("LuU8", text[i-1]) < 0 {
		return false
	}
	mark, _, ok := strings.Cut(text[i+2:min(len(text), i+3+maxMark)], "(")
	return ok && !strings.ContainsAny(mark, " )\\\t\n\"")
}

// hasSection reports whether a line begins with a section of a tree, or with the key that contains one.
func hasSection(text string) bool {
	for _, section := range []string{"data:", "metadata:", "plugins:", "types:", "pdi:"} {
		if strings.HasPrefix(text, section) || strings.Contains(text, "\n"+section) {
			return true
		}
	}
	return false
}

// quoteEnd returns the position after a string or a character. An unclosed one ends with its line.
func quoteEnd(text string, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return i
}

// after returns the position after a mark, or the end of the text.
func after(text string, i int, mark string) int {
	if j := strings.Index(text[min(i, len(text)):], mark); j >= 0 {
		return i + j + len(mark)
	}
	return len(text)
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}
