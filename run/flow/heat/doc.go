// Package heat has a small scientific code as a process type: a heated plate.
//
// It is what the example run of the project computes: large enough to have
// fields, steps and images, small enough to read in one sitting. The processes of
// package array paint and measure what it gives.
package heat

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists the process types of this package.
func Types() []*pipe.Type { return []*pipe.Type{heatType()} }
