package paradyn

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
	"github.com/pentode-dev/pentode/run/launch"
)

// resolve reads the files in order, then the overrides.
func resolve(o Options, env *load.Env, trees []*syntax.Tree) *Model {
	last := len(trees) - 1
	r := &resolver{Model: &Model{Layers: len(trees), hostname: "localhost", tree: trees[last]}}
	if !env.Confined {
		r.hostname, r.Model.place = o.hostname(), o.place
	}
	for i, t := range trees {
		if i < last {
			r.problems = append(r.problems, t.Problems()...) // the document itself reports the problems of the last file
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

// replace marks definitions that a later one of the same name replaces: lists,
// visualisations and, in PCL, every block.
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

// resolver is a model under construction.
type resolver struct {
	*Model
	tree    *syntax.Tree // the layer being read
	number  int          // the layer's number
	dialect Dialect      // the layer's dialect
	later   bool         // the layer is PCL by its signs, which are reported
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

// opaque reads a definition that begins with an unknown keyword.
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

// tunables reads settings of tunable constants. An error in one does not
// affect the others.
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
		case boolean: // valid only in PCL, which is reported elsewhere
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
	if r.dialect == PSDL && r.tree.Kind(d.Name) == syntax.Word { // valid only in PCL, which is reported elsewhere
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
	r.problems.Report(syntax.NotQuoted, r.tree.TokenSpan(token), "%s must be in quotes", what).
		Helped("write `\"%s\"`", text).Replace(true, `"`+text+`"`)
}

// firstLine cuts a place at its line break, so that it can be underlined.
func firstLine(s source.Span) source.Span {
	if i := strings.IndexByte(s.Text(), '\n'); i >= 0 {
		s.End = s.Start + i
	}
	return s
}

// blocks reads a daemon, a process or a visualisation, or a group of them.
func (r *resolver) blocks(d *syntax.Def, kind string) {
	if d.Broken && len(d.Blocks) == 0 {
		return
	}
	named := d.Name >= 0
	if named && r.dialect == PSDL {
		if r.tree.Kind(d.Name) == syntax.String {
			r.problems.Report(namedBlock, r.tree.TokenSpan(d.Name), "a %s has no name before its brace", kind).
				Helped("write `name \"%s\";` among its fields", r.tree.Text(d.Name))
		}
		return // anything else is valid only in PCL, which is reported elsewhere
	}
	if d.Grouped && !named {
		r.problems.Report(grouped, r.tree.TokenSpan(d.Keyword), "several blocks in one `%s` are understood, but the description of the language has no such form", kind).
			Helped("write `%s` before each block", kind)
	}
	for i := range d.Blocks {
		b := &d.Blocks[i]
		head := r.tree.TokenSpan(d.Keyword)
		if d.Grouped {
			head = r.tree.TokenSpan(int(b.Tokens.First))
		}
		block := &Block{Kind: kind, Span: r.tree.RangeSpan(b.Tokens), Head: head, end: r.fieldsEnd(b)}
		if named {
			block.Fields = append(block.Fields, Field{"name", []Value{{Text: r.tree.Text(d.Name), Place: r.place(d.Name)}}})
		}
		if r.block(block, b) {
			*r.of(kind) = append(*r.of(kind), block)
		} else {
			r.broken = append(r.broken, block)
		}
	}
}

// block reads the fields of a block and reports whether they are free of
// errors.
func (r *resolver) block(block *Block, b *syntax.Block) bool {
	ok := !b.Broken
	var tried []string
	block.Fields = append(make([]Field, 0, len(block.Fields)+len(b.Fields)), block.Fields...)
	for i := range b.Fields {
		f := &b.Fields[i]
		name := r.tree.Text(f.Key)
		key := section(block.Kind).Key(name)
		switch {
		case key != nil && (!key.Extension || r.dialect == PCL):
			if v, good := r.value(block, key, f); good {
				r.put(block, name, v, f)
				continue
			}
			tried = append(tried, name)
		case r.dialect == PSDL && isLater(name): // valid only in PCL, which is reported elsewhere
		case !b.Garbled:
			if near := r.unknownField(block.Kind, f); near != "" {
				tried = append(tried, near)
			}
		}
		ok = false
	}
	if b.Broken {
		return false
	}
	return r.complete(block, tried) && ok
}

// fieldsEnd returns the place at which another field can be added: after the
// last one and its comment.
func (r *resolver) fieldsEnd(b *syntax.Block) source.Span {
	at := int(b.Tokens.End) - 2
	for at > int(b.Tokens.First) && r.tree.Kind(at) != syntax.Semicolon {
		at--
	}
	if next := at + 1; r.tree.Kind(next) == syntax.Comment {
		at = next
	} else if r.tree.Kind(next) == syntax.Blank && r.tree.Kind(next+1) == syntax.Comment {
		at = next + 1
	}
	end := r.tree.TokenSpan(at).End
	return r.tree.File().Span(end, end)
}

// put gives a field a value. Earlier values stay in the field's history.
func (r *resolver) put(block *Block, name string, v Value, f *syntax.Field) {
	have := block.field(name)
	if have == nil {
		block.Fields = append(block.Fields, Field{name, []Value{v}})
		return
	}
	if name != "metfocus" && !(r.dialect == PCL && name == "name") {
		r.problems.Report(redeclared, r.tree.TokenSpan(f.Key), "`%s` is declared again; this one counts", name).
			At(have.last().Place.Span, "declared here before")
	}
	have.Values = append(have.Values, v)
}

// unknownField reports an unknown field and returns the name that was probably
// intended.
func (r *resolver) unknownField(kind string, f *syntax.Field) string {
	names := fieldNames(kind, r.dialect)
	name := r.tree.Text(f.Key)
	d := r.problems.Report(unknownField, r.tree.TokenSpan(f.Key), "`%s` is not a field of %s", name, kind)
	near, _ := problem.Nearest(name, names)
	if d.Suggest(true, names...); len(d.Help) == 0 {
		d.Helped("the fields of %s are %s", kind, strings.Join(names, ", "))
	}
	return near
}

// complete reports whether a block has all required fields.
func (r *resolver) complete(block *Block, tried []string) bool {
	var missing []string
	for _, k := range section(block.Kind).Keys {
		if k.Required && block.field(k.Name) == nil && !slices.Contains(tried, k.Name) && (r.dialect == PSDL || k.Name == "command") {
			missing = append(missing, k.Name)
		}
	}
	if len(missing) == 0 {
		return true
	}
	d := r.problems.Report(missingField, firstLine(block.Head), "this %s has no %s", block.Kind, listed(missing))
	for _, name := range missing {
		switch name {
		case "host":
			d.Helped("write `host \"localhost\";` for this machine")
		case daemon:
			d.Helped("write `daemon \"…\";` with the command of the daemon it runs under, or `daemon \"%s\";` if it needs none", launch.Self)
		default:
			d.Helped("write `%s \"…\";`", name)
		}
	}
	return false
}

func listed(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "`" + n + "`"
	}
	if n := len(quoted); n > 1 {
		return strings.Join(quoted[:n-1], ", ") + " and no " + quoted[n-1]
	}
	return quoted[0]
}

// value reads the value of a field.
func (r *resolver) value(block *Block, key *schema.Key, f *syntax.Field) (Value, bool) {
	if f.Broken || r.dialect == PSDL && !r.form(key, f) {
		return Value{}, false
	}
	v := Value{Place: Place{Span: r.tree.TokenSpan(f.Key), Layer: r.number}}
	if n := len(f.Values); n > 0 {
		v.Place.Span = r.tree.TokenSpan(f.Values[0]).To(r.tree.TokenSpan(f.Values[n-1]))
	}
	if key.Type == schema.List {
		ok := r.arguments(&v, f)
		return v, ok
	}
	if len(f.Values) > 0 {
		v.Text = r.tree.Text(f.Values[0])
	}
	switch {
	case v.Text == "":
		r.problems.Report(emptyValue, v.Place.Span, "the `%s` of this %s is empty", key.Name, block.Kind)
		return v, false
	case key.Type == schema.Enum:
		return v, r.flavor(f)
	case r.dialect == PSDL && r.tree.Kind(f.Values[0]) != syntax.String:
		r.notQuoted(f.Values[0], "the value of `"+key.Name+"`")
		return v, false
	}
	return v, true
}

// form checks that arguments are in braces, and that every other field has one
// value without braces.
func (r *resolver) form(key *schema.Key, f *syntax.Field) bool {
	list := key.Type == schema.List
	switch {
	case list && !f.List:
		d := r.problems.Report(braces, r.tree.TokenSpan(f.Key), "the values of `%s` must be in braces", key.Name).Helped("write `%s { \"…\" };`", key.Name)
		if n := len(f.Values); n > 0 {
			whole := r.tree.TokenSpan(f.Values[0]).To(r.tree.TokenSpan(f.Values[n-1]))
			d.Fix(true, "write braces", source.Edit{Span: whole, Text: "{ " + whole.Text() + " }"})
		}
	case !list && f.List:
		r.problems.Report(braces, r.tree.TokenSpan(f.Key), "the value of `%s` must not be in braces", key.Name).Helped("write `%s \"…\";`", key.Name)
	case !list && len(f.Values) > 1:
		r.problems.Report(oneValue, r.tree.TokenSpan(f.Values[1]), "`%s` takes one value", key.Name).Labelled("this is the second").
			Helped("end the field with `;` after the first")
	default:
		return true
	}
	return false
}

func (r *resolver) arguments(v *Value, f *syntax.Field) bool {
	for _, it := range f.Values {
		if r.tree.Kind(it) != syntax.String && r.dialect == PSDL {
			r.notQuoted(it, "an argument")
			return false
		}
		v.Items = append(v.Items, Item{r.tree.Text(it), r.place(it)})
	}
	return true
}

// flavor checks the field `flavor`, the only one whose value is a keyword.
func (r *resolver) flavor(f *syntax.Field) bool {
	t := r.tree
	span, text := t.TokenSpan(f.Values[0]), t.Text(f.Values[0])
	switch {
	case r.dialect == PCL:
		return true
	case t.Kind(f.Values[0]) == syntax.String && slices.Contains(flavors, text):
		r.problems.Report(unknownFlavor, span, "a flavor must be a word without quotes").Helped("write `%s`", text).Replace(true, text)
		return false
	case slices.Contains(flavors, text):
		return true
	case r.later && slices.Contains(laterFlavors, text):
		return false
	}
	p := r.problems.Report(unknownFlavor, span, "`%s` is not a flavor; there are pvm and cm5", text).Suggest(true, flavors...)
	if slices.Contains(laterFlavors, text) {
		p.Note("`%s` is a flavor of later versions of Paradyn", text)
	}
	return false
}
