// Package source holds texts and the places in them.
//
// Everything Pentode says about a file points back into it, so a place is
// the smallest honest thing: a file and two byte offsets. Lines and columns
// are computed when somebody wants to read them, for whom they are for:
// code points for people, UTF-16 units for editors.
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
	marks []lineMark // in order; the first is the beginning
	lines int
}

// lineMark is the beginning of a line. Not every line has one: a text of bare
// line breaks would have a table larger than itself.
type lineMark struct {
	offset int
	line   int // counted from 0
}

// markEvery is how many bytes at least lie between two marks.
const markEvery = 1 << 10

// NewFile returns a file that is not read from anywhere.
func NewFile(path, text string) *File { return &File{path: path, text: text} }

// Path is the name the file was opened by, as messages show it.
func (f *File) Path() string { return f.path }

// Text is the whole text.
func (f *File) Text() string { return f.text }

// Len is the length of the text in bytes.
func (f *File) Len() int { return len(f.text) }

// Span returns the place between two offsets, clamped to the text.
func (f *File) Span(start, end int) Span {
	start = min(max(start, 0), len(f.text))
	end = min(max(end, start), len(f.text))
	return Span{File: f, Start: start, End: end}
}

// Position is a place as people count: from 1, columns in code points.
type Position struct {
	Line, Column, Offset int
}

// Position returns line and column of an offset.
func (f *File) Position(offset int) Position {
	offset = min(max(offset, 0), len(f.text))
	line, start := f.lineAt(offset)
	column := utf8.RuneCountInString(f.text[start:offset])
	return Position{Line: line + 1, Column: column + 1, Offset: offset}
}

// UTF16 returns line and character of an offset as editors count: from 0,
// characters in UTF-16 units.
func (f *File) UTF16(offset int) (line, character int) {
	offset = min(max(offset, 0), len(f.text))
	line, start := f.lineAt(offset)
	for _, r := range f.text[start:offset] {
		character += utf16Len(r)
	}
	return line, character
}

// Offset is the inverse of UTF16. A place past the end of a line is its end.
func (f *File) Offset(line, character int) int {
	if line < 0 {
		return 0
	}
	at, text := f.LineStart(line+1), f.Line(line+1)
	for i, r := range text {
		if character <= 0 {
			return at + i
		}
		character -= utf16Len(r)
	}
	return at + len(text)
}

func utf16Len(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// Lines is the number of lines; a text that ends in a line break has an
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

// LineStart is the offset of the first byte of line n, counted from 1.
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
	}
	return m.offset
}

// lineAt is the line of an offset, counted from 0, and where it begins.
func (f *File) lineAt(offset int) (line, start int) {
	f.index()
	m := f.marks[sort.Search(len(f.marks), func(i int) bool { return f.marks[i].offset > offset })-1]
	for {
		i := strings.IndexByte(f.text[m.offset:offset], '\n')
		if i < 0 {
			return m.line, m.offset
		}
		m.offset += i + 1
		m.line++
	}
}

// index counts the lines on first use: most files are never asked.
func (f *File) index() {
	f.once.Do(func() {
		at := lineMark{}
		f.marks = []lineMark{at}
		for {
			i := strings.IndexByte(f.text[at.offset:], '\n')
			if i < 0 {
				break
			}
			at.offset += i + 1
			at.line++
			if at.offset-f.marks[len(f.marks)-1].offset >= markEvery {
				f.marks = append(f.marks, at)
			}
		}
		f.lines = at.line + 1
	})
}
