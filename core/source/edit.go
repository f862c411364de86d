package source

import (
	"fmt"
	"sort"
	"strings"
)

// Edit replaces the text of a span. An empty span inserts.
type Edit struct {
	Span Span
	Text string
}

// Apply carries out the edits that are in file f and returns the new text.
// Edits may come in any order; two that overlap are refused.
func Apply(f *File, edits []Edit) (string, error) {
	var mine []Edit
	for _, e := range edits {
		if e.Span.File == f {
			mine = append(mine, e)
		}
	}
	sort.SliceStable(mine, func(i, j int) bool { return mine[i].Span.Start < mine[j].Span.Start })
	var b strings.Builder
	at := 0
	for _, e := range mine {
		if e.Span.Start < at {
			return "", fmt.Errorf("two edits overlap at %s", e.Span)
		}
		b.WriteString(f.text[at:e.Span.Start])
		b.WriteString(e.Text)
		at = e.Span.End
	}
	b.WriteString(f.text[at:])
	return b.String(), nil
}
