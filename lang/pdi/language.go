package pdi

import (
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// New returns the language.
func New(o Options) *lang.Language {
	known := o.known()
	return lang.Define(lang.Spec[*syntax.Tree, *Model]{
		Name:    "pdi",
		Title:   "PDI specification tree",
		Role:    "DATA",
		Globs:   globs(),
		Sniff:   known.sniff,
		Schema:  known.table,
		Names:   func() []string { return slices.Concat(data.TypeNames(), known.names()) },
		Codes:   codes,
		Parse:   syntax.Parse,
		Print:   syntax.Print,
		Comment: syntax.Comment,
		Resolve: func(env *load.Env, trees []*syntax.Tree) *Model {
			m := resolve(o, env, trees[0])
			m.checked = sync.OnceValue(func() diag.List { return check(m) })
			return m
		},
		Files:   func(m *Model) []*source.File { return m.files() },
		Check:   func(m *Model) diag.List { return m.checked() },
		Judge:   judge,
		Outline: outline,
		Values:  func(m *Model) iter.Seq[origin.Entry] { return m.values }, Fingerprint: (*Model).Fingerprint,
		Edit: func(t *syntax.Tree, m *Model, key, value string) ([]source.Edit, error) {
			return edit(m, key, value)
		},
		Graph: func(m *Model) *graph.Graph { return m.graph() },
		Convert: map[string]func(*syntax.Tree, *Model, io.Writer) diag.List{
			"c": toC, "fortran": toFortran, "go": toGo, "numpy": toNumpy, "hdf5": toHDF5, "json": toJSON,
		},
		Flatten: func(_ *syntax.Tree, m *Model, w io.Writer) diag.List { return m.flatten(w) },

		// For editors.
		CommentSign: "#",
		Words:       wordKinds,
		Occurrences: (*Model).occurrences,
		Describe:    (*Model).describe,
		Complete:    (*Model).complete,
		Value:       (*Model).value,
		Extract:     (*Model).extract,
		Inline:      (*Model).inline,
		Hints:       (*Model).hints,
	})
}

// globs returns the patterns for the names of files that may be trees: YAML files, and C++ sources that contain a tree.
func globs() (list []lang.Glob) {
	for _, ext := range []string{"yml", "yaml", "hpp", "h", "hh", "hxx", "cpp", "cc", "cxx"} {
		list = append(list, lang.Glob{Pattern: "*." + ext, Sniff: true})
	}
	return list
}

// Read reads a specification tree with the files it includes. If one of them has an error, Read returns all findings of a check as a diag.List.
func Read(f *source.File, env *load.Env) (*Model, error) {
	return lang.Read[*Model](New(Options{}), f, env)
}

// ReadAt reads the specification tree that begins at a node of a document, for a program that passes a part of a larger document. It also reads a
// tree with errors, since the original program continues after most of them; Diagnostics of the model returns them.
func ReadAt(tree *syntax.Tree, root *syntax.Node, env *load.Env) *Model {
	m, _ := lang.Model[*Model](New(Options{root: root.Resolved()}).Document(tree).Resolve(env))
	return m
}

// Against returns all findings of the tree, checked against the program p.
func (m *Model) Against(env *load.Env, p *calls.Program) diag.List {
	o := m.options
	o.Program = func(source.Opener) *calls.Program { return p }
	return New(o).Document(m.main().Tree).Resolve(env).Found()
}

// judge lowers the severity of text after the first document to a warning in the dialect upstream, because the original program never reads that
// text.
func judge(d load.Dialect, code *diag.Code, s diag.Severity) diag.Severity {
	if d == load.Upstream && code == syntax.TextAfterDocument {
		return diag.Warning
	}
	return s
}

func outline(t *syntax.Tree) []lang.Symbol {
	root := t.Root.Resolved()
	if e, ok := root.Find("pdi"); ok && e.Value.Resolved().Kind == syntax.Mapping {
		root = e.Value.Resolved()
	}
	return symbols(t, root, 0)
}

// symbols lists the sections and the names in them, for an outline.
func symbols(t *syntax.Tree, n *syntax.Node, depth int) []lang.Symbol {
	if n.Kind != syntax.Mapping || depth > 1 {
		return nil
	}
	var list []lang.Symbol
	for _, e := range n.Entries {
		key := e.Key.Resolved()
		if key.Kind != syntax.Scalar {
			continue
		}
		s := lang.Symbol{Name: key.Value, Kind: [...]string{"section", "name"}[depth], Span: t.EntrySpan(e), Head: t.NodeSpan(e.Key)}
		if v := e.Value.Resolved(); v.Kind == syntax.Scalar {
			s.Detail = problem.Clip(v.Value, problem.Short)
		} else if typ, ok := v.Find("type"); ok {
			s.Detail = problem.Clip(typ.Value.Resolved().Value, problem.Short)
		}
		if e.Value.Kind != syntax.Alias {
			s.Children = symbols(t, e.Value, depth+1)
		}
		list = append(list, s)
	}
	return list
}

// sniff reports whether a text is a tree. Many programs read YAML files with words such as `data`, `plugins` and `types`. So a section counts only if
// it has values that hardly any other program would use.
func (l plugins) sniff(text string) bool {
	if start, end, ok := syntax.Embedded(text); ok {
		text = text[start:end]
	}
	if !slices.ContainsFunc([]string{dataSection, typesSection, pluginsSection, treeKey}, func(word string) bool { return strings.Contains(text, word) }) {
		return false // skips parsing if no section can occur; `data` also covers `metadata`
	}
	root := syntax.Parse(source.NewFile("", text)).Root.Resolved()
	if root.Kind != syntax.Mapping {
		return false
	}
	if e, ok := root.Find(treeKey); ok && e.Value.Resolved().Kind == syntax.Mapping {
		root = e.Value.Resolved() // the keys next to it belong to the program and may be anything
	} else if slices.ContainsFunc(root.Entries, isForeign) {
		return false
	}
	return has(root, metadataSection, l.declares) || has(root, dataSection, l.declares) || has(root, typesSection, l.declares) || has(root, typesSection, l.defines) ||
		has(root, pluginsSection, func(e syntax.Entry) bool { return l.find(name(e.Key)) != nil })
}

// isForeign reports whether a top-level key is typical of the files of another program.
func isForeign(e syntax.Entry) bool {
	switch name(e.Key) {
	case "apiVersion", "kind", "services", "version", "jobs", "stages", "image", "script", "steps", "openapi", "swagger", "$schema":
		return true
	}
	return false
}

// has reports whether a section has an entry that satisfies right. A section is a mapping, or a list of mappings.
func has(root *syntax.Node, section string, right func(syntax.Entry) bool) bool {
	e, ok := root.Find(section)
	if !ok || e.Value == nil {
		return false
	}
	n := e.Value.Resolved()
	if slices.ContainsFunc(n.Entries, right) {
		return true
	}
	return n.Kind == syntax.Sequence && slices.ContainsFunc(n.Entries, func(item syntax.Entry) bool {
		return item.Value != nil && slices.ContainsFunc(item.Value.Resolved().Entries, right)
	})
}

// declares reports whether an entry gives a name a type.
func (l plugins) declares(e syntax.Entry) bool {
	key := name(e.Key)
	return key != "" && key != "type" && e.Value != nil && l.isType(e.Value.Resolved())
}

// defines reports whether an item of a list declares a named type.
func (l plugins) defines(e syntax.Entry) bool {
	return e.Key == nil && e.Value != nil && e.Value.Resolved().Kind == syntax.Mapping && l.isType(e.Value.Resolved())
}

// isType reports whether a value describes a type: it is the name of a type, or a mapping with the name of a type. In a mapping, a misspelt name
// counts too, since it can hardly be anything else.
func (l plugins) isType(n *syntax.Node) bool {
	if n.Kind == syntax.Scalar {
		return l.isTypeName(n.Value)
	}
	e, ok := n.Find("type")
	if n.Kind != syntax.Mapping || !ok || e.Value == nil {
		return false
	}
	typ := e.Value.Resolved()
	if typ.Kind != syntax.Scalar {
		return l.isType(typ)
	}
	_, near := problem.Nearest(typ.Value, data.TypeNames())
	return near || l.isTypeName(typ.Value)
}

// isTypeName reports whether a word is a type of the language or of a plugin.
func (l plugins) isTypeName(word string) bool {
	return isBuiltin(word) || l.typeOwner(word) != nil
}

// name returns the text of a key, or "".
func name(key *syntax.Node) string {
	if key == nil || key.Resolved().Kind != syntax.Scalar {
		return ""
	}
	return key.Resolved().Value
}
