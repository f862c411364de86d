package syntax

import "github.com/pentode-dev/pentode/core/token"

// Text and Range refer to a piece of the file.
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
	// Partial means that an `@include` does not say which file.
	Partial bool
}

// Section is a header with the keys below it, up to the next header.
type Section struct {
	Line    Range // the tokens of the header's line, without its line break
	Name    Text
	Entries []Entry
	// Lost holds the first words of lines without a valid form. It is unknown
	// which keys such lines were meant to set, so no key of the section is
	// reported as missing.
	Lost []Text
}

// Entry is a line `key = value`.
type Entry struct {
	Line  Range
	Key   Text
	Value Text // without the comment after it; empty if there is no value
	// Broken means that the value has no valid form. This is reported as a
	// problem.
	Broken bool
}

// Include is a line `@include "path"`.
type Include struct {
	Line Range
	Path Text // without quotes
	// Late means that a section or a key precedes the include.
	Late bool
}

// Items cuts a text at its commas outside of quotes, and drops the blanks
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
