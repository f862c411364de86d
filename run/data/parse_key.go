package data

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// declaration is the declaration of a type. name is the name of the declared type, and at
// the node with that name; extra are the keys that are allowed only in this place of the
// tree.
type declaration struct {
	*Node
	name  string
	at    *Node
	extra []string
}

// typeKeys lists the keys that each type has besides `type` and `+attributes`, which
// every type has.
var typeKeys = map[string][]string{
	"array":   {"size", "subtype", "subsize", "start"},
	"struct":  {"members"},
	"record":  {"buffersize", "members"},
	"tuple":   {"elements", "buffersize"},
	"pointer": {"subtype"},
	"integer": {"kind"}, "real": {"kind"}, "logical": {"kind"}, "character": {"kind"},
}

// TypeKeys returns the keys of a type besides `type` and `+attributes`.
func TypeKeys(name string) []string { return slices.Clone(typeKeys[name]) }

// memberKeys are the extra keys that members of records and elements of tuples may have.
var memberKeys = []string{"disp"}

// mergeWord is the key with which YAML merges the keys of another mapping. This language
// does not support it.
const mergeWord = "<<"

func (d *declaration) knows(key string) bool {
	return key == "type" || strings.HasPrefix(key, "+") || slices.Contains(typeKeys[d.name], key) || slices.Contains(d.extra, key) ||
		d.name == "array" && key == "order" // `order` of an array is accepted, but it has only one valid value
}

// declared finds out which type a node declares.
func (env *Env) declared(n *Node, extra []string) (declaration, bool) {
	switch {
	case n == nil:
		env.refuse(UnknownType, n, "expected a type, found nothing")
		return declaration{}, false
	case n.Kind == ScalarNode:
		return declaration{n, n.Text, n, extra}, true
	case n.Kind == SequenceNode:
		env.refuse(WrongShape, n, "expected a type: a name, or a mapping with the key `type`; found a sequence").NoScalar(n)
		return declaration{}, false
	}
	t := n.Lookup("type")
	switch {
	case t == nil:
		env.noType(n)
		return declaration{}, false
	case t.Kind != ScalarNode:
		env.refuse(WrongShape, t, "expected the name of a type after `type`, found %s", t.name()).NoScalar(n)
		return declaration{}, false
	}
	return declaration{n, t.Text, t, extra}, true
}

// noType reports a mapping without the key `type`.
func (env *Env) noType(n *Node) {
	if e := env.merged(n, problem.Error); e != nil {
		e.NoScalar(n)
		return
	}
	e := env.refuse(MissingKey, n, "the key `type` is missing").NoScalar(n)
	e.Subject.Key = "type"
	for _, p := range n.Pairs {
		if near, ok := problem.Nearest(p.Key.Text, []string{"type"}); ok && p.Key.Kind == ScalarNode {
			e.Related = append(e.Related, problem.Related{Span: p.Key.Span, Message: problem.DidYouMean(near)})
		}
		if before, after, ok := strings.Cut(p.Key.Text, ":"); ok && before == "type" {
			e.Expected = "write a blank after the colon: `type: " + problem.Clip(after, problem.Short) + "`"
		}
	}
}

// merged reports the key `<<` if the mapping has it. It is called when required keys are
// missing: the author probably expects `<<` to add them.
func (env *Env) merged(n *Node, s problem.Severity) *Error {
	for _, p := range n.pairs() {
		if p.Key.Kind != ScalarNode {
			break // later keys cannot be looked up by name
		}
		if p.Key.Text == mergeWord {
			e := env.report(MergeKey, s, p.Key, "`<<` merges nothing: to PDI it is a key like any other")
			e.Expected = "write the keys out, or use an alias for the whole value"
			return e
		}
	}
	return nil
}

// missing reports that a required key is missing. If another key is the cause, such as
// `<<`, that key is reported instead; the original program's message stays the same.
func (env *Env) missing(d *declaration, owner, key, expected, original string) {
	if e := env.merged(d.Node, problem.Error); e != nil {
		e.UpstreamAt(d.Node, "%s", original)
		return
	}
	for _, p := range d.Pairs {
		if p.Key.Kind != ScalarNode || d.knows(p.Key.Text) {
			continue
		}
		if near, ok := problem.Nearest(p.Key.Text, []string{key}); ok {
			e := env.unknownKey(d, p.Key, problem.Error)
			e.Suggestion, e.Expected = near, ""
			e.UpstreamAt(d.Node, "%s", original)
			return
		}
	}
	e := env.refuse(MissingKey, d.Node, "%s needs a `%s`", owner, key).Upstream("%s", original)
	e.Subject.Key, e.Expected = key, expected
}

func (env *Env) unknownKey(d *declaration, key *Node, s problem.Severity) *Error {
	e := env.report(UnknownKey, s, key, "`%s` has no key `%s`, it is ignored", problem.Clip(d.name, problem.Short), problem.Clip(key.Text, problem.Short))
	_, user := env.types[d.name]
	switch {
	case d.name != "array" && sizeWord(key.Text):
		e.Expected = "only an `array` has a size: `{type: array, subtype: " + problem.Clip(d.name, problem.Short) + ", size: …}`"
	case user:
		e.Expected = "write it where `" + problem.Clip(d.name, problem.Short) + "` is declared; where it is used, only `+attributes` may be added"
	default:
		e.Suggestion, _ = problem.Nearest(key.Text, slices.Concat(typeKeys[d.name], d.extra))
	}
	return e
}

func sizeWord(key string) bool { return key == "size" || key == "sizes" }

// attributes reads the `+name` keys of a declaration and checks that its other keys are
// known.
func (env *Env) attributes(d *declaration) []Attribute {
	var attrs []Attribute
	for _, p := range d.pairs() {
		if p.Key.Kind != ScalarNode {
			env.refuse(WrongShape, p.Key, "expected a key of the type `%s`, found %s", problem.Clip(d.name, problem.Short), p.Key.name()).NoScalar(p.Key)
			continue
		}
		if d.name != "array" && sizeWord(p.Key.Text) && builtin(d.name) {
			env.unknownKey(d, p.Key, problem.Warning)
		}
		name, ok := strings.CutPrefix(p.Key.Text, "+")
		if !ok {
			continue
		}
		v, err := env.ParseValue(p.Value)
		if err != nil {
			env.failed(Within(err, "attribute `+%s`", problem.Clip(name, problem.Short)))
			continue
		}
		env.evaluates(p.Value, false)
		attrs = append(attrs, Attribute{Name: name, Value: v})
	}
	if env.Lint {
		env.lintKeys(d)
	}
	return attrs
}

// lintKeys reports keys that have no effect.
func (env *Env) lintKeys(d *declaration) {
	env.merged(d.Node, problem.Warning)
	env.duplicates(d.Node)
	for _, p := range d.pairs() {
		if p.Key.Kind == ScalarNode && p.Key.Text != mergeWord && !d.knows(p.Key.Text) {
			env.unknownKey(d, p.Key, problem.Warning)
		}
		if env.full {
			break
		}
	}
}

// duplicates reports repeated keys. Only the first of equal keys has an effect.
func (env *Env) duplicates(n *Node) {
	const few = 16 // up to this number of keys, comparing them all is faster than hashing
	var first map[string]*Node
	pairs := n.pairs()
	if len(pairs) > few {
		first = make(map[string]*Node, len(pairs))
	}
	for i, p := range pairs {
		if p.Key.Kind != ScalarNode || env.full {
			continue
		}
		var have *Node
		if first != nil {
			if have = first[p.Key.Text]; have == nil {
				first[p.Key.Text] = p.Key
			}
		} else if j := slices.IndexFunc(pairs[:i], func(q Pair) bool { return q.Key.Kind == ScalarNode && q.Key.Text == p.Key.Text }); j >= 0 {
			have = pairs[j].Key
		}
		if have != nil {
			e := env.warn(DuplicateKey, p.Key, "the key `%s` is there twice", problem.Clip(p.Key.Text, problem.Short))
			e.Related = firstHere(have)
			e.Expected = "keep one of them; the original program takes the first"
		}
	}
}

func firstHere(n *Node) []problem.Related {
	return []problem.Related{{Span: n.Span, Message: "first here"}}
}
