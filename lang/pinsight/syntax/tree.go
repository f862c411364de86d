package syntax

import (
	"iter"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Tree is a parsed trace configuration.
type Tree struct {
	Sections []Section
	// Stray are the keys before the first section.
	Stray []Entry

	file     *source.File
	tokens   *token.List
	problems diag.List
}

// Section is a header with the keys below it, up to the next header.
//
//	[ACTION Target, Target] : Inherited, Inherited : Units, Units
type Section struct {
	Line    Range // the tokens of the header's line, without its line break
	Action  Text  // empty where none is written
	Target  Text  // everything between the action and the bracket's end
	Targets []Ref
	Inherit []Ref
	Units   []Ref
	// Colons is how many parts follow the bracket, 0 to 2.
	Colons  int
	Broken  bool // the bracket is not closed
	Entries []Entry
}

// Ref is a name with what may follow it:
//
//	Name
//	Name.Member
//	Name.Member(Set)
//	Name(Args)
//	Name(Args).Member
type Ref struct {
	Text    Text // all of it
	Name    Text
	Args    Text // between the parentheses after Name
	Member  Text
	Set     Text // between the parentheses after Member
	HasArgs bool
	HasSet  bool
	Odd     bool // it has none of the forms above
}

// Entry is a line `key = value`.
type Entry struct {
	Line  Range
	Key   Text
	Value Text // without a comment behind it
}

// Text is a piece of the file by its bytes.
type Text struct{ Start, End int32 }

// Empty reports whether nothing is there.
func (t Text) Empty() bool { return t.Start == t.End }

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

// LineText is the whole text of a line, comment included.
func (t *Tree) LineText(r Range) string { return t.LineSpan(r).Text() }

// LineSpan is the place of a line, without its line break.
func (t *Tree) LineSpan(r Range) source.Span { return t.tokens.Between(int(r.First), int(r.End)) }

// Trailing is the comment at the end of a line that has something else too.
func (t *Tree) Trailing(r Range) (source.Span, bool) {
	last := int(r.End) - 1
	if last <= int(r.First) || t.tokens.Kind(last) != Comment {
		return source.Span{}, false
	}
	return t.tokens.Span(last), true
}

// Items are the parts of a piece between its commas, without the blanks
// around each. Empty parts are left out.
func (t *Tree) Items(x Text) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		text := t.file.Text()
		start := x.Start
		for i := x.Start; i <= x.End; i++ {
			if i < x.End && text[i] != ',' {
				continue
			}
			if item := trim(text, Text{start, i}); !item.Empty() && !yield(item) {
				return
			}
			start = i + 1
		}
	}
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
