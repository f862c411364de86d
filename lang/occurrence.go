package lang

import (
	"iter"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
)

// Occurrence is a place in a text that names something. All places that name the same
// thing have the same symbol. So the table of occurrences says where a thing is
// declared, who uses it, what a rename changes, and how each place is coloured.
type Occurrence struct {
	Span source.Span
	Kind Kind
	// Symbol identifies the thing in all files of a configuration. It is empty if the
	// place stands only for itself, as a keyword does.
	Symbol string
	Def    bool // the place declares the thing
	// Key is the setting that the place sets or reads, as in Values; may be empty.
	Key string
	// Type is the symbol of the thing's type, or empty.
	Type string
	// Owner is the symbol of the thing that contains this one, or empty.
	Owner string
	// Declared is the place in a file of another kind that declares the thing, such
	// as the Python class that declares a type and its ports.
	Declared source.Span
	// Target is the place in another file that this place leads to, such as an
	// included file.
	Target source.Span
	// Fixed means that the name belongs to the language, so it cannot be renamed.
	Fixed bool
}

// Kind is what an occurrence stands for.
type Kind string

// The kinds. Those in the first group are words and signs of a syntax; the others are
// things with names that users choose.
const (
	Keyword  Kind = "keyword"
	Comment  Kind = "comment"
	Text     Kind = "text"
	Number   Kind = "number"
	Operator Kind = "operator"

	Section  Kind = "section"
	Key      Kind = "key"
	Word     Kind = "word" // one of the values that a key takes
	Path     Kind = "path" // a file
	Macro    Kind = "macro"
	Process  Kind = "process"
	Port     Kind = "port"
	Type     Kind = "type"
	Cluster  Kind = "cluster"
	Block    Kind = "block"
	Datum    Kind = "datum"
	Member   Kind = "member"
	Plugin   Kind = "plugin"
	Event    Kind = "event"
	Domain   Kind = "domain"
	Unit     Kind = "unit"
	Region   Kind = "region"
	Feature  Kind = "feature"
	Register Kind = "register"
	Daemon   Kind = "daemon"
	Tunable  Kind = "tunable"
)

// Completion is a text that can be inserted at a place.
type Completion struct {
	Label   string
	Kind    Kind
	Detail  string // shown next to the label: a type, a default
	Doc     string // Markdown
	Insert  string // the text to insert; if empty, the label
	Snippet bool   // Insert has places to fill in: `$1`, `${2:name}`
	Later   bool   // listed after the completions that are not Later
	// Replace is the text that Insert replaces.
	Replace source.Span
}

// Hint is a fact that an editor shows inside the text.
type Hint struct {
	At   source.Span // the hint is shown after it
	Text string
	Kind HintKind
}

// HintKind is what a hint is about. Each kind can be switched off.
type HintKind string

// The kinds of hints.
const (
	ValueHint    HintKind = "value"    // the result of a macro or an expression
	InheritHint  HintKind = "inherit"  // a value inherited from another section
	OffsetHint   HintKind = "offset"   // the offset of a struct's member in memory
	CapacityHint HintKind = "capacity" // how much data an edge can hold
)

// Occurrences returns the occurrences in all files of a configuration, in the order
// of each text. An outer place comes before the places inside it. The table is made
// once.
func (c *Config) Occurrences() []Occurrence {
	c.onceOccurrences.Do(func() {
		if c.occurrences != nil {
			c.table = slices.Collect(c.occurrences())
		}
	})
	return c.table
}

// Describe returns a Markdown description of the thing at an occurrence, or nothing.
func (c *Config) Describe(o Occurrence) string {
	if c.describe == nil {
		return ""
	}
	return c.describe(o)
}

// Complete returns the completions at an offset of one of the files.
func (c *Config) Complete(f *source.File, offset int) []Completion {
	if c.complete == nil || c.Document.refused != nil {
		return nil
	}
	return c.complete(f, offset)
}

// Extract returns the edits that give a name to the value at an offset.
func (c *Config) Extract(f *source.File, offset int) []source.Edit {
	if c.extract == nil {
		return nil
	}
	return c.extract(f, offset)
}

// Inline returns the edits that replace the name at an offset by what it stands for.
func (c *Config) Inline(f *source.File, offset int) []source.Edit {
	if c.inline == nil {
		return nil
	}
	return c.inline(f, offset)
}

// Hints returns facts about a file that its text does not show.
func (c *Config) Hints(f *source.File) iter.Seq[Hint] {
	if c.hints == nil {
		return func(func(Hint) bool) {}
	}
	return c.hints(f)
}

// Words returns the tokens of a document that are coloured by their kind alone.
func (d *Document) Words() iter.Seq[Occurrence] {
	return func(yield func(Occurrence) bool) {
		if d.refused != nil {
			return
		}
		tokens := d.tree.Tokens()
		for i, t := range tokens.Tokens {
			if kind, ok := d.words[t.Kind]; ok && !yield(Occurrence{Span: tokens.Span(i), Kind: kind}) {
				return
			}
		}
	}
}
