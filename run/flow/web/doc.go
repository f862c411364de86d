// Package web holds the process types that talk HTTP.
package web

import "github.com/pentode-dev/pentode/run/flow"

// Types lists them.
func Types() []*flow.Type { return []*flow.Type{getType(), postType()} }
