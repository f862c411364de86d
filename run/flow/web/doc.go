// Package web has the process types that make HTTP requests.
package web

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists the process types.
func Types() []*pipe.Type { return []*pipe.Type{getType(), postType()} }
