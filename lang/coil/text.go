package coil

import "strings"

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isName reports whether a text begins with a letter or a byte of first, and
// continues with letters, digits and bytes of rest.
func isName(text, first, rest string) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if isLetter(c) || i > 0 && isDigit(c) {
			continue
		}
		set := rest
		if i == 0 {
			set = first
		}
		if strings.IndexByte(set, c) < 0 {
			return false
		}
	}
	return text != ""
}

func isIdentifier(text string) bool { return isName(text, "_", "_") }

func isSectionName(text string) bool { return isName(text, "_", "_ .:-") }

func isABIName(text string) bool { return isName(text, "_", "_.-+") }

// isWord reports whether a text can be the name of an architecture or a feature.
// It allows a sign at the beginning, which is reported separately.
func isWord(text string) bool { return isName(text, "0123456789_.-+", "_.-+") }

func isSymbol(text string) bool { return isName(text, "_.$@?", "_.$@?") }

// isVersion reports whether a text consists of numbers separated by points.
func isVersion(text string) bool {
	for part := range strings.SplitSeq(text, ".") {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return true
}

// isLibrary reports whether a text can be the name of a library, or a path,
// which is allowed but reported as doubtful.
func isLibrary(text string) bool { return isName(text, `0123456789_+./\-`, `_+./\-`) }

// maxListed is how many words a message lists.
const maxListed = 16

// and joins words into a list for a sentence.
func and(words []string) string {
	if len(words) > maxListed {
		return strings.Join(words[:maxListed], ", ") + ", …"
	}
	return strings.Join(words, ", ")
}
