package syntax

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Tree is a parsed COIL configuration.
type Tree struct {
	Includes []Include
	Sections []Section
	// Stray are the keys before the first section.
	Stray []Entry
	// Partial says that a line was meant to include a file, but does not say which.
	Partial bool

	file     *source.File
	tokens   *token.List
	problems diag.List
}

// Section is a header with the keys below it, up to the next header.
type Section struct {
	Line    Range // the tokens of the header's line, without its line break
	Name    Text
	Entries []Entry
	// Lost are the first words of lines without a form: what they were meant
	// to set is not known, but it is not missing either.
	Lost []Text
}

// Entry is a line `key = value`.
type Entry struct {
	Line  Range
	Key   Text
	Value Text // without a comment behind it; empty where none is written
	// Broken says that the value has no form of the language, which is
	// among the problems already.
	Broken bool
}

// Include is a line `@include "path"`.
type Include struct {
	Line Range
	Path Text // without quotes
	// Late says that a section or a key stands before it.
	Late bool
}

// Text is a piece of the file by its bytes.
type Text struct{ Start, End int32 }

// Empty reports whether nothing is there.
func (x Text) Empty() bool { return x.Start == x.End }

// Range is tokens First up to, not including, End.
type Range struct{ First, End int32 }

// File is the text the tree was made of.
func (t *Tree) File() *source.File { return t.file }

// Tokens are all tokens of the text.
func (t *Tree) Tokens() *token.List { return t.tokens }

// Problems are the lines that have no form of the language.
func (t *Tree) Problems() diag.List { return t.problems }

// Of is what stands at a piece.
func (t *Tree) Of(x Text) string { return t.file.Text()[x.Start:x.End] }

// Span is the place of a piece.
func (t *Tree) Span(x Text) source.Span {
	return source.Span{File: t.file, Start: int(x.Start), End: int(x.End)}
}

// LineSpan is the place of a line, without its line break.
func (t *Tree) LineSpan(r Range) source.Span { return t.tokens.Between(int(r.First), int(r.End)) }

// Items cuts a piece at its commas outside of quotes, without the blanks
// around each part. Empty parts stay: they are mistakes that somebody has to see.
func Items(text string, x Text) []Text {
	items := make([]Text, 0, 4)
	start, quoted := x.Start, false
	for i := x.Start; i <= x.End; i++ {
		if i < x.End {
			if text[i] == '"' {
				quoted = !quoted
			}
			if text[i] != ',' || quoted {
				continue
			}
		}
		items = append(items, trim(text, Text{start, i}))
		start = i + 1
	}
	return items
}

func trim(text string, x Text) Text {
	for x.Start < x.End && blank[text[x.Start]] {
		x.Start++
	}
	for x.End > x.Start && blank[text[x.End-1]] {
		x.End--
	}
	return x
}
