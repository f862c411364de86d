package paradyn

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
	"github.com/pentode-dev/pentode/run/launch"
)

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
		return // else a sign of PCL, which is reported
	}
	if d.Grouped && !named {
		r.problems.Report(grouped, r.tree.TokenSpan(d.Keyword), "several blocks in one `%s` are understood, but are in no description of the language", kind).
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

// block reads the fields of a block and reports whether it has no error.
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
		case r.dialect == PSDL && isLater(name): // a sign of PCL, which is reported
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

// fieldsEnd is where another field can go: behind the last one and its comment.
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

// put gives a field its value; another one before it stays in its history.
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

// unknownField returns the name that was probably intended.
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

// complete reports whether a block has everything it needs.
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
			d.Helped("write `daemon \"…\";` with the command of the daemon it runs under, or `daemon \"%s\";` where it needs none", launch.Self)
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
