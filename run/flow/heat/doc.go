// Package heat has a small simulation as a process type: a heated plate.
//
// The project's example run uses it. It is large enough to have fields, steps and images,
// and small enough to read in one sitting. The types of package array draw its fields and
// compute statistics of them.
package heat

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists the process types of this package.
func Types() []*pipe.Type { return []*pipe.Type{heatType()} }
