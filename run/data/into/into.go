// Package into reads configurations of plugins by their rules: each key of a rule names the field that its value is read into.
//
//	{Name: "file", Rule: config.Only(config.Label), Doc: "The file.", Read: into.Text(&f.path, "the name of a file")}
//
// A plugin has a function that makes the rule of a mapping, bound to the fields of one value. One such rule is the plugin's
// declaration, which the checker, editors and the reference use; another one reads the configuration. So both have the same
// keys.
//
//	rule ──┬──▶ data.Plugin.Config ──▶ check, completion, reference, JSON Schema
//	       └──▶ Mapping, in the order of the file, or Keys, in the order of the rule ──▶ Reader ──▶ fields of the plugin
package into

import (
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// Reader reads the value of a key of a configuration.
type Reader func(c *data.Context, key, value *data.Node) error

// ReadsKey marks Reader as a config.Reader.
func (Reader) ReadsKey() {}

// Text reads a scalar as an expression. what names the value in messages.
func Text(to **data.Value, what string) Reader {
	return func(c *data.Context, _, value *data.Node) (err error) {
		*to, err = c.Env().ParseText(value, what)
		return err
	}
}

// When returns the key `when`, whose value is a condition.
func When(to **data.Value) config.Key {
	return config.Key{Name: "when", Rule: condition, Doc: "Do it only if this is not zero.", Read: Text(to, "a condition")}
}

var condition = config.Only(config.Condition)

// Value reads an expression: a scalar, a list or a mapping.
func Value(to **data.Value) Reader {
	return func(c *data.Context, _, value *data.Node) (err error) {
		*to, err = c.Env().ParseValue(value)
		return err
	}
}

// Values reads one expression or a list of them.
func Values(to *[]*data.Value) Reader {
	return func(c *data.Context, _, n *data.Node) (err error) {
		*to, err = List(n, c.Env().ParseValue)
		return err
	}
}

// Numbers reads an expression for a number, or a list of them.
func Numbers(to *[]*data.Value) Reader {
	return func(c *data.Context, _, n *data.Node) (err error) {
		number := func(n *data.Node) (*data.Value, error) { return c.Env().ParseText(n, "a number or an expression") }
		if *to, err = List(n, number); err == nil && len(*to) == 0 {
			_, err = number(n)
		}
		return err
	}
}

// Scalar reads a scalar as plain text. what names the value in messages.
func Scalar(to *string, what string) Reader {
	return ScalarFunc(what, func(n *data.Node) error {
		*to = n.Text
		return nil
	})
}

// ScalarFunc calls read with a value that must be a scalar.
func ScalarFunc(what string, read func(*data.Node) error) Reader {
	return Func(func(n *data.Node) error {
		if _, err := n.Scalar(what); err != nil {
			return err
		}
		return read(n)
	})
}

// Node stores the value without reading it, for a plugin that reads it later. If the key is repeated, the first value
// counts.
func Node(to **data.Node) Reader {
	return Func(func(value *data.Node) error {
		if *to == nil {
			*to = value
		}
		return nil
	})
}

// Func calls read with the value.
func Func(read func(*data.Node) error) Reader {
	return func(_ *data.Context, _, value *data.Node) error { return read(value) }
}

// Parsed reads a value with parse and stores the result.
func Parsed[T any](to *T, parse func(*data.Node) (T, error)) Reader {
	return Func(func(n *data.Node) (err error) {
		*to, err = parse(n)
		return err
	})
}

// Words reads one name or a list of them.
func Words(n *data.Node) ([]string, error) {
	return List(n, func(n *data.Node) (string, error) { return n.Scalar("a name") })
}

// List parses a value, or each item if the value is a list.
func List[T any](n *data.Node, parse func(*data.Node) (T, error)) (list []T, err error) {
	for _, item := range Items(n) {
		v, err := parse(item)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// Items returns the items of a list, or the value itself if it is not a list.
func Items(n *data.Node) []*data.Node {
	if n.Kind == data.SequenceNode {
		return n.Items
	}
	return []*data.Node{n}
}

// Mapping reads the keys of a mapping in the order in which they are written. what names the mapping in messages. unknown is
// called for each key that is not in the rule.
func Mapping(c *data.Context, n *data.Node, what string, r *config.Rule, unknown func(key, value *data.Node) error) error {
	return n.Each(what, func(name string, key, value *data.Node) error {
		if k := r.Find(name); k != nil {
			return read(c, k, key, value)
		}
		return unknown(key, value)
	})
}

func read(c *data.Context, k *config.Key, key, value *data.Node) error {
	if k.Read == nil {
		return nil
	}
	return k.Read.(Reader)(c, key, value)
}

// Keys reads the keys of a rule in the rule's order and ignores all others.
func Keys(c *data.Context, n *data.Node, r *config.Rule) error {
	for i := range r.Keys {
		var err error
		if k := &r.Keys[i]; n.Lookup(k.Name) != nil {
			err = read(c, k, nil, n.Lookup(k.Name))
		} else if k.Required {
			_, err = n.Field(k.Name, "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}
