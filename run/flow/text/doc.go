// Package text holds the process types that read and write lines of text.
package text

import "github.com/pentode-dev/pentode/run/flow"

// Types lists them.
func Types() []*flow.Type { return []*flow.Type{readType(), writeType()} }

const lineType = "string"
