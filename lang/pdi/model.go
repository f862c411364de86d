package pdi

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// Model is the meaning of a specification tree: the trees that it consists of, and their declarations.
type Model struct {
	lang.Findings

	// Files are the trees in the order in which the engine reads them: a tree comes after the trees it includes, so the document itself is last.
	Files []*File

	Types    []*Declaration
	Metadata []*Declaration
	Data     []*Declaration
	Plugins  []*Plugin

	dialect  data.Dialect
	options  Options
	known    plugins                // the plugins that trees can name
	exists   func(path string) bool // whether a file exists
	search   string                 // PDI_PLUGIN_PATH
	sources  *calls.Program         // the sources of the programs that read the tree; nil if unknown
	alone    bool                   // the project has only this tree
	problems diag.List

	includeError *data.Error // the first error in the includes, which ends a run
	includedFrom string      // the chain of includes to that error, in the original program's words

	types   map[string]*Declaration
	names   map[string]*Declaration // metadata and data by name
	plugins map[string]*Plugin

	overrides map[*data.Node]overridden

	// Values computed once, at first use.
	checked func() diag.List
	places  func() map[*data.Node]value
	store   func() (*data.Store, error) // a store of the tree without the values of data
}

// File is one tree: a document, or the part of a document that an include selects.
type File struct {
	Tree    *syntax.Tree
	Frame   *load.Frame
	Subtree string // the path of the part in the document; empty for the whole document

	model   *Model
	written string // the path as written in the including tree
	doc     value  // the whole document
	root    value  // the specification tree in it
}

// Declaration is a name with its type: an entry of `types`, `metadata` or `data`.
type Declaration struct {
	Section string
	Name    string

	file  *File
	key   value
	value value

	template *data.Template // set by the check
}

// Plugin is an entry of `plugins`.
type Plugin struct {
	Name   string
	key    value
	config value
}

// The sections of a tree.
const (
	typesSection    = "types"
	metadataSection = "metadata"
	dataSection     = "data"
	pluginsSection  = "plugins"
	pathSection     = "plugin_path"
	loggingSection  = "logging"
	sealSection     = "seal"
	includeSection  = "include"
)

// files returns the files of the trees.
func (m *Model) files() []*source.File {
	var list []*source.File
	for _, f := range m.Files {
		list = append(list, f.Tree.File())
	}
	return list
}

// main returns the document itself.
func (m *Model) main() *File { return m.Files[len(m.Files)-1] }

// isOverridden reports whether the text of a node comes from the command line.
func (m *Model) isOverridden(n *data.Node) bool {
	_, ok := m.overrides[n]
	return ok
}

// top returns the place for findings about something that is missing from the file.
func (f *File) top() source.Span { return f.Tree.File().Span(0, 0) }

// section returns a section by its name. If there are several, the first counts, as in the original program.
func (f *File) section(name string) value { return f.root.get(name) }

// note describes where a file is included from, or returns "".
func (f *File) note() string {
	if f.Frame == nil {
		return ""
	}
	return f.Frame.Chain()
}

// find returns the value for a node of the engine.
func (m *Model) find(n *data.Node) (value, bool) {
	v, ok := m.places()[n]
	return v, ok
}

// index maps every node to its value; few trees ever need it.
func (m *Model) index() map[*data.Node]value {
	places := map[*data.Node]value{}
	var add func(v value)
	add = func(v value) {
		if _, known := places[v.Node]; known || v.Node == nil {
			return
		}
		places[v.Node] = v
		for _, item := range v.items() {
			add(item)
		}
		for key, val := range v.pairs() {
			add(key)
			add(val)
		}
	}
	for _, f := range m.Files {
		add(f.doc)
	}
	return places
}

// KnowsProgram reports whether the sources of the programs that read the tree are known already.
func (m *Model) KnowsProgram() bool { return m.sources != nil }

// overridden is a value from the command line, and the value it replaced.
type overridden struct {
	load.Override
	was string
}

// Span returns the place of the declared name.
func (d *Declaration) Span() source.Span { return d.key.span() }

// TypeSpan returns the place of its type.
func (d *Declaration) TypeSpan() source.Span { return d.value.span() }

// Lookup finds metadata or a datum by name, or nil.
func (m *Model) Lookup(name string) *Declaration { return m.names[name] }

// Top returns the place where the tree begins.
func (m *Model) Top() source.Span { return m.main().top() }

// Span returns the place of its name.
func (p *Plugin) Span() source.Span { return p.key.span() }
