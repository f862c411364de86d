package syntax

import (
	"iter"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Tree is a parsed trace configuration.
type Tree struct {
	token.Tree

	Sections []Section
	// Stray are the keys before the first section.
	Stray []Entry
}

// Section is a header with the keys below it, up to the next header.
//
//	[ACTION Target, Target] : Inherited, Inherited : Units, Units
type Section struct {
	Line    Range // the tokens of the header's line, without its line break
	Action  Text  // empty if none is written
	Target  Text  // the text between the action and the closing bracket
	Targets []Ref
	Inherit []Ref
	Units   []Ref
	// Colons is the number of parts after the bracket, 0 to 2.
	Colons  int
	Broken  bool // the closing bracket is missing
	Entries []Entry
}

// Ref is a name with optional parts:
//
//	Name
//	Name.Member
//	Name.Member(Set)
//	Name(Args)
//	Name(Args).Member
type Ref struct {
	Text    Text // the whole reference
	Name    Text
	Args    Text // between the parentheses after Name
	Member  Text
	Set     Text // between the parentheses after Member
	HasArgs bool
	HasSet  bool
	Odd     bool // the reference has none of the forms above
}

// Entry is a line `key = value`.
type Entry struct {
	Line  Range
	Key   Text
	Value Text // without a comment after it
}

// Text and Range are pieces of the file by bytes and by tokens.
type (
	Text  = token.Text
	Range = token.Range
)

// LineText returns the whole text of a line, comment included.
func (t *Tree) LineText(r Range) string { return t.RangeSpan(r).Text() }

// Trailing returns the comment at the end of a line that has other tokens too.
func (t *Tree) Trailing(r Range) (source.Span, bool) {
	last := int(r.End) - 1
	if last <= int(r.First) || t.Tokens().Kind(last) != Comment {
		return source.Span{}, false
	}
	return t.Tokens().Span(last), true
}

// Items yields the parts of a text between its commas, without blanks at their ends. Empty parts are left out. A comma between template arguments
// does not separate parts: `scale<int, 3>` is one name.
func (t *Tree) Items(x Text) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		text := t.File().Text()
		start, depth := x.Start, 0
		closed := x.Start + int32(strings.LastIndexByte(text[x.Start:x.End], '>')) // a `<` after this place is never closed
		for i := x.Start; i <= x.End; i++ {
			switch {
			case i >= closed:
				depth = 0
			case text[i] == '<':
				depth++
			case text[i] == '>':
				depth = max(depth-1, 0)
			}
			if i < x.End && (text[i] != ',' || depth > 0) {
				continue
			}
			if item := (Text{Start: start, End: i}).Trim(text, blank); !item.Empty() && !yield(item) {
				return
			}
			start = i + 1
		}
	}
}

// Action is the effect of a section on its target.
type Action uint8

// The actions. A header without an action has Set.
const (
	Set Action = iota
	Reset
	Remove
)

func (a Action) String() string { return [...]string{"SET", "RESET", "REMOVE"}[a] }

// ParseAction returns the action with this name, in any case. The empty name means Set.
func ParseAction(word string) (Action, bool) {
	for _, a := range []Action{Set, Reset, Remove} {
		if strings.EqualFold(word, a.String()) {
			return a, true
		}
	}
	return Set, word == ""
}
