package data

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data/config"
)

// Fingerprint returns a number that identifies the meaning of a specification. It does not depend
// on how types and expressions are spelled, or on which file contains a section. The rule of a
// plugin determines what its configuration means.
func Fingerprint(s Spec, d Dialect, plugins []Plugin) fingerprint.Sum {
	f := &canonicalizer{env: &Env{Dialect: d}, plugins: plugins}
	form := struct {
		Types, Metadata, Data, Plugins map[string][]any
		Paths                          []any
		Logging                        any
	}{map[string][]any{}, map[string][]any{}, map[string][]any{}, map[string][]any{}, nil, f.node(s.Logging, config.Logging)}
	for _, sec := range s.Sections {
		for _, p := range sec.Types.pairs() {
			_ = f.env.Define(p.Key.Text, p.Value) // fails for a repeated name; section below includes both definitions
		}
	}
	for _, sec := range s.Sections {
		for _, p := range sec.Plugins.pairs() {
			f.provide(p.Key.Text)
		}
	}
	for _, sec := range s.Sections {
		f.section(sec.Types, form.Types, func(p Pair) any { return f.typ(p.Value) })
		f.section(sec.Metadata, form.Metadata, func(p Pair) any { return f.typ(p.Value) })
		f.section(sec.Data, form.Data, func(p Pair) any { return f.typ(p.Value) })
		f.section(sec.Plugins, form.Plugins, func(p Pair) any { return f.node(p.Value, f.rule(p.Key.Text)) })
		if sec.PluginPath != nil {
			form.Paths = append(form.Paths, f.node(sec.PluginPath, nil))
		}
	}
	return fingerprint.Of(form)
}

// canonicalizer converts nodes to canonical forms: values that are equal if the nodes have the same
// meaning.
type canonicalizer struct {
	env     *Env
	plugins []Plugin
}

// section adds the canonical forms of a section's entries to a map, keyed by name, because the
// order of the entries has no meaning. A name should occur only once, but both forms count if it is
// repeated.
func (f *canonicalizer) section(n *Node, to map[string][]any, form func(Pair) any) {
	for _, p := range n.pairs() {
		name := p.Key.Text
		to[name] = append(to[name], form(p))
	}
}

func (f *canonicalizer) plugin(name string) *Plugin {
	i := slices.IndexFunc(f.plugins, func(p Plugin) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &f.plugins[i]
}

func (f *canonicalizer) provide(plugin string) {
	if p := f.plugin(plugin); p != nil && p.Types != nil {
		for _, t := range p.Types(f.env.machine()) {
			_ = f.env.Provide(t.Name, t) // fails if a type of the tree already has the name
		}
	}
}

func (f *canonicalizer) rule(plugin string) *config.Rule {
	if p := f.plugin(plugin); p != nil {
		return p.Config
	}
	return nil
}

// typ returns the canonical form of a type declaration. The form of an invalid declaration is its
// text.
func (f *canonicalizer) typ(n *Node, extra ...string) any {
	t, problems := f.env.Read(n, extra...)
	if slices.ContainsFunc(problems, func(e *Error) bool { return e.Severity == problem.Error }) {
		return f.node(n, nil)
	}
	return &t.root
}

// pairForm is the canonical form of an entry of a mapping.
type pairForm struct{ Key, Value any }

// node returns the canonical form of a value as its rule defines it. Without a rule, the form is
// the text of the value.
func (f *canonicalizer) node(n *Node, r *config.Rule) any {
	switch {
	case n == nil:
		return nil
	case r != nil && r.Type:
		return f.datatype(n, r)
	case r != nil && (r.Value || n.Kind == ScalarNode && r.Scalar.Expression()):
		if v, err := f.env.ParseValue(n); err == nil {
			return v
		}
	}
	switch n.Kind {
	case SequenceNode:
		var each *config.Rule
		if r != nil {
			each = r.List
		}
		items := make([]any, len(n.Items))
		for i, item := range n.Items {
			items[i] = f.node(item, each)
		}
		return items
	case MappingNode:
		return f.mapping(n.Pairs, r)
	}
	return n.Text
}

// mapping returns the canonical form of a mapping. If its rule has fixed keys, the order of the
// keys does not count; if the names are free, it does.
func (f *canonicalizer) mapping(pairs []Pair, r *config.Rule) any {
	fixed := r != nil
	list := make([]pairForm, len(pairs))
	for i, p := range pairs {
		var below *config.Rule
		if r != nil {
			below = r.Names
			if k := r.Find(p.Key.Text); k != nil && p.Key.Kind == ScalarNode {
				below = k.Rule
			} else {
				fixed = false
			}
		}
		list[i] = pairForm{f.node(p.Key, nil), f.node(p.Value, below)}
	}
	if fixed {
		slices.SortStableFunc(list, func(a, b pairForm) int { return strings.Compare(a.Key.(string), b.Key.(string)) })
	}
	return list
}

// datatype returns the canonical form of a type, together with the additional keys that its rule
// allows.
func (f *canonicalizer) datatype(n *Node, r *config.Rule) any {
	var extra []Pair
	for _, p := range n.pairs() {
		if r.Find(p.Key.Text) != nil {
			extra = append(extra, p)
		}
	}
	return [2]any{f.typ(n, r.KeyNames()...), f.mapping(extra, r)}
}
