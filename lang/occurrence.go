package lang

import (
	"iter"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
)

// Occurrence is a place of a text that stands for something. All places of one
// thing have the same symbol, so this one table answers where a thing is
// declared, who uses it, what a new name changes, and how it is coloured.
type Occurrence struct {
	Span source.Span
	Kind Kind
	// Symbol is the thing, the same in all files of a configuration; empty
	// where the place stands only for itself.
	Symbol string
	Def    bool // the place declares the thing
	// Key is the setting that the place sets or reads, as in Values, or empty.
	Key string
	// Type is the symbol of the thing's type, or empty.
	Type string
	// Owner is the symbol of the thing that this one is a part of, or empty.
	Owner string
	// Declared is the place in a file of another kind that declares the thing,
	// as a Python class declares a type and its ports.
	Declared source.Span
	// Target is a place in another file that this one leads to: what is included.
	Target source.Span
	// Fixed says that the name is the language's own, so it cannot change.
	Fixed bool
}

// Kind is what an occurrence stands for.
type Kind string

// The kinds. Those of the first group are words and signs of a syntax; the
// others are things that people name.
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

// Completion is something that may be written at a place.
type Completion struct {
	Label   string
	Kind    Kind
	Detail  string // beside the label: a type, a default
	Doc     string // Markdown
	Insert  string // what is written; empty is the label
	Snippet bool   // Insert has places to fill in: `$1`, `${2:name}`
	Later   bool   // it is listed below those that are not
	// Replace is what Insert takes the place of.
	Replace source.Span
}

// Hint is a fact that an editor shows inside the text.
type Hint struct {
	At   source.Span // the hint stands behind it
	Text string
	Kind HintKind
}

// HintKind is what a hint is about; each kind can be switched off.
type HintKind string

// The kinds of hints.
const (
	ValueHint    HintKind = "value"    // what a macro or an expression becomes
	InheritHint  HintKind = "inherit"  // what another section gives
	OffsetHint   HintKind = "offset"   // where a member lies in memory
	CapacityHint HintKind = "capacity" // how much an edge holds
)

// Occurrences is the table of a configuration: all its files, in the order of
// each text, what is larger before what is inside it. It is made once.
func (c *Config) Occurrences() []Occurrence {
	c.onceOccurrences.Do(func() {
		if c.occurrences != nil {
			c.table = slices.Collect(c.occurrences())
		}
	})
	return c.table
}

// Describe says in Markdown what the thing at an occurrence is, or nothing.
func (c *Config) Describe(o Occurrence) string {
	if c.describe == nil {
		return ""
	}
	return c.describe(o)
}

// Complete lists what may be written at an offset of one of the files.
func (c *Config) Complete(f *source.File, offset int) []Completion {
	if c.complete == nil || c.Document.refused != nil {
		return nil
	}
	return c.complete(f, offset)
}

// Extract are the edits that give the value at an offset a name.
func (c *Config) Extract(f *source.File, offset int) []source.Edit {
	if c.extract == nil {
		return nil
	}
	return c.extract(f, offset)
}

// Inline are the edits that write what the name at an offset stands for in its place.
func (c *Config) Inline(f *source.File, offset int) []source.Edit {
	if c.inline == nil {
		return nil
	}
	return c.inline(f, offset)
}

// Hints are the facts about a file that its text does not have.
func (c *Config) Hints(f *source.File) iter.Seq[Hint] {
	if c.hints == nil {
		return func(func(Hint) bool) {}
	}
	return c.hints(f)
}

// Words are the tokens of a document that are coloured by their kind alone.
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
