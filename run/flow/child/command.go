package child

import (
	"errors"
	"strings"
)

// Split splits a command into arguments at blanks. Text in single or double quotes
// belongs to one argument.
func Split(text string) ([]string, error) {
	var argv []string
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t':
			if inWord {
				argv = append(argv, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		argv = append(argv, word.String())
	}
	if len(argv) == 0 {
		return nil, errors.New("it is empty")
	}
	return argv, nil
}
