package syntax

import "github.com/pentode-dev/pentode/core/token"

// Text and Range are how a tree refers to its file.
type (
	Text  = token.Text
	Range = token.Range
)

// Tree is a parsed COIL configuration.
type Tree struct {
	token.Tree
	Includes []Include
	Sections []Section
	// Stray are the keys before the first section.
	Stray []Entry
	// Partial says that a line was to include a file, but does not say which.
	Partial bool
}

// Section is a header with the keys below it, up to the next header.
type Section struct {
	Line    Range // the tokens of the header's line, without its line break
	Name    Text
	Entries []Entry
	// Lost are the first words of lines without a form. What they set is
	// unknown, but it is not reported as missing.
	Lost []Text
}

// Entry is a line `key = value`.
type Entry struct {
	Line  Range
	Key   Text
	Value Text // without a comment behind it; empty where none is written
	// Broken says that the value has no form of the language. That is among
	// the problems.
	Broken bool
}

// Include is a line `@include "path"`.
type Include struct {
	Line Range
	Path Text // without quotes
	// Late says that a section or a key stands before it.
	Late bool
}

// Items cuts a piece at its commas outside of quotes, without the blanks
// around each part. Empty parts stay: the checker reports them.
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
		items = append(items, Text{Start: start, End: i}.Trim(text, blank))
		start = i + 1
	}
	return items
}
