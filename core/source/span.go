package source

import "fmt"

// Span is a piece of a file: the bytes from Start up to, but not including,
// End. The zero Span means no place.
type Span struct {
	File       *File
	Start, End int
}

// IsZero reports whether the span is the zero Span, which means no place.
func (s Span) IsZero() bool { return s.File == nil }

// Text returns the text of the span.
func (s Span) Text() string {
	if s.File == nil {
		return ""
	}
	return s.File.text[s.Start:s.End]
}

// Len returns the length in bytes.
func (s Span) Len() int { return s.End - s.Start }

// Position returns the beginning of the span.
func (s Span) Position() Position {
	if s.File == nil {
		return Position{}
	}
	return s.File.Position(s.Start)
}

// To returns the span from the beginning of s to the end of t, which must be in
// the same file.
func (s Span) To(t Span) Span {
	return Span{File: s.File, Start: min(s.Start, t.Start), End: max(s.End, t.End)}
}

// Contains reports whether t is inside s.
func (s Span) Contains(t Span) bool {
	return s.File == t.File && s.Start <= t.Start && t.End <= s.End
}

// String returns `path:line:column`, a form that terminals and editors can
// open.
func (s Span) String() string {
	if s.File == nil {
		return ""
	}
	p := s.Position()
	return fmt.Sprintf("%s:%d:%d", s.File.path, p.Line, p.Column)
}
