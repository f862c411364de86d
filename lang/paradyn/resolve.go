package paradyn

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
)

// resolve reads the layers in order, then the overrides.
func resolve(o Options, env *load.Env, trees []*syntax.Tree) *Model {
	last := len(trees) - 1
	r := &resolver{Model: &Model{Layers: len(trees), hostname: "localhost", tree: trees[last]}}
	if !env.Confined {
		r.hostname, r.Model.place = o.hostname(), o.place
	}
	for i, t := range trees {
		if i < last {
			r.problems = append(r.problems, t.Problems()...) // the last layer's are its document's
		}
		r.layer(o, t, i+1)
	}
	r.overrides(env.Overrides)
	r.replace()
	if o.Settings != nil {
		r.programs = o.Settings(trees[last].File().Path())
	}
	return r.Model
}

// replace marks what a later definition of the same name stands for: lists,
// visualisations, and in PCL every block.
func (r *resolver) replace() {
	lists := map[string]*List{}
	for i := range r.Lists {
		l := &r.Lists[i]
		if before := lists[l.Name]; before != nil {
			before.Replaced = true
		}
		lists[l.Name] = l
	}
	for kind, blocks := range r.kinds {
		if kind != visi && r.pcl.IsZero() {
			continue
		}
		named := map[string]*Block{}
		for _, b := range blocks {
			name := b.Text("name")
			if before := named[name]; before != nil {
				before.Replaced = true
			}
			named[name] = b
		}
	}
}

// resolver is a model in the making.
type resolver struct {
	*Model
	tree    *syntax.Tree // the layer being read
	number  int          // of that layer
	dialect Dialect      // of that layer
	later   bool         // it has signs of PCL, which are reported
}

func (r *resolver) layer(o Options, t *syntax.Tree, number int) {
	r.tree, r.number, r.dialect, r.later = t, number, PSDL, false
	signs := pclSigns(t)
	switch {
	case o.Dialect == PCL, o.Dialect == Auto && len(signs) > 0:
		r.dialect = PCL
		if r.pcl.IsZero() {
			r.pcl = t.File().Span(0, 0)
		}
	case len(signs) > 0:
		r.later = true
		r.reportPCL(signs)
	}
	for i := range t.Defs {
		r.definition(&t.Defs[i])
	}
}

func (r *resolver) place(token int) Place {
	return Place{Span: r.tree.TokenSpan(token), Layer: r.number}
}

func (r *resolver) definition(d *syntax.Def) {
	switch keyword := r.tree.Text(d.Keyword); keyword {
	case daemon, process, visi:
		r.blocks(d, keyword)
	case "tunable_constant":
		r.tunables(d)
	case "list":
		r.list(d)
	default:
		r.opaque(d, keyword)
	}
}

// opaque is a definition that begins with another word.
func (r *resolver) opaque(d *syntax.Def, keyword string) {
	if slices.Contains(laterKeywords, keyword) {
		if r.dialect == PCL {
			r.Model.opaque = append(r.Model.opaque, r.tree.TokenSpan(d.Keyword))
			r.problems.Report(pclOpaque, r.tree.TokenSpan(d.Keyword), "the definition of this `%s` is kept, not interpreted", keyword)
		}
		return
	}
	candidates := keywords
	if r.dialect == PCL {
		candidates = append(candidates[:len(candidates):len(candidates)], laterKeywords...)
	}
	p := r.problems.Report(unknownKeyword, r.tree.TokenSpan(d.Keyword), "`%s` does not begin a definition", keyword).Suggest(true, candidates...)
	if len(p.Help) == 0 {
		p.Helped("definitions begin with daemon, process, visi, tunable_constant or list")
	}
}

// tunables reads settings; each counts by itself.
func (r *resolver) tunables(d *syntax.Def) {
	if d.Grouped && len(d.Pairs) == 0 && !d.Broken && r.dialect == PSDL {
		r.problems.Report(noTunable, r.tree.TokenSpan(d.Keyword), "this `tunable_constant` sets nothing").
			Helped("write at least one name with its value: `\"maxEval\" 3;`")
	}
	for _, p := range d.Pairs {
		if r.emptyName(p.Name, "a tunable constant") || p.Broken || p.Value < 0 {
			continue
		}
		name, text := r.tree.Text(p.Name), r.tree.Text(p.Value)
		boolean := isBoolean(r.tree, p.Value)
		switch {
		case r.tree.Kind(p.Value) == syntax.Number, boolean && r.dialect == PCL:
		case boolean: // a sign of PCL, which is reported
			continue
		default:
			found := r.problems.Report(notNumber, r.tree.TokenSpan(p.Value), "the value of `%s` is not a number", name)
			if r.tree.Kind(p.Value) == syntax.String && isNumber(text) {
				found.Helped("write it without quotes").Replace(true, text)
			} else {
				found.Helped("numbers are digits, perhaps with a dot and digits")
			}
			continue
		}
		r.Tunables = append(r.Tunables, Tunable{Name: name, Value: text, Place: r.place(p.Value), At: r.tree.TokenSpan(p.Name)})
	}
}

func (r *resolver) emptyName(token int, what string) bool {
	if r.tree.Text(token) != "" || r.tree.Kind(token) != syntax.String {
		return false
	}
	r.problems.Report(emptyValue, r.tree.TokenSpan(token), "the name of %s is empty", what)
	return true
}

func (r *resolver) list(d *syntax.Def) {
	if d.Name < 0 {
		return
	}
	if r.dialect == PSDL && r.tree.Kind(d.Name) == syntax.Word { // a sign of PCL, which is reported
		return
	}
	l := List{Name: r.tree.Text(d.Name), Place: r.place(d.Name)}
	ok := !d.Broken && !r.emptyName(d.Name, "a list")
	for _, it := range d.Items {
		if r.dialect == PSDL && r.tree.Kind(it) != syntax.String {
			r.notQuoted(it, "an item of a list")
			ok = false
		}
		l.Items = append(l.Items, Item{r.tree.Text(it), r.place(it)})
	}
	if ok {
		r.Lists = append(r.Lists, l)
	}
}

func (r *resolver) notQuoted(token int, what string) {
	text := r.tree.Text(token)
	r.problems.Report(syntax.NotQuoted, r.tree.TokenSpan(token), "%s is written in quotes", what).
		Helped("write `\"%s\"`", text).Replace(true, `"`+text+`"`)
}

// isNumber reports whether a text has the form of a number of the language.
func isNumber(s string) bool {
	whole, part, dotted := strings.Cut(s, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return digits(whole) && (!dotted || digits(part))
}

// firstLine cuts a place at its line break, to underline it.
func firstLine(s source.Span) source.Span {
	if i := strings.IndexByte(s.Text(), '\n'); i >= 0 {
		s.End = s.Start + i
	}
	return s
}
