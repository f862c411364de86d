package diag

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/problem"
)

// maxQuote is how many characters of a file's text a message quotes: enough to
// recognise the text.
const maxQuote = 300

// sentence formats a message. The arguments may come from a binary file, so
// long texts are cut and unprintable characters are replaced.
func sentence(format string, args []any) string {
	for i, a := range args {
		if s, ok := a.(string); ok {
			if clipped := problem.Clip(s, maxQuote); clipped != s {
				args[i] = clipped
			}
		}
	}
	return fmt.Sprintf(format, args...)
}
