// Package lang is what a configuration language is to Pentode.
//
// A language is one literal of its own typed functions, a Spec. Define
// erases its types once, so that the command line and every other front sees the same
// three things for all of them:
//
//	Language ──Parse──▶ Document ──Resolve──▶ Config
//	 names, schema,      one file: tokens,     what it means: values with
//	 codes               tree, formatting      origin, findings, pictures
//
// Nothing here fails: a broken text is a document with problems, a broken
// meaning is a config with problems. What a language does not have is nil.
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

// Tree is a parsed text. Broken pieces are in it as nodes that hold their
// tokens; what is wrong with them is in Problems.
type Tree interface {
	File() *source.File
	Tokens() *token.List
	Problems() diag.List
}

// Spec describes a language with tree type T and model type M.
type Spec[T Tree, M any] struct {
	Name  string // as in --lang and in diagnostic codes
	Title string // as people call it
	Role  Role   // its part of a run
	Globs []Glob
	Sniff func(text string) bool // does the text look like this language

	Schema func() *schema.Schema
	// Names are the names that the language knows besides those of its schema:
	// types, events, features. No fix takes one of them for a misspelling.
	Names func() []string
	Codes []*diag.Code

	Parse func(*source.File) T
	Print func(T) string // the formatted text: other blanks, nothing else
	// Resolve gives the meaning. A layered language gets its layers in order,
	// every other exactly one tree.
	Resolve func(*load.Env, []T) M
	// Files are the files that resolving read besides the trees it was given:
	// includes, clusters, presets.
	Files func(M) []*source.File
	// Check returns everything that is wrong besides the document's own syntax:
	// what resolving found, included files, and the rules.
	Check func(M) diag.List
	// Judge gives a finding the severity that it has in a dialect; nil leaves
	// every finding as it was reported.
	Judge func(load.Dialect, *diag.Code, diag.Severity) diag.Severity

	// CommentSign begins a comment on a line of its own.
	CommentSign string
	// Words are the kinds of tokens that mean the same wherever they stand.
	Words map[token.Kind]Kind
	// Occurrences is the table of what the files of a configuration name:
	// definition, references, rename and colours come from it.
	Occurrences func(M) iter.Seq[Occurrence]
	// Describe says in Markdown what an occurrence stands for.
	Describe func(M, Occurrence) string
	// Complete lists what may be written at an offset of a file of the configuration.
	Complete func(M, *source.File, int) []Completion
	// Extract are the edits that give the value at an offset a name, which takes
	// its place; none where nothing can be named.
	Extract func(M, *source.File, int) []source.Edit
	// Inline are the edits that write what the name at an offset stands for in
	// its place, where that is more than the value of a setting.
	Inline func(M, *source.File, int) []source.Edit
	// Hints are the facts that a text does not show, besides its resolved values.
	Hints func(M, *source.File) iter.Seq[Hint]

	Outline func(T) []Symbol
	Values  func(M) iter.Seq[origin.Entry]
	// Value is one of Values by its key, for languages that find it faster
	// than by looking through all. It may leave its uses out.
	Value func(M, string) (origin.Entry, bool)
	// Parts is what the document means besides its settings: what a picture shows.
	Parts func(M) iter.Seq[Part]
	// Fingerprint is that of what the language hands to its engine. The error says why there is nothing to run.
	Fingerprint func(M) (fingerprint.Sum, error)
	// Unread reports whether a setting is one that no engine of ours gets, and another program may read; nil: none is.
	Unread func(key string) bool
	// Edit gives the edits that make key have the value, at the step that decides it;
	// where it has the value they change nothing. Config.Edit judges the result,
	// so an error is only about what cannot be written. It is a sentence for the user.
	Edit    func(t T, m M, key, value string) ([]source.Edit, error)
	Graph   func(M) *graph.Graph
	Convert map[string]func(T, M, io.Writer) diag.List
	Styles  []string // the formats of Convert that are of the language itself: the result may replace the file
	Flatten func(T, M, io.Writer) diag.List

	// Layered says that several paths are the layers of one configuration;
	// Search finds them for a run in a folder, where no path is given.
	Layered bool
	Search  func(env *load.Env, dir string) ([]*source.File, diag.List)

	// Comment is the kind of the tokens that are comments. WholeLine says that
	// one behind other text is a part of that text for the original program.
	Comment   token.Kind
	WholeLine bool

	// Partial reports whether something that the document needs was not there, so
	// that not every rule was applied; nil: never.
	Partial func(M) bool

	// NoMark says that a text of the language does not begin with a byte order mark.
	NoMark bool
}

// Part is something that a document declares besides its settings: a process
// with its type, a connection.
type Part struct {
	Key, Value string      // what it is about, and what the document says of it
	Text       string      // both, as a line of the language
	Span       source.Span // where the document says it
	Inside     string      // the key of the part that brings it, where no line of the document does
}

// Role is the part of a run that a language describes: TARGET, LAUNCH, FLOW,
// DATA or TRACE.
type Role string

// Glob is a pattern of file names, matched against the last part of a path.
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
