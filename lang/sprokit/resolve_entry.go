package sprokit

import (
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

// entry sets a key.
func (r *resolver) entry(u *unit, s *syntax.Stmt) {
	if s.Has(syntax.Incomplete) || r.lost {
		r.mute = true
		return
	}
	if !r.prefixes.take(r.prefix) {
		if !r.long {
			r.report(tooLong, u, u.tree.Span(s.Name), "nested blocks make all keys together longer than %d MB", maxPrefixes>>20).
				Helped("nest fewer blocks, or give them shorter names; from here on entries in blocks this deep are not read")
		}
		r.long, r.mute = true, true
		return
	}
	if !r.inside && !r.head {
		r.stray(u, s, "an entry")
	}
	if s.Flags&(syntax.HasKeyword|syntax.Dashed|syntax.Listed|syntax.Local|syntax.Relative) != 0 {
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
		if strings.HasPrefix(n.Value, "/") {
			r.report(absoluteRelative, u, n.ValueSpan(), "`relativepath` puts the folder of this file before every value, even before the absolute path `%s`", problem.Clip(n.Value, problem.Short)).
				Helped("leave `relativepath` out, or the `/` at the start")
		}
		folder := u.folder(r.env) + "/"
		n.path = int32(len(folder))
		n.Value = folder + n.Value
	}
	i := r.assign(n)
	if n.is(localName) {
		if r.upstream() {
			name = n.Key[min(len(n.Key), len(r.root)+1):] // the name in the section, with the names of the enclosing blocks
		}
		r.names[name] = i
	}
	if r.head {
		key := ClusterKey{Name: name, Tunable: n.is(tunable), setting: i}
		r.m.Cluster.Keys = append(r.m.Cluster.Keys, key)
		r.undoc = &describable{unit: u, stmt: s, what: "key `" + name + "`", index: len(r.m.Cluster.Keys) - 1}
	}
}

// upstreamText returns the text after `:=` as the original program reads it: it drops the first character, even if that is
// not a blank.
func upstreamText(u *unit, s *syntax.Stmt) string {
	text := u.tree.Of(s.Value)
	if s.Has(syntax.Glued) && text != "" {
		return trim(text[1:])
	}
	return text
}

// style reports entries in a form that the original program reads differently.
func (r *resolver) style(u *unit, s *syntax.Stmt) {
	key := u.tree.Span(s.Name)
	if s.Has(syntax.HasKeyword) {
		r.differs(reservedInKey, u, key, "a part of the key `%s` is a reserved word, which the original program refuses", u.tree.Name(s))
	}
	if s.Has(syntax.Dashed) {
		r.differs(upstreamDash, u, key, "a part of the key `%s` begins with `-`, which the original program refuses", u.tree.Name(s))
	}
	if s.Has(syntax.Listed) {
		r.differs(upstreamAttributes, u, u.tree.Span(s.Attrs), "the original program accepts only one attribute")
	}
	if s.Has(syntax.Relative | syntax.OldStyle) {
		r.differs(upstreamRelative, u, u.tree.Head(s), "the original program accepts `relativepath` only before `key = value`").
			Helped("write `relativepath %s = %s`", u.tree.Name(s), u.tree.Of(s.Value))
	}
	if !s.Has(syntax.Local) {
		return
	}
	if s.Has(syntax.Glued) {
		d := r.report(upstreamFirstLetter, u, u.tree.Span(s.Value), "the original program drops the first character after `:=`").Helped("put a blank after `:=`")
		if !s.Value.Empty() {
			d.Fix(true, "put a blank after `:=`", source.Edit{Span: source.Span{File: u.tree.File(), Start: int(s.Value.Start), End: int(s.Value.Start)}, Text: " "})
		}
	}
	if s.Value.Empty() && r.upstream() {
		r.report(upstreamEmptyLocal, u, key, "the original program fails on `:=` without a value")
	}
	if len(r.blocks) > 0 {
		r.report(upstreamLocalName, u, key, "the original program calls this `$LOCAL{%s}`, with the names of the blocks",
			(r.prefix + u.tree.Name(s))[min(len(r.prefix), len(r.root)+1):])
	}
}

// attributes reads the words in the brackets after a key.
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
			d := r.report(unknownAttribute, u, u.tree.Span(a), "`%s` is not an attribute of a key", word)
			if strings.EqualFold(word, "relativepath") {
				d.Helped("`relativepath` goes before the key: `relativepath %s = …`", u.tree.Name(s))
			} else {
				d.Labelled("attributes are `ro` and `tunable`").Suggest(false, "ro", "tunable")
			}
		}
	}
}

// assign records an assignment and returns its index. An assignment to a read-only key is an error and changes nothing.
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
	d := r.report(readOnlyWrite, n.unit, at, "`%s` is read-only and cannot be %s", n.Key, what)
	if n.unit == nil && n.from == nil {
		d.Note("the command line has -s %s=%s", n.Key, n.Raw)
	} else {
		d.At(before.Span(), "set to `%s` here", before.Value)
	}
	d.Helped("remove one of the two, or the `[ro]`")
}

// force expands the overrides at the start, because in the documented dialect they are in effect from the first line.
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

// applyOverrides assigns the overrides after all files are read.
func (r *resolver) applyOverrides() {
	for i := range r.overrides {
		o := &r.overrides[i]
		n := Setting{Key: o.key, Raw: o.raw, Value: o.value, prev: -1, from: o.from, flags: o.flags, first: o.first, count: o.count}
		if r.upstream() {
			n.Value = o.raw
			if o.from == nil {
				if !strings.Contains(o.key, ":") {
					r.m.problems.Report(shortOverride, r.m.tree.File().Span(0, 0), "the original program needs a key with at least two parts in -s %s=%s", o.key, o.raw).
						Helped("write -s PROCESS:KEY=VALUE")
					continue
				}
				n.Value = r.expand(&n)
			}
		}
		n.flags |= overridden
		if o.read {
			n.flags |= wasRead
		}
		by := r.assign(n)
		for j := n.first; j < n.first+n.count; j++ {
			r.m.reads[j].by = by
		}
	}
}
