package coil

import (
	"iter"
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/lang/coil/syntax"
	"github.com/pentode-dev/pentode/run/target/table"
)

// New returns the language.
func New(o Options) *lang.Language {
	return lang.Define(lang.Spec[*syntax.Tree, *Model]{
		Name:    "coil",
		Title:   "COIL configuration",
		Role:    "TARGET",
		Globs:   []lang.Glob{{Pattern: "*.coilcfg"}},
		Sniff:   sniff,
		Schema:  keyTable,
		Names:   func() []string { return names(o.tables()) },
		Codes:   codes,
		Parse:   syntax.Parse,
		Print:   func(t *syntax.Tree) string { return syntax.Print(t, isListKey) },
		Comment: syntax.Comment,
		Resolve: func(env *load.Env, trees []*syntax.Tree) *Model { return resolve(o, env, trees[0]) },
		Files:   func(m *Model) []*source.File { return m.root.files() },
		Check:   check,
		Outline: outline,
		Values:  func(m *Model) iter.Seq[origin.Entry] { return m.values }, Fingerprint: (*Model).Fingerprint, Unread: unread,
		Edit:    edit,
		Graph:   func(m *Model) *graph.Graph { return m.graph() },
		Convert: conversions(),
		Flatten: flatten,

		// Functions for editors.
		CommentSign: "#",
		Words:       wordKinds,
		Occurrences: (*Model).occurrences,
		Describe:    (*Model).describe,
		Complete:    (*Model).complete,
	})
}

// Read returns the model of a file and everything it includes. A Go program can
// make a target from it. If a check finds errors, Read returns all findings as a
// diag.List instead.
func Read(f *source.File, env *load.Env) (*Model, error) {
	return lang.Read[*Model](New(Options{}), f, env)
}

// sniff looks for an include, or for a section that only this language has.
func sniff(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if strings.HasPrefix(line, "@include ") {
			return strings.Contains(line, ".coilcfg")
		}
		if line[0] != '[' {
			return false
		}
		name, _, closed := strings.Cut(line[1:], "]")
		switch strings.TrimSpace(name) {
		case targetSection, optimizeSect, memorySection:
			return closed
		}
		return false
	}
	return false
}

func outline(t *syntax.Tree) []lang.Symbol {
	var list []lang.Symbol
	for _, inc := range t.Includes {
		list = append(list, lang.Symbol{Name: t.Of(inc.Path), Kind: "include", Span: t.RangeSpan(inc.Line), Head: t.Span(inc.Path)})
	}
	for i := range t.Sections {
		s := &t.Sections[i]
		sym := lang.Symbol{Name: t.Of(s.Name), Kind: "section", Span: t.RangeSpan(s.Line), Head: t.Span(s.Name)}
		for _, e := range s.Entries {
			sym.Children = append(sym.Children, lang.Symbol{
				Name: t.Of(e.Key), Kind: "key", Detail: t.Of(e.Value), Span: t.RangeSpan(e.Line), Head: t.Span(e.Key),
			})
			sym.Span = sym.Span.To(t.RangeSpan(e.Line))
		}
		list = append(list, sym)
	}
	return list
}

// names returns the names of all processors, architectures, features, ABIs and
// presets.
func names(t *table.Tables) []string {
	list := append(t.PUs(), preset.Names()...)
	for _, a := range t.Archs {
		list = append(list, a.Name)
		for _, alias := range a.Aliases {
			list = append(list, alias.Name)
		}
		for i := range a.ISAs {
			isa := &a.ISAs[i]
			for _, f := range isa.Features {
				list = append(append(list, f.Key, f.Name), f.Aliases...)
			}
			for _, p := range isa.Processors {
				list = append(list, p.Name)
			}
		}
	}
	for i := range t.ABIs {
		list = append(list, t.ABIs[i].Name)
	}
	return list
}
