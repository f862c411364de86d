// Package route has the process types that only route data: pass them on, split, merge
// or discard them.
//
//	          ┌─dist/t/1─▶ work ─coll/t/1─┐
//	src/t ─▶ distribute                 collate ─▶ res/t
//	          └─dist/t/2─▶ work ─coll/t/2─┘
//	          └────────── status/t ───────┘
package route

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists the process types.
func Types() []*pipe.Type {
	return []*pipe.Type{passType(), sinkType(), distributeType(), collateType(), multiplexerType()}
}
