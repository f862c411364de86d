// Package heat has a small scientific code as a process type: a heated plate.
//
// The example run of the project computes it: it is large enough to have fields,
// steps and images, and small enough to read in one sitting. The processes of
// package array paint and measure its fields.
package heat

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists the process types of this package.
func Types() []*pipe.Type { return []*pipe.Type{heatType()} }
