package golden

import (
	"runtime"
	"slices"
	"strings"
)

// Waits reports whether some goroutine is inside the named function and blocked for the given reason, as
// in a stack trace: `IO wait`, `sleep`.
func Waits(function, reason string) bool {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return slices.ContainsFunc(strings.Split(string(stacks), "\n\n"), func(stack string) bool {
		head, calls, _ := strings.Cut(stack, "\n")
		return strings.Contains(head, "["+reason) && strings.Contains(calls, function+"(")
	})
}
