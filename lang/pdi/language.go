package pdi

import (
	"io"
	"iter"
	"slices"
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
	return lang.Define(lang.Spec[*syntax.Tree, *Model]{
		Name:    "pdi",
		Title:   "PDI specification tree",
		Role:    "DATA",
		Globs:   globs(),
		Sniff:   sniff,
		Schema:  table,
		Names:   func() []string { return slices.Concat(data.TypeNames(), pluginNames()) },
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

// globs are the names of files that may be trees: YAML, and sources of C++ that hold one.
func globs() (list []lang.Glob) {
	for _, ext := range []string{"yml", "yaml", "hpp", "h", "hh", "hxx", "cpp", "cc", "cxx"} {
		list = append(list, lang.Glob{Pattern: "*." + ext, Sniff: true})
	}
	return list
}

// Read reads a specification tree with the files it includes. Where one of them has an
// error, the error is a diag.List of everything that check finds.
func Read(f *source.File, env *load.Env) (*Model, error) {
	return lang.Read[*Model](New(Options{}), f, env)
}

// ReadAt reads the specification tree that begins at a node of a document, as a program means
// it that hands over a part of a larger tree. It reads a tree with errors too, since the original
// program goes on with most of them; they are in the Diagnostics of the model.
func ReadAt(tree *syntax.Tree, root *syntax.Node, env *load.Env) *Model {
	m, _ := lang.Model[*Model](New(Options{root: root.Resolved()}).Document(tree).Resolve(env))
	return m
}

// Against are all findings of the tree where its program is known by its sources.
func (m *Model) Against(env *load.Env, p *calls.Program) diag.List {
	o := m.options
	o.Program = func(source.Opener) *calls.Program { return p }
	return New(o).Document(m.main().Tree).Resolve(env).Found()
}

// judge makes a warning of what the original program never sees: it stops reading where the first document ends.
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

// symbols lists sections, and the names in them.
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
