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
	lines []int32 // offset of the first byte of every line
}

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
	line := f.lineIndex(offset)
	column := utf8.RuneCountInString(f.text[f.lines[line]:offset])
	return Position{Line: line + 1, Column: column + 1, Offset: offset}
}

// UTF16 returns line and character of an offset as editors count: from 0,
// characters in UTF-16 units.
func (f *File) UTF16(offset int) (line, character int) {
	offset = min(max(offset, 0), len(f.text))
	line = f.lineIndex(offset)
	for _, r := range f.text[f.lines[line]:offset] {
		character += utf16Len(r)
	}
	return line, character
}

// Offset is the inverse of UTF16. A place past the end of a line is its end.
func (f *File) Offset(line, character int) int {
	f.index()
	if line < 0 {
		return 0
	}
	if line >= len(f.lines) {
		return len(f.text)
	}
	at := int(f.lines[line])
	for i, r := range f.Line(line + 1) {
		if character <= 0 {
			return at + i
		}
		character -= utf16Len(r)
	}
	return at + len(f.Line(line+1))
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
	return len(f.lines)
}

// Line returns line n, counted from 1, without its line break.
func (f *File) Line(n int) string {
	f.index()
	if n < 1 || n > len(f.lines) {
		return ""
	}
	end := len(f.text)
	if n < len(f.lines) {
		end = int(f.lines[n]) - 1
	}
	return strings.TrimSuffix(f.text[f.lines[n-1]:end], "\r")
}

// LineStart is the offset of the first byte of line n, counted from 1.
func (f *File) LineStart(n int) int {
	f.index()
	if n < 1 {
		return 0
	}
	if n > len(f.lines) {
		return len(f.text)
	}
	return int(f.lines[n-1])
}

func (f *File) lineIndex(offset int) int {
	f.index()
	return sort.Search(len(f.lines), func(i int) bool { return int(f.lines[i]) > offset }) - 1
}

// index builds the line table on first use: most files are never asked.
func (f *File) index() {
	f.once.Do(func() {
		f.lines = make([]int32, 1, 1+strings.Count(f.text, "\n"))
		for at := 0; ; {
			i := strings.IndexByte(f.text[at:], '\n')
			if i < 0 {
				return
			}
			at += i + 1
			f.lines = append(f.lines, int32(at))
		}
	})
}
