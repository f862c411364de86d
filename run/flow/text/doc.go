// Package text has the process types that read and write lines of text.
package text

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists the process types.
func Types() []*pipe.Type { return []*pipe.Type{readType(), writeType()} }

const lineType = "string"
