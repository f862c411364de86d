package lsp

import (
	"sort"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// lines are the lines of a text as editors count them: besides a line feed, a
// carriage return ends a line too.
type lines struct {
	text   string
	starts []int
	marks  []column // points from which UTF-16 units are counted; a long line has several
}

// column is an offset, with its line and the number of UTF-16 units before it in that line.
type column struct{ offset, line, units int }

// markEvery is the distance between marks in bytes, and so the most bytes that must be counted.
const markEvery = 256

func newLines(text string) *lines {
	l := &lines{text: text, starts: []int{0}}
	var at column
	last := 0
	for i, r := range text {
		if i-last >= markEvery {
			at.offset, last = i, i
			l.marks = append(l.marks, at)
		}
		at.units += unitsOf(r)
		if r == '\n' || r == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			l.starts = append(l.starts, i+1)
			at, last = column{line: at.line + 1}, i+1
		}
	}
	return l
}

// before returns the last mark of a line for which behind is false, that is, which is not after the
// wanted place, if the line has one.
func (l *lines) before(line int, behind func(column) bool) column {
	i := sort.Search(len(l.marks), func(i int) bool { return l.marks[i].line > line || l.marks[i].line == line && behind(l.marks[i]) })
	if i > 0 && l.marks[i-1].line == line {
		return l.marks[i-1]
	}
	return column{offset: l.starts[line], line: line}
}

// end returns the end of a line, before its line break.
func (l *lines) end(line int) int {
	if line+1 == len(l.starts) {
		return len(l.text)
	}
	end := l.starts[line+1] - 1
	if end > l.starts[line] && l.text[end] == '\n' && l.text[end-1] == '\r' {
		end--
	}
	return end
}

// position returns the position of an offset, in bytes of UTF-8 or units of UTF-16.
func (l *lines) position(offset int, isUTF8 bool) protocol.Position {
	offset = min(max(offset, 0), len(l.text))
	line := sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > offset }) - 1
	if isUTF8 {
		return protocol.Position{Line: line, Character: offset - l.starts[line]}
	}
	at := l.before(line, func(m column) bool { return m.offset > offset })
	for _, r := range l.text[at.offset:offset] {
		at.units += unitsOf(r)
	}
	return protocol.Position{Line: line, Character: at.units}
}

// offset is the inverse of position. A position outside the text becomes its nearest
// end; a position inside a character becomes the end of the character.
func (l *lines) offset(p protocol.Position, isUTF8 bool) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(l.starts):
		return len(l.text)
	}
	start, end := l.starts[p.Line], l.end(p.Line)
	if isUTF8 {
		at := start + min(max(p.Character, 0), end-start)
		for at < end && !utf8.RuneStart(l.text[at]) {
			at++
		}
		return at
	}
	at := l.before(p.Line, func(m column) bool { return m.units > p.Character })
	for i, r := range l.text[at.offset:end] {
		if at.units >= p.Character {
			return at.offset + i
		}
		at.units += unitsOf(r)
	}
	return end
}

func unitsOf(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}
