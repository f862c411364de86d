package source

import (
	"fmt"
	"sort"
	"strings"
)

// Edit replaces the text of a span. If the span is empty, it inserts the text.
type Edit struct {
	Span Span
	Text string
}

// Apply makes the edits that are in file f and returns the new text. Edits may
// come in any order, but must not overlap. If all lines of the file end in
// CRLF, so do the lines of the edits.
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
	crlf := f.endsInCRLF()
	for _, e := range mine {
		if crlf {
			e = e.withCRLF()
		}
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

// withCRLF returns the edit for a file whose lines end in CRLF. An insertion
// between CR and LF moves before the CR.
func (e Edit) withCRLF() Edit {
	text := e.Span.File.text
	if at := e.Span.Start; at == e.Span.End && strings.HasSuffix(text[:at], "\r") && strings.HasPrefix(text[at:], "\n") {
		e.Span.Start, e.Span.End = at-1, at-1
	}
	e.Text = strings.ReplaceAll(strings.ReplaceAll(e.Text, "\r\n", "\n"), "\n", "\r\n")
	return e
}

// endsInCRLF reports whether the text has lines, and all of them end in CRLF.
func (f *File) endsInCRLF() bool {
	n := strings.Count(f.text, "\r\n")
	return n > 0 && n == strings.Count(f.text, "\n")
}

// Change is a file and its new text.
type Change struct {
	File *File
	Text string
}

// Changes makes the edits in several files. It returns only files whose text
// changes.
func Changes(edits []Edit) ([]Change, error) {
	var changes []Change
	done := map[*File]bool{}
	for _, e := range edits {
		f := e.Span.File
		if done[f] {
			continue
		}
		done[f] = true
		text, err := Apply(f, edits)
		if err != nil {
			return nil, err
		}
		if text != f.Text() {
			changes = append(changes, Change{f, text})
		}
	}
	return changes, nil
}
