package launch

import (
	"fmt"
	"strings"
)

// WordError says why a text cannot be split into shell words.
type WordError string

func (e WordError) Error() string { return string(e) }

// Split divides s into words with the quoting rules of the POSIX shell: blanks
// separate words, single quotes keep everything, double quotes keep blanks, a
// backslash keeps the next byte. Nothing is expanded and no character is an
// operator: `$HOME`, `*`, `;` and `#` remain as they are.
func Split(s string) ([]string, error) {
	var words []string
	var word []byte
	inWord := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\n':
			if inWord {
				words, word, inWord = append(words, string(word)), word[:0], false
			}
		case '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return nil, WordError("the single quote `'` is never closed")
			}
			word, inWord = append(word, s[i+1:i+1+end]...), true
			i += 1 + end
		case '"':
			end, ok := 0, false
			if word, end, ok = appendDoubleQuoted(word, s, i+1); !ok {
				return nil, WordError("the double quote `\"` is never closed")
			}
			i, inWord = end, true
		case '\\':
			if i+1 == len(s) {
				return nil, WordError("the backslash at the end has nothing to quote")
			}
			if i++; s[i] != '\n' {
				word, inWord = append(word, s[i]), true
			}
		default:
			word, inWord = append(word, c), true
		}
	}
	if inWord {
		words = append(words, string(word))
	}
	return words, nil
}

// appendDoubleQuoted appends the content of a double-quoted piece that starts at i, and returns the index of its closing quote.
func appendDoubleQuoted(word []byte, s string, i int) (_ []byte, end int, ok bool) {
	for ; i < len(s); i++ {
		switch s[i] {
		case '"':
			return word, i, true
		case '\\':
			if i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
				if i++; s[i] != '\n' {
					word = append(word, s[i])
				}
				continue
			}
		}
		word = append(word, s[i])
	}
	return word, i, false
}

// Quote writes one word so that a POSIX shell reads exactly that word.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_@%+=:,./-", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// QuoteAll quotes words as one line of shell text.
func QuoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	// A first word with `=` would be an assignment.
	if len(words) > 0 && strings.Contains(words[0], "=") && quoted[0] == words[0] {
		quoted[0] = "'" + words[0] + "'"
	}
	return strings.Join(quoted, " ")
}

func splitCommand(s string) ([]string, error) {
	words, err := Split(s)
	if err != nil {
		return nil, fmt.Errorf("command `%s`: %w", s, err)
	}
	if len(words) == 0 || words[0] == "" {
		return nil, fmt.Errorf("command `%s` names no program", s)
	}
	return words, nil
}
