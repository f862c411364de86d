package sprokit

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

// entry sets a key.
func (r *resolver) entry(u *unit, s *syntax.Stmt) {
	if s.Has(syntax.Incomplete) || r.lost {
		r.mute = true
		return
	}
	if !r.inside && !r.head {
		r.stray(u, s, "an entry")
	}
	if s.Flags&(syntax.HasKeyword|syntax.Listed|syntax.Local|syntax.Relative) != 0 {
		r.style(u, s)
	}
	name := u.tree.Name(s)
	n := Setting{Key: r.keys.join(r.prefix, name), Raw: u.tree.Of(s.Value), unit: u, stmt: s, root: int32(len(r.root)), prev: -1}
	if !s.Attrs.Empty() {
		r.attributes(u, s, &n)
	}
	if s.Has(syntax.Local) {
		n.flags |= localName
	}
	if n.is(localName) && r.upstream() {
		n.Raw = upstreamText(u, s)
		n.Value = n.Raw
	} else {
		n.Value = r.expand(&n)
	}
	if s.Has(syntax.Relative) {
		folder := r.folder(u) + "/"
		n.path = int32(len(folder))
		n.Value = folder + n.Value
	}
	i := r.assign(n)
	if n.is(localName) {
		if r.upstream() {
			name = n.Key[min(len(n.Key), len(r.root)+1):] // with the blocks around it
		}
		r.names[name] = i
	}
	if r.head {
		key := ClusterKey{Name: name, Tunable: n.is(tunable), setting: i}
		r.m.Cluster.Keys = append(r.m.Cluster.Keys, key)
		r.undoc = &describable{unit: u, stmt: s, what: "key `" + cut(name) + "`", index: len(r.m.Cluster.Keys) - 1}
	}
}

// upstreamText is the text behind `:=` as the original program cuts it:
// without its first character, whatever that is.
func upstreamText(u *unit, s *syntax.Stmt) string {
	text := u.tree.Of(s.Value)
	if s.Has(syntax.Glued) && text != "" {
		return trim(text[1:])
	}
	return text
}

// style reports what the original program reads differently.
func (r *resolver) style(u *unit, s *syntax.Stmt) {
	key := u.tree.Span(s.Name)
	if s.Has(syntax.HasKeyword) {
		r.differs(reservedInKey, u, key, "a part of the key `%s` is a reserved word, which the original program refuses", cut(u.tree.Name(s)))
	}
	if s.Has(syntax.Listed) {
		r.differs(upstreamAttributes, u, u.tree.Span(s.Attrs), "the original program takes one attribute only")
	}
	if s.Has(syntax.Relative | syntax.OldStyle) {
		r.differs(upstreamRelative, u, u.tree.Head(s), "the original program knows `relativepath` only before `key = value`").
			Helped("write `relativepath %s = %s`", cut(u.tree.Name(s)), cut(u.tree.Of(s.Value)))
	}
	if !s.Has(syntax.Local) {
		return
	}
	if s.Has(syntax.Glued) {
		d := r.report(upstreamFirstLetter, u, u.tree.Span(s.Value), "the original program drops the first character behind `:=`").Helped("put a blank behind `:=`")
		if !s.Value.Empty() {
			d.Fix(true, "put a blank behind `:=`", source.Edit{Span: source.Span{File: u.tree.File(), Start: int(s.Value.Start), End: int(s.Value.Start)}, Text: " "})
		}
	}
	if s.Value.Empty() && r.upstream() {
		r.report(upstreamEmptyLocal, u, key, "the original program fails on `:=` without a value")
	}
	if len(r.blocks) > 0 {
		r.report(upstreamLocalName, u, key, "the original program calls this `$LOCAL{%s}`: with the blocks around it",
			cut((r.prefix + u.tree.Name(s))[min(len(r.prefix), len(r.root)+1):]))
	}
}

// attributes reads the words in the brackets.
func (r *resolver) attributes(u *unit, s *syntax.Stmt, n *Setting) {
	for _, a := range u.tree.Attrs(s) {
		word := u.tree.Of(a)
		switch strings.ToLower(word) {
		case "ro":
			n.flags |= readOnly
		case "tunable":
			n.flags |= tunable
		case "local-assign":
			n.flags |= localName
		default:
			d := r.report(unknownAttribute, u, u.tree.Span(a), "`%s` is not an attribute of a key", cut(word))
			if strings.EqualFold(word, "relativepath") {
				d.Helped("`relativepath` stands before the key: `relativepath %s = …`", cut(u.tree.Name(s)))
			} else {
				d.Labelled("attributes are `ro` and `tunable`").Suggest(false, "ro", "tunable")
			}
		}
	}
}

// assign records an assignment and returns its index. One to a read-only key
// is an error and changes nothing.
func (r *resolver) assign(n Setting) int32 {
	i := int32(len(r.m.settings))
	if old, ok := r.m.last[n.Key]; ok {
		n.prev = old
		before := &r.m.settings[old]
		if before.is(readOnly) {
			n.flags |= refused
			r.readOnly(before, &n)
			r.m.settings = append(r.m.settings, n)
			return i
		}
		before.flags |= replaced
	}
	r.m.settings = append(r.m.settings, n)
	r.m.last[n.Key] = i
	return i
}

func (r *resolver) readOnly(before, n *Setting) {
	at, what := n.Span(), "set again"
	if n.unit == nil {
		what = "overridden"
		if at.IsZero() {
			at = before.Span()
		}
	}
	d := r.report(readOnlyWrite, n.unit, at, "`%s` is read-only and cannot be %s", cut(n.Key), what)
	if n.unit == nil && n.from == nil {
		d.Note("the command line says -s %s=%s", cut(n.Key), cut(n.Raw))
	} else {
		d.At(before.Span(), "it has the value `%s` since here", cut(before.Value))
	}
	d.Helped("remove one of the two, or the `[ro]`")
}

// force expands the overrides, which hold from the start in the seed's
// dialect.
func (r *resolver) force() {
	if r.upstream() {
		return
	}
	r.forced = make(map[string]int, len(r.overrides))
	for i := range r.overrides {
		o := &r.overrides[i]
		o.value = o.raw
		if o.from == nil {
			n := Setting{Key: o.key, Raw: o.raw}
			o.value = r.expand(&n)
			o.first, o.count = n.first, n.count
		}
		r.forced[o.key] = i
	}
}

// applyOverrides puts them over everything else.
func (r *resolver) applyOverrides() {
	for i := range r.overrides {
		o := &r.overrides[i]
		n := Setting{Key: o.key, Raw: o.raw, Value: o.value, prev: -1, from: o.from, flags: o.flags, first: o.first, count: o.count}
		if r.upstream() {
			n.Value = o.raw
			if o.from == nil {
				if !strings.Contains(o.key, ":") {
					r.m.problems.Report(shortOverride, r.m.tree.File().Span(0, 0), "the original program needs a key with at least two parts in -s %s=%s", cut(o.key), cut(o.raw)).
						Helped("write -s PROCESS:KEY=VALUE")
					continue
				}
				n.Value = r.expand(&n)
			}
		}
		n.flags |= overridden
		by := r.assign(n)
		for j := n.first; j < n.first+n.count; j++ {
			r.m.reads[j].by = by
		}
	}
}

// unclosed warns about a macro that lacks its brace, and so is text.
func (r *resolver) unclosed(n *Setting) {
	closed := strings.LastIndexByte(n.Raw, '}') + 1
	for _, provider := range []string{"LOCAL", "ENV", "CONFIG", "SYSENV"} {
		open := "$" + provider + "{"
		i := strings.Index(n.Raw[closed:], open)
		if span := n.ValueSpan(); i >= 0 && span.Text() == n.Raw {
			span.Start += closed + i
			span.End = span.Start + len(open)
			r.report(unclosedMacro, n.unit, span, "`%s` has no `}` after it, so it is no macro but text", open).
				Helped("write `}` after the name")
			return
		}
	}
}

// tooMuch says that the macros of a setting would make too much text. That all
// values together are too long is said once.
func (r *resolver) tooMuch(n *Setting, size int) {
	switch {
	case r.spent:
	case size > maxValue:
		r.report(macroLimit, n.unit, n.ValueSpan(), "this value is longer than %d MB after its macros are replaced", maxValue>>20).
			Helped("look for macros that read each other again and again; the macros here are left as they are")
	default:
		r.spent = true
		r.report(macroLimit, n.unit, n.ValueSpan(), "all values together are longer than %d MB after macros are replaced", maxExpanded>>20).
			Helped("look for macros that read each other again and again; from here on macros are left as they are")
	}
}

// expand replaces the macros of a setting's text and remembers what they read.
func (r *resolver) expand(n *Setting) string {
	n.first = int32(len(r.m.reads))
	if strings.IndexByte(n.Raw, '$') < 0 {
		return n.Raw
	}
	var b strings.Builder
	rest := 0
	for m := range r.macros(n.Raw) {
		rd := read{by: int32(len(r.m.settings)), of: -1, at: int32(m.start), len: int32(m.end - m.start), provider: m.provider, name: m.name}
		r.provide(n, m, &rd)
		r.m.reads = append(r.m.reads, rd)
		n.count++
		b.WriteString(n.Raw[rest:m.start])
		size := b.Len() + len(rd.value)
		if r.spent || size > maxValue || r.expanded+size > maxExpanded {
			r.tooMuch(n, size)
			r.m.reads = r.m.reads[:n.first]
			n.count = 0
			return n.Raw
		}
		b.WriteString(rd.value)
		rest = m.end
	}
	b.WriteString(n.Raw[rest:])
	r.unclosed(n)
	r.expanded += b.Len()
	value := b.String()
	if r.upstream() {
		value = trim(value)
	}
	return value
}

// provide finds the value of one macro.
func (r *resolver) provide(n *Setting, m macro, rd *read) {
	known, found := true, false
	switch m.provider {
	case "ENV":
		rd.value, found = r.env.Getenv(m.name)
	case "SYSENV":
		rd.value, found = r.sysenv(m.name)
	case "LOCAL":
		var i int32
		if i, found = r.names[m.name]; found {
			rd.of = i
			rd.value = r.read(i)
		}
	case "CONFIG":
		found = r.config(m.name, rd)
	default:
		known = false
	}
	if found {
		if rd.of >= 0 {
			of := &r.m.settings[rd.of]
			of.flags |= wasRead
			n.flags |= of.flags & lacking
		}
		return
	}
	rd.missing = true
	n.flags |= lacking
	if !known {
		r.meant(m.name, m.name)
	}
	if r.m.partial && (m.provider == "CONFIG" || m.provider == "LOCAL") {
		return // the file that is missing may define it
	}
	r.undefined(n, m, known)
}

// config is $CONFIG: an override, or what was set before.
func (r *resolver) config(name string, rd *read) bool {
	if i, ok := r.m.last[name]; ok {
		rd.of = i
	}
	if o, ok := r.forced[name]; ok {
		rd.value, rd.override, rd.given = r.overrides[o].value, true, r.overrides[o].from
		return true
	}
	if rd.of < 0 {
		return false
	}
	rd.value = r.read(rd.of)
	return true
}

// read is what a macro sees of a setting.
func (r *resolver) read(i int32) string {
	s := &r.m.settings[i]
	if r.upstream() {
		return s.Value[s.path:] // it replaces macros before it builds paths
	}
	return s.Value
}

func (r *resolver) undefined(n *Setting, m macro, known bool) {
	span := n.ValueSpan()
	if n.unit != nil && !n.stmt.Value.Empty() {
		shift := span.End - span.Start - len(n.Raw)
		span.Start += m.start + shift
		span.End = span.Start + m.end - m.start
	}
	if span.IsZero() {
		span = r.m.tree.File().Span(0, 0)
	}
	if !known {
		r.report(unknownProvider, n.unit, span, "there is no macro provider `%s`", cut(m.provider)).
			Labelled("providers are LOCAL, ENV, CONFIG, SYSENV").Helped("%s", nearProvider(m.provider))
		return
	}
	d := r.report(undefinedMacro, n.unit, span, "`$%s{%s}` is not defined", m.provider, cut(m.name))
	if r.upstream() {
		d.As(diag.Error)
	} else {
		d.Labelled("stands for nothing")
	}
	r.whyUndefined(d, m)
}

// meant marks what a misspelt macro was meant to read, so that it is not
// reported as unused besides.
func (r *resolver) meant(key, local string) {
	if i, ok := r.m.last[key]; ok {
		r.m.settings[i].flags |= wasRead
	}
	if i, ok := r.names[local]; ok {
		r.m.settings[i].flags |= wasRead
	}
}

func nearProvider(name string) string {
	for _, provider := range []string{"LOCAL", "CONFIG", "SYSENV", "ENV"} {
		_, near := diag.Nearest(name, []string{provider})
		if near || len(name) > 2 && strings.HasPrefix(provider, strings.ToUpper(name)) {
			return "did you mean `$" + provider + "{…}`?"
		}
	}
	return "a `$` that means itself must not be followed by a word and `{`"
}

// whyUndefined gives the advice that fits the provider.
func (r *resolver) whyUndefined(d *diag.Diagnostic, m macro) {
	var names []string
	switch m.provider {
	case "ENV":
		if m.name == "" {
			d.Helped("write a name between the braces")
			return
		}
		d.Helped("set the environment variable `%s`", cut(m.name))
		return
	case "SYSENV":
		names = sysenvNames
	case "LOCAL":
		for name := range r.names {
			names = append(names, name)
		}
	case "CONFIG":
		if len(r.m.last) > 2000 {
			return
		}
		for i := range r.m.settings {
			names = append(names, r.m.settings[i].Key)
		}
	}
	if near, ok := nearestSorted(m.name, names); ok {
		d.Helped("did you mean `%s`?", near)
		switch m.provider {
		case "LOCAL":
			r.meant("", near)
		case "CONFIG":
			r.meant(near, "")
		}
		return
	}
	switch m.provider {
	case "LOCAL":
		d.Helped("define it on a line above: `%s := VALUE`", cut(m.name))
	case "CONFIG":
		d.Helped("only entries above this line can be read")
	}
}
