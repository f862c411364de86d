// Package lang defines what Pentode needs to know about a configuration language.
//
// A language is a Spec: one literal with its own typed functions. Define hides the types of the Spec, so that the
// command line and every other front end use the same three types for all languages:
//
//	Language ──Parse──▶ Document ──Resolve──▶ Config
//	 names, schema,      one file: tokens,     what it means: values with
//	 codes               tree, formatting      origin, findings, pictures
//
// Parsing and resolving never fail: a file with syntax errors is a Document with problems, and other errors are
// findings of the Config. The fields of a Spec that a language does not need are nil.
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
	Title string // the name shown to users
	Role  Role   // its part of a run
	Globs []Glob
	Sniff func(text string) bool // reports whether the text looks like this language

	Schema func() *schema.Schema
	// Names returns the names that the language knows in addition to its schema: types, events, features. No fix
	// replaces one of them as if it were misspelt.
	Names func() []string
	Codes []*diag.Code

	Parse func(*source.File) T
	Print func(T) string // returns the formatted text, which differs only in blanks and line breaks
	// Resolve returns the model of the given trees. In a layered language, these are all layers, in order; in every
	// other language there is exactly one tree.
	Resolve func(*load.Env, []T) M
	// Files returns the files that were read in addition to the given trees: includes, clusters, presets.
	Files func(M) []*source.File
	// Check returns all findings except the syntax errors of the document itself: findings of resolving, of included
	// files, and of the rules.
	Check func(M) diag.List
	// Judge changes the severity of a finding for a dialect. If Judge is nil, findings keep the severity they were
	// reported with.
	Judge func(load.Dialect, *diag.Code, diag.Severity) diag.Severity

	// CommentSign is the text that begins a comment on a line of its own.
	CommentSign string
	// Words are the kinds of tokens that mean the same everywhere.
	Words map[token.Kind]Kind
	// Occurrences returns every place that names something in the files of a configuration. Go to definition,
	// references, renames and colours use it.
	Occurrences func(M) iter.Seq[Occurrence]
	// Describe returns a Markdown description of the thing that an occurrence names.
	Describe func(M, Occurrence) string
	// Complete returns the completions at an offset of a file of the configuration.
	Complete func(M, *source.File, int) []Completion
	// Extract returns the edits that give the value at an offset a name and replace the value by it, or none if that
	// is not possible.
	Extract func(M, *source.File, int) []source.Edit
	// Inline returns the edits that replace the name at an offset by what it stands for. It is needed only for names
	// that stand for more than the value of a setting.
	Inline func(M, *source.File, int) []source.Edit
	// Hints returns facts that a text does not show, in addition to its resolved values.
	Hints func(M, *source.File) iter.Seq[Hint]

	Outline func(T) []Symbol
	Values  func(M) iter.Seq[origin.Entry]
	// Value returns the entry of Values with this key, for languages that can find it faster than by searching all
	// entries. It may leave out the uses.
	Value func(M, string) (origin.Entry, bool)
	// Parts returns what the document declares besides its settings; graphs show these parts.
	Parts func(M) iter.Seq[Part]
	// Fingerprint returns the fingerprint of the value that the language passes to its engine. The error says why
	// there is no such value.
	Fingerprint func(M) (fingerprint.Sum, error)
	// Unread reports whether Pentode's engine ignores a setting, which another program may read. If Unread is nil, the
	// engine reads all settings.
	Unread func(key string) bool
	// Edit returns the edits that set key to value, at the place that decides it. If the key already has the value,
	// the edits change nothing. Config.Edit checks the result, so Edit returns an error only if the value cannot be
	// written. The error is a sentence for the user.
	Edit    func(t T, m M, key, value string) ([]source.Edit, error)
	Graph   func(M) *graph.Graph
	Convert map[string]func(T, M, io.Writer) diag.List
	Styles  []string // formats of Convert that are other styles of the same language: the result may replace the file
	Flatten func(T, M, io.Writer) diag.List

	// Layered means that several files, the layers, form one configuration. Search finds the layers for a run in a
	// folder, if the user gave no path.
	Layered bool
	Search  func(env *load.Env, dir string) ([]*source.File, diag.List)

	// Comment is the kind of comment tokens. WholeLine means that only a comment on its own line is safe: the original
	// program reads a comment after other text as part of that text.
	Comment   token.Kind
	WholeLine bool

	// Partial reports whether something that the document needs is missing, so that some rules were not applied. If
	// Partial is nil, nothing is ever missing.
	Partial func(M) bool

	// NoMark means that a file of the language must not begin with a byte order mark.
	NoMark bool
}

// Part is something that a document declares besides its settings: a process
// with its type, a connection.
type Part struct {
	Key, Value string      // what the part is about, and what the document says about it
	Text       string      // both, as a line of the language
	Span       source.Span // the place where the document declares it
	Inside     string      // if the part comes from another part and is not declared by a line of its own: the key of that other part
}

// Role is the part of a run that a language describes: TARGET, LAUNCH, FLOW,
// DATA or TRACE.
type Role string

// Glob is a pattern for file names, matched against the last element of a path.
type Glob struct {
	Pattern string
	Sniff   bool // the content must match too
}

// Symbol is an entry of a document's outline.
type Symbol struct {
	Name, Kind, Detail string
	Span               source.Span // the place of the whole thing
	Head               source.Span // the place of its name
	Children           []Symbol
}
