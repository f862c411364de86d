package paradyn

import (
	"io"
	"iter"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
)

// New returns the language.
func New(o Options) *lang.Language {
	return lang.Define(lang.Spec[*syntax.Tree, *Model]{
		Name:    "paradyn",
		Title:   "Paradyn",
		Role:    "LAUNCH",
		Globs:   []lang.Glob{{Pattern: "*.psdl"}, {Pattern: "*[pP]aradyn.rc"}, {Pattern: "*[pP]aradynrc"}},
		Sniff:   sniff,
		Schema:  table,
		Codes:   codes,
		Parse:   syntax.Parse,
		Print:   syntax.Print,
		Comment: syntax.Comment,
		Resolve: func(env *load.Env, trees []*syntax.Tree) *Model { return resolve(o, env, trees) },
		Check:   check,
		Outline: outline,
		Values:  func(m *Model) iter.Seq[origin.Entry] { return m.values }, Fingerprint: (*Model).Fingerprint, Unread: unread,
		Edit:  edit,
		Graph: (*Model).graph,
		Convert: map[string]func(*syntax.Tree, *Model, io.Writer) diag.List{
			"process-compose": convert("process-compose"), "systemd": convert("systemd"), "slurm": convert("slurm"),
			"json": toJSON, "pcl": toPCL, "psdl": toPSDL,
		},
		Styles:  []string{"pcl", "psdl"},
		Layered: true,
		Search:  func(env *load.Env, dir string) ([]*source.File, diag.List) { return search(o, env, dir) },

		// Functions for editors.
		CommentSign: "//",
		Words:       wordKinds,
		Occurrences: (*Model).occurrences,
		Describe:    (*Model).describe,
		Complete:    (*Model).complete,
	})
}

// Read reads one file as PSDL. If the file has errors, some definitions would be
// missing, so Read returns all findings of a check as a diag.List.
func Read(f *source.File, env *load.Env) (*Model, error) {
	return lang.Read[*Model](New(Options{}), f, env)
}

// sniff reports whether the text begins with a definition that only this language
// has.
func sniff(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		switch word {
		case "tunable_constant":
			return rest == "" || rest[0] == '"' || rest[0] == '{'
		case "list":
			return strings.HasPrefix(rest, `"`)
		case "daemon", "process", "visi":
			return strings.HasPrefix(rest, "{")
		}
		return false
	}
	return false
}

func outline(t *syntax.Tree) []lang.Symbol {
	var list []lang.Symbol
	for i := range t.Defs {
		d := &t.Defs[i]
		s := lang.Symbol{Name: t.Text(d.Keyword), Kind: t.Text(d.Keyword), Span: t.RangeSpan(d.Tokens), Head: t.TokenSpan(d.Keyword)}
		if d.Name >= 0 {
			s.Name, s.Head = t.Text(d.Name), t.TokenSpan(d.Name)
		}
		for j := range d.Blocks {
			b := &d.Blocks[j]
			block := lang.Symbol{Name: blockName(t, b), Kind: t.Text(d.Keyword), Span: t.RangeSpan(b.Tokens), Head: t.TokenSpan(int(b.Tokens.First))}
			for _, f := range b.Fields {
				field := lang.Symbol{Name: t.Text(f.Key), Kind: "field", Span: t.TokenSpan(f.Key), Head: t.TokenSpan(f.Key)}
				if n := len(f.Values); n > 0 {
					field.Detail, field.Span = t.Text(f.Values[0]), field.Span.To(t.TokenSpan(f.Values[n-1]))
				}
				block.Children = append(block.Children, field)
			}
			if !d.Grouped {
				s.Detail, s.Children = block.Name, block.Children
				break
			}
			s.Children = append(s.Children, block)
		}
		for _, p := range d.Pairs {
			pair := lang.Symbol{Name: t.Text(p.Name), Kind: "tunable", Span: t.TokenSpan(p.Name), Head: t.TokenSpan(p.Name)}
			if p.Value >= 0 {
				pair.Detail, pair.Span = t.Text(p.Value), pair.Span.To(t.TokenSpan(p.Value))
			}
			s.Children = append(s.Children, pair)
		}
		list = append(list, s)
	}
	return list
}

// blockName returns the name that a block gives itself, else its command.
func blockName(t *syntax.Tree, b *syntax.Block) string {
	found := ""
	for _, f := range b.Fields {
		if len(f.Values) == 0 {
			continue
		}
		switch t.Text(f.Key) {
		case "name":
			return t.Text(f.Values[0])
		case "command":
			found = t.Text(f.Values[0])
		}
	}
	return found
}
