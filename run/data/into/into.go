// Package into reads configurations of plugins by their rules: each key of a rule says where its value goes.
//
//	{Name: "file", Rule: config.Only(config.Label), Doc: "The file.", Read: into.Text(&f.path, "the name of a file")}
//
// A plugin has a function that makes the rule of a mapping, bound to the fields of one value. It makes one rule for its
// declaration, and one for each mapping that it reads, so the store, the checker, editors and the reference see the same keys.
package into

import (
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// Reader puts the value of a key where it belongs.
type Reader func(c *data.Context, key, value *data.Node) error

// ReadsKey lets a config.Key have a Reader.
func (Reader) ReadsKey() {}

// Text reads an expression that is a scalar; what names it in messages.
func Text(to **data.Value, what string) Reader {
	return func(c *data.Context, _, value *data.Node) (err error) {
		*to, err = c.Env().ParseText(value, what)
		return err
	}
}

// When is the key of a condition.
func When(to **data.Value) config.Key {
	return config.Key{Name: "when", Rule: condition, Doc: "Do it only where this is not zero.", Read: Text(to, "a condition")}
}

var condition = config.Only(config.Condition)

// Value reads an expression of any shape.
func Value(to **data.Value) Reader {
	return func(c *data.Context, _, value *data.Node) (err error) {
		*to, err = c.Env().ParseValue(value)
		return err
	}
}

// Numbers reads one size or a list of them.
func Numbers(to *[]*data.Value) Reader {
	return func(c *data.Context, _, n *data.Node) error {
		nodes := []*data.Node{n}
		if n.Kind == data.SequenceNode && len(n.Items) > 0 {
			nodes = n.Items
		}
		list := make([]*data.Value, len(nodes))
		for i, n := range nodes {
			var err error
			if list[i], err = c.Env().ParseText(n, "a number or an expression"); err != nil {
				return err
			}
		}
		*to = list
		return nil
	}
}

// Scalar reads a scalar as it is written; what names it in messages.
func Scalar(to *string, what string) Reader {
	return func(_ *data.Context, _, value *data.Node) (err error) {
		*to, err = value.Scalar(what)
		return err
	}
}

// Node keeps the first value of a key, for a plugin that reads it later.
func Node(to **data.Node) Reader {
	return func(_ *data.Context, _, value *data.Node) error {
		if *to == nil {
			*to = value
		}
		return nil
	}
}

// Parsed reads with a function.
func Parsed[T any](to *T, parse func(*data.Node) (T, error)) Reader {
	return func(_ *data.Context, _, value *data.Node) (err error) {
		*to, err = parse(value)
		return err
	}
}

// Func leaves a value to a function.
func Func(read func(*data.Node) error) Reader {
	return func(_ *data.Context, _, value *data.Node) error { return read(value) }
}

// Words reads one name or a list of them.
func Words(n *data.Node) ([]string, error) {
	nodes := []*data.Node{n}
	if n.Kind == data.SequenceNode {
		nodes = n.Items
	}
	list := make([]string, len(nodes))
	for i, n := range nodes {
		var err error
		if list[i], err = n.Scalar("a name"); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Mapping reads the keys of a mapping in the order in which they are written; what names the mapping in messages.
// unknown gets each key that the rule does not have.
func Mapping(c *data.Context, n *data.Node, what string, r *config.Rule, unknown func(key, value *data.Node) error) error {
	return n.Each(what, func(name string, key, value *data.Node) error {
		k := r.Find(name)
		switch {
		case k == nil:
			return unknown(key, value)
		case k.Read == nil:
			return nil
		}
		return k.Read.(Reader)(c, key, value)
	})
}

// Keys reads the keys that a rule has, in its order, and passes over all others.
func Keys(c *data.Context, n *data.Node, r *config.Rule) error {
	for _, k := range r.Keys {
		value := n.Lookup(k.Name)
		if value == nil && k.Required {
			_, err := n.Field(k.Name, "")
			return err
		}
		if value == nil || k.Read == nil {
			continue
		}
		if err := k.Read.(Reader)(c, nil, value); err != nil {
			return err
		}
	}
	return nil
}
