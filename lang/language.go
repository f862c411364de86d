package lang

import (
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Language is a Spec with its type parameters hidden.
type Language struct {
	Name, Title string
	Role        Role
	Globs       []Glob
	Codes       []*diag.Code
	Layered     bool
	CommentSign string // begins a comment on a line of its own

	noMark  bool
	comment token.Kind
	// wholeLine: a comment after other text is a part of that text
	wholeLine bool
	sniff     func(string) bool
	schema    func() *schema.Schema
	names     func() map[string]bool
	search    func(*load.Env, string) ([]*source.File, diag.List)
	formats   []string
	styles    []string
	parse     func(*source.File) Tree
	bind      func(*Document, Tree) // sets the tree of a document
}

// Document is one parsed file.
type Document struct {
	Language *Language
	File     *source.File

	tree    Tree
	words   map[token.Kind]Kind
	refused *diag.Diagnostic // if not nil, why the file was not parsed
	print   func() string
	outline func() []Symbol
	resolve func(*load.Env, []*Document) *Config
}

// Config is what a document means.
type Config struct {
	Document *Document   // the uppermost layer, whose settings win
	Lower    []*Document // the layers below it: files that supply the settings it does not make

	env     *load.Env
	model   any
	files   func() []*source.File
	judge   func(*diag.Code, diag.Severity) diag.Severity
	check   func() diag.List
	partial func() bool
	values  func() iter.Seq[origin.Entry]
	parts   func() iter.Seq[Part]
	sum     func() (fingerprint.Sum, error)
	unread  func(key string) bool
	value   func(string) (origin.Entry, bool)
	edit    func(key, value string) ([]source.Edit, error)
	graph   func() *graph.Graph
	convert map[string]func(io.Writer) diag.List
	flatten func(io.Writer) diag.List

	occurrences     func() iter.Seq[Occurrence]
	onceOccurrences sync.Once
	table           []Occurrence
	describe        func(Occurrence) string
	complete        func(*source.File, int) []Completion
	hints           func(*source.File) iter.Seq[Hint]
	extract         func(*source.File, int) []source.Edit
	inline          func(*source.File, int) []source.Edit
}

// Define makes a Language from a Spec.
func Define[T Tree, M any](s Spec[T, M]) *Language {
	l := &Language{
		Name: s.Name, Title: s.Title, Role: s.Role, Globs: s.Globs, Codes: s.Codes, Layered: s.Layered, CommentSign: s.CommentSign,
		sniff: s.Sniff, search: s.Search, noMark: s.NoMark, comment: s.Comment, wholeLine: s.WholeLine,
		formats: slices.Sorted(maps.Keys(s.Convert)), styles: s.Styles,
	}
	if s.Schema != nil {
		l.schema = sync.OnceValue(s.Schema)
	}
	l.names = sync.OnceValue(func() map[string]bool { return s.names(l.schema) })
	l.parse = func(f *source.File) Tree { return s.Parse(f) }
	l.bind = func(d *Document, parsed Tree) {
		tree := parsed.(T)
		d.tree, d.words = tree, s.Words
		if s.Print != nil {
			d.print = func() string { return s.Print(tree) }
		}
		if s.Outline != nil {
			d.outline = func() []Symbol { return s.Outline(tree) }
		}
		d.resolve = func(env *load.Env, lower []*Document) *Config {
			trees := make([]T, 0, len(lower)+1)
			for _, l := range lower {
				trees = append(trees, l.tree.(T))
			}
			c := s.config(d, tree, s.Resolve(env, append(trees, tree)))
			if s.Judge != nil {
				c.judge = func(code *diag.Code, sev diag.Severity) diag.Severity { return s.Judge(env.Dialect, code, sev) }
			}
			return c
		}
	}
	return l
}

// config makes a Config from a model and the functions of the Spec that read it.
func (s *Spec[T, M]) config(d *Document, tree T, m M) *Config {
	c := &Config{Document: d, model: m, convert: map[string]func(io.Writer) diag.List{}}
	if own, ok := any(m).(interface{ of(*Config) }); ok {
		own.of(c)
	}
	if s.Check != nil {
		c.check = func() diag.List { return s.Check(m) }
	}
	if s.Partial != nil {
		c.partial = func() bool { return s.Partial(m) }
	}
	if s.Files != nil {
		c.files = func() []*source.File { return s.Files(m) }
	}
	if s.Values != nil {
		c.values = func() iter.Seq[origin.Entry] { return s.Values(m) }
	}
	if s.Fingerprint != nil {
		c.sum, c.unread = func() (fingerprint.Sum, error) { return s.Fingerprint(m) }, s.Unread
	}
	if s.Value != nil {
		c.value = func(key string) (origin.Entry, bool) { return s.Value(m, key) }
	}
	if s.Parts != nil {
		c.parts = func() iter.Seq[Part] { return s.Parts(m) }
	}
	if s.Edit != nil {
		c.edit = func(key, value string) ([]source.Edit, error) { return s.Edit(tree, m, key, value) }
	}
	if s.Graph != nil {
		c.graph = func() *graph.Graph { return s.Graph(m) }
	}
	if s.Occurrences != nil {
		c.occurrences = func() iter.Seq[Occurrence] { return s.Occurrences(m) }
	}
	if s.Describe != nil {
		c.describe = func(o Occurrence) string { return s.Describe(m, o) }
	}
	if s.Complete != nil {
		c.complete = func(f *source.File, offset int) []Completion { return s.Complete(m, f, offset) }
	}
	if s.Extract != nil {
		c.extract = func(f *source.File, offset int) []source.Edit { return s.Extract(m, f, offset) }
	}
	if s.Inline != nil {
		c.inline = func(f *source.File, offset int) []source.Edit { return s.Inline(m, f, offset) }
	}
	if s.Hints != nil {
		c.hints = func(f *source.File) iter.Seq[Hint] { return s.Hints(m, f) }
	}
	if s.Flatten != nil {
		c.flatten = func(w io.Writer) diag.List { return s.Flatten(tree, m, w) }
	}
	for name, f := range s.Convert {
		c.convert[name] = func(w io.Writer) diag.List { return f(tree, m, w) }
	}
	return c
}

// Parse reads a file. A file that is not text is not parsed: its document has one problem and means the same as an empty
// file.
func (l *Language) Parse(f *source.File) *Document {
	d := &Document{Language: l, File: f}
	if d.refused = l.refuse(f); d.refused != nil {
		f = source.NewFile(f.Path(), "")
	}
	l.bind(d, l.parse(f))
	return d
}

// Document returns the document of a tree that the language's own parser made.
func (l *Language) Document(t Tree) *Document {
	d := &Document{Language: l, File: t.File()}
	l.bind(d, t)
	return d
}

// refuse returns the only problem of a file that is not parsed, or nil.
func (l *Language) refuse(f *source.File) *diag.Diagnostic {
	if i := strings.IndexByte(f.Text(), 0); i >= 0 {
		return diag.New(NULByte, f.Span(i, i+1), "`%s` has a NUL byte at offset %d: it is not a text file", f.Path(), i).
			Helped("give a %s file; if this is one, it was damaged or is encoded in UTF-16", l.Title)
	}
	if l.noMark {
		return Marked(f)
	}
	return nil
}

// Schema returns the language's table of keys, or nil.
func (l *Language) Schema() *schema.Schema {
	if l.schema == nil {
		return nil
	}
	return l.schema()
}

// Formats returns the sorted names of the formats that Convert takes.
func (l *Language) Formats() []string { return l.formats }

// IsStyle reports whether a format of Convert is a style of the language itself, so that the result is still a file of
// the language.
func (l *Language) IsStyle(format string) bool { return slices.Contains(l.styles, format) }

// Search finds the layers, the files that are read together, for a run in dir if the user gave no path. An empty dir
// means the working directory.
func (l *Language) Search(env *load.Env, dir string) ([]*source.File, diag.List) {
	if l.search == nil {
		return nil, nil
	}
	return l.search(env, dir)
}

// Tokens returns all tokens of the text.
func (d *Document) Tokens() *token.List { return d.tree.Tokens() }

// Problems returns the mistakes of the text itself.
func (d *Document) Problems() diag.List {
	if d.refused != nil {
		return diag.List{d.refused}
	}
	return d.tree.Problems()
}

// Format returns the formatted text. It returns false if the language has no formatter or the file was not parsed.
func (d *Document) Format() (string, bool) {
	if d.print == nil || d.refused != nil {
		return d.File.Text(), false
	}
	return d.print(), true
}

// Outline returns the entries of the document's outline.
func (d *Document) Outline() []Symbol {
	if d.outline == nil {
		return nil
	}
	return d.outline()
}

// Resolve returns what the document means; lower are the layers below it. If env is nil, the environment of this process
// is used.
func (d *Document) Resolve(env *load.Env, lower ...*Document) *Config {
	if env == nil {
		env = load.NewEnv()
	}
	c := d.resolve(env, lower)
	c.env, c.Lower = env, lower
	return c
}

// Files returns each file that was read to resolve the document once: first its layers, then what they include or use.
func (c *Config) Files() []*source.File {
	var list []*source.File
	for _, d := range c.Lower {
		list = append(list, d.File)
	}
	list = append(list, c.Document.File)
	if c.files != nil {
		list = append(list, c.files()...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(f *source.File) bool {
		path := filepath.Clean(f.Path())
		twice := seen[path]
		seen[path] = true
		return twice
	})
}

// Read returns the model of a file for a Go program. If a check of the file finds an error, Read returns the findings as
// a diag.List instead.
func Read[M any](l *Language, f *source.File, env *load.Env) (M, error) {
	c := l.Parse(f).Resolve(env)
	if err := c.Diagnostics().Err(); err != nil {
		var none M
		return none, err
	}
	m, _ := Model[M](c)
	return m, nil
}

// Findings gives a model the method Diagnostics. A model embeds it, and resolving fills it in.
type Findings struct{ config *Config }

// Diagnostics returns the findings that a check of the files reports, sorted and limited.
func (f *Findings) Diagnostics() diag.List {
	if f.config == nil {
		return nil // the model is a part of another one, which has the findings
	}
	return f.config.Diagnostics()
}

func (f *Findings) of(c *Config) { f.config = c }

// Model returns the resolved model of a config. M must be the model type of the config's language.
func Model[M any](c *Config) (M, bool) {
	m, ok := c.model.(M)
	return m, ok
}

// Diagnostics returns all findings that the project wants, sorted and limited.
func (c *Config) Diagnostics() diag.List { return c.findings().Limit() }

func (c *Config) findings() diag.List { return c.Review(c.Found()) }

// Review returns the findings that the project wants, with the severities it gives them.
func (c *Config) Review(list diag.List) diag.List {
	if c.env.Review == nil {
		return list
	}
	return c.env.Review(list)
}

// Found returns all findings, sorted, before the project filters them.
func (c *Config) Found() diag.List {
	list := slices.Clone(c.Document.Problems())
	read := c.Document.refused == nil
	for _, d := range c.Lower { // resolving reported the problems of lower layers, except for texts that were not parsed
		list.Add(d.refused)
		read = read || d.refused == nil
	}
	if c.check != nil && read {
		list = append(list, c.check()...)
	}
	for i, d := range list {
		list[i] = c.Document.Language.keepNames(d)
	}
	if c.judge != nil {
		for i, d := range list {
			judged := *d // copy it, because other dialects use the finding in the tree too
			if d.Code != diag.TooMany {
				list[i] = judged.As(c.judge(d.Code, d.Severity))
			}
		}
	}
	list.Sort()
	return list
}

// Partial reports whether some rules were not applied because a text has errors or because something that the document
// needs is missing.
func (c *Config) Partial() bool {
	return c.Document.Problems().HasErrors() || c.partial != nil && c.partial()
}

// Values returns the resolved settings in order.
func (c *Config) Values() iter.Seq[origin.Entry] {
	if c.values == nil {
		return func(func(origin.Entry) bool) {}
	}
	return c.values()
}

// Parts returns what the document declares besides its settings, in order.
func (c *Config) Parts() iter.Seq[Part] {
	if c.parts == nil {
		return func(func(Part) bool) {}
	}
	return c.parts()
}

// Fingerprint returns a fingerprint of what the document means. It does not depend on comments, blanks, or the order of
// items whose order has no meaning. Settings for other programs are included as written.
func (c *Config) Fingerprint() (fingerprint.Sum, error) {
	if c.sum == nil {
		return fingerprint.Sum{}, missing(c.Document.Language, "have no fingerprint")
	}
	sum, err := c.sum()
	if err != nil || c.unread == nil {
		return sum, err
	}
	form := struct {
		Engine fingerprint.Sum
		Unread map[string][]string
	}{sum, map[string][]string{}}
	for e := range c.Values() {
		if !e.Implicit && c.unread(e.Key) {
			form.Unread[e.Key] = append(append(form.Unread[e.Key], e.Value), e.Flags...)
		}
	}
	return fingerprint.Of(form), nil
}

// Value returns the resolved setting of a key.
func (c *Config) Value(key string) (origin.Entry, bool) {
	if c.value != nil {
		return c.value(key)
	}
	for e := range c.Values() {
		if e.Key == key {
			return e, true
		}
	}
	return origin.Entry{}, false
}

// Graph returns the picture of the document. Its title is the name of the file.
func (c *Config) Graph() (*graph.Graph, error) {
	if c.graph == nil {
		return nil, missing(c.Document.Language, "have no picture")
	}
	g := c.graph()
	g.Title = filepath.Base(c.Document.File.Path())
	return g, nil
}

// Convert writes the document in a related format and returns findings about what was lost.
func (c *Config) Convert(format string, w io.Writer) (diag.List, error) {
	f, ok := c.convert[format]
	if !ok {
		return nil, &UnknownFormat{Language: c.Document.Language, Format: format}
	}
	return f(w), nil
}

// Flatten writes the document as one file without includes and macros.
func (c *Config) Flatten(w io.Writer) (diag.List, error) {
	if c.flatten == nil {
		return nil, missing(c.Document.Language, "have no includes or macros to flatten")
	}
	return c.flatten(w), nil
}
