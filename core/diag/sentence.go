package diag

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/problem"
)

// maxQuote is how many characters of a file's text a message quotes: enough to
// recognise it.
const maxQuote = 300

// sentence formats a message. What it quotes may come from a file that is no
// text at all, so long texts are cut and what cannot be shown is marked.
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
