package sprokit

import (
	"io"
	"iter"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// New returns the language.
func New(o Options) *lang.Language {
	full := newOptions(o)
	return lang.Define(lang.Spec[*syntax.Tree, *Model]{
		Name: "sprokit", Title: "sprokit", Role: "FLOW", NoMark: true,
		Globs: []lang.Glob{
			{Pattern: "*.pipe"}, {Pattern: "*.cluster"}, {Pattern: "*.pipe.in"},
			{Pattern: "*.conf", Sniff: true}, {Pattern: "*.config", Sniff: true},
		},
		Sniff:   sniff,
		Schema:  func() *schema.Schema { return table(full.registry) },
		Names:   func() []string { return names(full.registry) },
		Codes:   codes,
		Parse:   syntax.Parse,
		Print:   syntax.Print,
		Comment: syntax.Comment,
		Partial: func(m *Model) bool { return m.partial },
		Resolve: func(env *load.Env, trees []*syntax.Tree) *Model { return full.resolve(env, trees[len(trees)-1]) },
		Files:   func(m *Model) []*source.File { return m.files() },
		Check:   check,
		Judge:   judge,
		Outline: outline,
		Values:  func(m *Model) iter.Seq[origin.Entry] { return m.values }, Fingerprint: (*Model).Fingerprint, Unread: unread,
		Parts: func(m *Model) iter.Seq[lang.Part] { return m.parts },
		Edit: func(_ *syntax.Tree, m *Model, key, value string) ([]source.Edit, error) {
			return m.edit(key, value)
		},
		Graph: func(m *Model) *graph.Graph { return m.graph() },
		Convert: map[string]func(*syntax.Tree, *Model, io.Writer) diag.List{
			"json": toJSON, "new-style": toNewStyle,
		},
		Styles:  []string{"new-style"},
		Flatten: flatten,

		// For editors.
		CommentSign: "#",
		Words:       wordKinds,
		Occurrences: (*Model).occurrences,
		Describe:    (*Model).describe,
		Complete:    (*Model).complete,
		Value:       (*Model).value,
		Hints:       (*Model).hints,
		Extract:     (*Model).extract,
	})
}

// judge lowers a statement that an include splits to an info in the dialect that accepts it.
func judge(d load.Dialect, code *diag.Code, s diag.Severity) diag.Severity {
	if d == load.Upstream && code == syntax.SplitStatement {
		return diag.Info
	}
	return s
}

// Read resolves a pipeline or a cluster for a Go program, with the process types of this program; Model.Pipeline then returns a value that can
// run. If the files have errors or use an unknown type, Read returns all findings as a diag.List.
func Read(f *source.File, env *load.Env) (*Model, error) { return Options{}.Read(f, env) }

// Read is like the function Read, with the process types and folders in o.
func (o Options) Read(f *source.File, env *load.Env) (*Model, error) {
	c := New(o).Parse(f).Resolve(env)
	if found, _ := Findings(c); found.HasErrors() {
		return nil, found
	}
	m, _ := lang.Model[*Model](c)
	return m, nil
}

// sniff reports whether a text is a pipeline or a piece of one: it has statements that other configuration files do not have, and hardly any
// errors.
func sniff(text string) bool {
	tree := syntax.Parse(source.NewFile("", text))
	own := 0
	for i := range tree.Stmts {
		s := &tree.Stmts[i]
		switch s.Kind {
		case syntax.ProcessStmt, syntax.ConfigStmt, syntax.ConnectStmt, syntax.ClusterStmt, syntax.BlockStmt:
			if !s.Has(syntax.Incomplete) {
				own++
			}
		case syntax.EntryStmt:
			if s.Flags&(syntax.OldStyle|syntax.Local|syntax.Relative) != 0 && !s.Has(syntax.Incomplete) {
				own++
			}
		}
	}
	return own > 0 && 10*len(tree.Problems()) <= len(tree.Stmts)
}

// outline lists processes and sections with their entries.
func outline(t *syntax.Tree) []lang.Symbol {
	var list []lang.Symbol
	for i := range t.Stmts {
		s := &t.Stmts[i]
		sym := lang.Symbol{Name: t.Name(s), Span: t.StmtSpan(s), Head: t.Span(s.Name)}
		switch s.Kind {
		case syntax.ProcessStmt:
			sym.Kind, sym.Detail = "process", t.Of(s.Value)
		case syntax.ConfigStmt:
			sym.Kind = "config"
		case syntax.ClusterStmt:
			sym.Kind = "cluster"
		case syntax.EntryStmt:
			sym.Kind, sym.Detail = "entry", t.Of(s.Value)
			if n := len(list); n > 0 {
				list[n-1].Children = append(list[n-1].Children, sym)
				list[n-1].Span = list[n-1].Span.To(sym.Span)
				continue
			}
		default:
			continue
		}
		list = append(list, sym)
	}
	return list
}

// names returns the names of all types, with their ports and keys.
func names(r *pipe.Registry) []string {
	var list []string
	for t := range r.All() {
		list = append(list, t.Name)
		list = append(list, pipe.PortNames(t.In)...)
		list = append(list, pipe.PortNames(t.Out)...)
		for _, k := range t.Keys {
			list = append(list, k.Name)
		}
	}
	return list
}
