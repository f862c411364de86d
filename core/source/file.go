// Package source holds texts and the places in them.
//
// Every message about a file points into it. A place is a file and two byte
// offsets; lines and columns are computed when they are shown, in code points
// for people and in UTF-16 units for editors.
//
//	Opener ──Open──▶ File ──Span──▶ Position (people), UTF16 (editors)
//	                  └────Edit──▶ Apply ──▶ new text
package source

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// File is a text with a name. It never changes.
type File struct {
	path string
	text string

	once  sync.Once
	marks []mark // in order; the first is at the beginning of the text
	lines int
}

// mark is a place whose line and column are known. Line and column of other
// places are counted from the preceding mark, not from the beginning of the
// text or of a long line. Not every line has a mark, because the marks of a
// text with only line breaks would be larger than the text.
type mark struct {
	offset int
	line   int // counted from 0
	start  int // of the line
	runes  int // from the start of the line to the mark
	units  int // the same in UTF-16
}

// markEvery is the smallest number of bytes between two marks; the largest is
// about twice as many.
const markEvery = 1 << 10

// NewFile returns a file with a given text.
func NewFile(path, text string) *File { return &File{path: path, text: text} }

// Path returns the name that the file was opened by, as messages show it.
func (f *File) Path() string { return f.path }

// Text returns the whole text.
func (f *File) Text() string { return f.text }

// Len returns the length of the text in bytes.
func (f *File) Len() int { return len(f.text) }

// Span returns the place between two offsets, clamped to the text.
func (f *File) Span(start, end int) Span {
	start = min(max(start, 0), len(f.text))
	end = min(max(end, start), len(f.text))
	return Span{File: f, Start: start, End: end}
}

// Position is a place as people count: from 1, with columns in code points.
type Position struct {
	Line, Column, Offset int
}

// Position returns line and column of an offset.
func (f *File) Position(offset int) Position {
	offset = min(max(offset, 0), len(f.text))
	m := f.before(offset)
	column := m.runes + utf8.RuneCountInString(f.text[m.offset:offset])
	return Position{Line: m.line + 1, Column: column + 1, Offset: offset}
}

// UTF16 returns line and character of an offset as editors count: from 0, with
// characters in UTF-16 units.
func (f *File) UTF16(offset int) (line, character int) {
	offset = min(max(offset, 0), len(f.text))
	m := f.before(offset)
	for _, r := range f.text[m.offset:offset] {
		m.units += utf16Len(r)
	}
	return m.line, m.units
}

// Offset is the inverse of UTF16. A place past the end of a line is moved to
// its end.
func (f *File) Offset(line, character int) int {
	if line < 0 {
		return 0
	}
	character = max(character, 0)
	at := f.LineStart(line + 1)
	i := sort.Search(len(f.marks), func(i int) bool {
		m := f.marks[i]
		return m.line > line || m.line == line && m.units > character
	})
	if m := f.marks[i-1]; m.line == line {
		at, character = m.offset, character-m.units
	}
	for i, r := range f.text[at:] {
		if character <= 0 || f.endsLine(at+i) {
			return at + i
		}
		character -= utf16Len(r)
	}
	return len(f.text)
}

// endsLine reports whether a line break begins at an offset.
func (f *File) endsLine(i int) bool {
	return f.text[i] == '\n' || f.text[i] == '\r' && (i+1 == len(f.text) || f.text[i+1] == '\n')
}

func utf16Len(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// Lines returns the number of lines. A text that ends in a line break has an
// empty line after it.
func (f *File) Lines() int {
	f.index()
	return f.lines
}

// Line returns line n, counted from 1, without its line break.
func (f *File) Line(n int) string {
	if n < 1 || n > f.Lines() {
		return ""
	}
	line := f.text[f.LineStart(n):]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	return strings.TrimSuffix(line, "\r")
}

// LineStart returns the offset of the first byte of line n, counted from 1.
func (f *File) LineStart(n int) int {
	if n < 1 {
		return 0
	}
	if n > f.Lines() {
		return len(f.text)
	}
	m := f.marks[sort.Search(len(f.marks), func(i int) bool { return f.marks[i].line >= n })-1]
	for ; m.line < n-1; m.line++ {
		m.offset += strings.IndexByte(f.text[m.offset:], '\n') + 1
		m.start = m.offset
	}
	return m.start
}

// before returns the last place at or before an offset whose line and column
// are known: a mark, or the beginning of the line.
func (f *File) before(offset int) mark {
	f.index()
	m := f.marks[sort.Search(len(f.marks), func(i int) bool { return f.marks[i].offset > offset })-1]
	text := f.text[m.offset:offset]
	if lines := strings.Count(text, "\n"); lines > 0 {
		start := m.offset + strings.LastIndexByte(text, '\n') + 1
		return mark{offset: start, line: m.line + lines, start: start}
	}
	return m
}

// index sets the marks on first use, since the lines of most files are never
// needed.
func (f *File) index() {
	f.once.Do(func() {
		f.marks = []mark{{}}
		at := mark{}
		for {
			length := strings.IndexByte(f.text[at.offset:], '\n')
			last := length < 0
			if last {
				length = len(f.text) - at.offset
			}
			if length >= markEvery {
				f.markLine(at, length)
			}
			if last {
				break
			}
			at.offset += length + 1
			at.start = at.offset
			at.line++
			if at.offset-f.marks[len(f.marks)-1].offset >= markEvery {
				f.marks = append(f.marks, at)
			}
		}
		f.lines = at.line + 1
	})
}

// markLine sets the marks inside a long line.
func (f *File) markLine(at mark, length int) {
	for i, r := range f.text[at.start : at.start+length] {
		at.offset = at.start + i
		if at.offset-f.marks[len(f.marks)-1].offset >= markEvery {
			f.marks = append(f.marks, at)
		}
		at.runes++
		at.units += utf16Len(r)
	}
}
