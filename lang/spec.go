// Package lang defines what a configuration language is to Pentode.
//
// A language is a Spec: one literal with its own typed functions. Define erases the types once, so that the command
// line and every other front end uses the same three types for all languages:
//
//	Language ──Parse──▶ Document ──Resolve──▶ Config
//	 names, schema,      one file: tokens,     what it means: values with
//	 codes               tree, formatting      origin, findings, pictures
//
// Parsing and resolving never fail: a broken text is a document with problems, and a broken meaning is a config with
// problems. The fields of a Spec that a language does not need are nil.
package lang

import (
	"io"
	"iter"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Tree is a parsed text. Broken pieces are nodes that keep their tokens; Problems describes what is wrong with them.
type Tree interface {
	File() *source.File
	Tokens() *token.List
	Problems() diag.List
}

// Spec describes a language with tree type T and model type M.
type Spec[T Tree, M any] struct {
	Name  string // as in --lang and in diagnostic codes
	Title string // as written for people
	Role  Role   // its part of a run
	Globs []Glob
	Sniff func(text string) bool // reports whether the text looks like this language

	Schema func() *schema.Schema
	// Names returns the names that the language knows besides the names in its schema: types, events, features. No fix
	// takes one of them for a misspelling.
	Names func() []string
	Codes []*diag.Code

	Parse func(*source.File) T
	Print func(T) string // returns the formatted text, which differs only in blanks and line breaks
	// Resolve returns the meaning. A layered language gets its layers in order, every other language exactly one tree.
	Resolve func(*load.Env, []T) M
	// Files returns the files that resolving read besides the given trees: includes, clusters, presets.
	Files func(M) []*source.File
	// Check returns all findings except the syntax errors of the document itself: findings of resolving, of included
	// files, and of the rules.
	Check func(M) diag.List
	// Judge returns the severity of a finding in a dialect. If Judge is nil, findings keep the severity they were
	// reported with.
	Judge func(load.Dialect, *diag.Code, diag.Severity) diag.Severity

	// CommentSign begins a comment on a line of its own.
	CommentSign string
	// Words are the kinds of tokens that have the same meaning at every place.
	Words map[token.Kind]Kind
	// Occurrences returns the table of the names in the files of a configuration: definitions, references, renames and
	// colours come from it.
	Occurrences func(M) iter.Seq[Occurrence]
	// Describe describes in Markdown what an occurrence stands for.
	Describe func(M, Occurrence) string
	// Complete returns the completions at an offset of a file of the configuration.
	Complete func(M, *source.File, int) []Completion
	// Extract returns the edits that give the value at an offset a name and put the name in its place, or none if that
	// is not possible.
	Extract func(M, *source.File, int) []source.Edit
	// Inline returns the edits that replace the name at an offset by what it stands for, if that is more than the
	// value of a setting.
	Inline func(M, *source.File, int) []source.Edit
	// Hints returns the facts that a text does not show, besides its resolved values.
	Hints func(M, *source.File) iter.Seq[Hint]

	Outline func(T) []Symbol
	Values  func(M) iter.Seq[origin.Entry]
	// Value returns the entry of Values with this key, for languages that have a faster way than looking through all.
	// It may omit the uses.
	Value func(M, string) (origin.Entry, bool)
	// Parts returns what the document declares besides its settings; a picture shows them.
	Parts func(M) iter.Seq[Part]
	// Fingerprint returns the fingerprint of what the language hands to its engine. The error says why there is
	// nothing to run.
	Fingerprint func(M) (fingerprint.Sum, error)
	// Unread reports whether our engine ignores a setting that another program may read. If Unread is nil, the engine
	// reads all.
	Unread func(key string) bool
	// Edit returns the edits that give key the value, at the place that decides it. If the key has the value already,
	// they change nothing. Config.Edit checks the result, so Edit returns an error only if the value cannot be
	// written. The error is a sentence for the user.
	Edit    func(t T, m M, key, value string) ([]source.Edit, error)
	Graph   func(M) *graph.Graph
	Convert map[string]func(T, M, io.Writer) diag.List
	Styles  []string // the formats of Convert that are styles of the language itself: the result may replace the file
	Flatten func(T, M, io.Writer) diag.List

	// Layered means that several paths are the layers of one configuration. Search finds the layers for a run in a
	// folder, if the user gave no path.
	Layered bool
	Search  func(env *load.Env, dir string) ([]*source.File, diag.List)

	// Comment is the kind of tokens that are comments. WholeLine means that the original program takes a comment after
	// other text for a part of that text.
	Comment   token.Kind
	WholeLine bool

	// Partial reports whether something that the document needs is missing, so that some rules were not applied. If
	// Partial is nil, this never happens.
	Partial func(M) bool

	// NoMark means that a text of the language must not begin with a byte order mark.
	NoMark bool
}

// Part is something that a document declares besides its settings: a process
// with its type, a connection.
type Part struct {
	Key, Value string      // what the part is about, and what the document says about it
	Text       string      // both, as a line of the language
	Span       source.Span // where the document says it
	Inside     string      // if the part comes from another part and no line declares it: the key of that part
}

// Role is the part of a run that a language describes: TARGET, LAUNCH, FLOW,
// DATA or TRACE.
type Role string

// Glob is a pattern for file names, matched against the last element of a path.
type Glob struct {
	Pattern string
	Sniff   bool // only if the content agrees
}

// Symbol is an entry of a document's outline.
type Symbol struct {
	Name, Kind, Detail string
	Span               source.Span // the whole thing
	Head               source.Span // its name
	Children           []Symbol
}
