package sprokit

import "strings"

// arena joins short texts without an allocation for each. A chunk is never
// moved once a text points into it.
type arena struct {
	chunk strings.Builder
	size  int
}

func (a *arena) join(x, y string) string {
	n := len(x) + len(y)
	if a.chunk.Cap()-a.chunk.Len() < n {
		a.size = min(max(2*a.size, 1<<10), 64<<10)
		a.chunk = strings.Builder{}
		a.chunk.Grow(max(n, a.size))
	}
	start := a.chunk.Len()
	a.chunk.WriteString(x)
	a.chunk.WriteString(y)
	return a.chunk.String()[start:]
}
