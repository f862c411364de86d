// Package web holds the process types that talk HTTP.
package web

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists them.
func Types() []*pipe.Type { return []*pipe.Type{getType(), postType()} }
