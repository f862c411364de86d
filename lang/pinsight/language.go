package pinsight

import (
	"io"
	"iter"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
)

// New returns the language.
func New(o Options) *lang.Language {
	return lang.Define(lang.Spec[*syntax.Tree, *Model]{
		Name:  "pinsight",
		Title: "PInsight trace configuration", NoMark: true,
		Role: "TRACE",
		Globs: []lang.Glob{
			{Pattern: "*.pinsight"}, {Pattern: "*trace_config*.txt"}, {Pattern: "*.install", Sniff: true},
		},
		Sniff:   sniff,
		Schema:  func() *schema.Schema { return schemaOf(o.catalog()) },
		Names:   func() []string { return o.catalog().names() },
		Codes:   codes,
		Parse:   syntax.Parse,
		Print:   syntax.Print,
		Comment: syntax.Comment, WholeLine: true,
		Resolve: func(env *load.Env, trees []*syntax.Tree) *Model { return resolve(o, env, trees[0]) },
		Check:   check,
		Judge:   judge,
		Outline: outline,
		Values:  func(m *Model) iter.Seq[origin.Entry] { return m.values }, Fingerprint: (*Model).Fingerprint, Unread: unread,
		Edit:    edit,
		Graph:   func(m *Model) *graph.Graph { return m.graph() },
		Convert: map[string]func(*syntax.Tree, *Model, io.Writer) diag.List{"json": convertJSON},

		// For editors.
		CommentSign: "#",
		Words:       wordKinds,
		Occurrences: (*Model).occurrences,
		Describe:    (*Model).describe,
		Complete:    (*Model).complete,
		Value:       (*Model).value,
		Hints:       (*Model).hints,
	})
}

// Read reads and resolves a file with the built-in catalogue. If the file has errors, Read returns all findings of a check as a diag.List.
func Read(f *source.File, env *load.Env) (*Model, error) {
	return lang.Read[*Model](New(Options{}), f, env)
}

// sniff looks for a header that only this language has.
func sniff(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] != '[' {
			return false
		}
		for _, word := range []string{"SET ", "RESET ", "REMOVE "} {
			line = strings.Replace(line, "["+word, "[", 1)
		}
		if strings.HasPrefix(line, "[Lexgion") {
			return true
		}
		head, _, _ := strings.Cut(line[1:], "]")
		domain, rest, dotted := strings.Cut(head, ".")
		domain, _, _ = strings.Cut(domain, "(")
		_, known := Builtin().Domain(domain)
		return dotted && (known || strings.HasPrefix(rest, "default"))
	}
	return false
}

func outline(t *syntax.Tree) []lang.Symbol {
	var list []lang.Symbol
	for i := range t.Sections {
		s := &t.Sections[i]
		sym := lang.Symbol{
			Name: t.Of(s.Target), Kind: "section", Detail: t.Of(s.Action),
			Span: t.RangeSpan(s.Line), Head: t.Span(s.Target),
		}
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
