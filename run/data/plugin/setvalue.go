package plugin

import (
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/logging"
)

// SetValue shares, changes and releases data from the tree itself.
func SetValue() data.Plugin {
	operations := "a list of `set`, `share`, `expose`, `release`, `event` and `logger`"
	return data.Plugin{
		Name:  "set_value",
		Title: "Set-value",
		Doc:   "gives data values that are written in the tree: at the begin, on events, when other data is shared, and at the end",
		Keys: []data.Key{
			loggingKey,
			{Name: "on_init", Doc: operations + ", when everything is declared"},
			{Name: "on_event", Doc: "event: " + operations},
			{Name: "on_data", Doc: "datum: " + operations + ", when it is shared"},
			{Name: "on_finalize", Doc: operations + ", before the store closes"},
		},
		New: newSetValue,
	}
}

// operation is one step of a list.
type operation func() error

// newSetValue reads its configuration only when everything is declared, one part after the other:
// what `on_init` does is not heard by the rest.
func newSetValue(c *data.Context) error {
	v := &setValue{c}
	hello(c)
	c.OnInit(func() error { return data.Within(v.begin(), "in the plugin `set_value`") })
	return nil
}

func (v *setValue) begin() error {
	first, err := v.operations(v.Config.Lookup("on_init"))
	if err != nil {
		return err
	}
	if err := run(first); err != nil {
		return err
	}
	err = v.Config.Lookup("on_event").Each("a mapping of events", func(name string, _, value *data.Node) error {
		list, err := v.operations(value)
		v.OnEvent(name, func(string) error { return run(list) })
		return err
	})
	if err != nil {
		return err
	}
	err = v.Config.Lookup("on_data").Each("a mapping of data", func(name string, _, value *data.Node) error {
		list, err := v.operations(value)
		v.OnShare(name, func(string, data.Ref) error { return run(list) })
		return err
	})
	if err != nil {
		return err
	}
	last, err := v.operations(v.Config.Lookup("on_finalize"))
	v.OnFinalize(func() error { return run(last) })
	return err
}

func run(list []operation) error {
	for _, op := range list {
		if err := op(); err != nil {
			return err
		}
	}
	return nil
}

type setValue struct{ *data.Context }

func (v *setValue) operations(n *data.Node) ([]operation, error) {
	if n == nil {
		return nil, nil
	}
	if n.Kind != data.SequenceNode {
		return nil, data.Errorf(data.StatusSpecTree, n, "expected a list of operations, found a %s", n.Kind).
			Upstream("Operations must be defined as a list")
	}
	var list []operation
	for _, item := range n.Items {
		err := item.Each("a mapping `operation: …`", func(name string, key, value *data.Node) error {
			op, err := v.operation(name, key, value)
			list = append(list, op)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (v *setValue) operation(name string, key, value *data.Node) (operation, error) {
	switch name {
	case "set":
		return v.assignments(value, v.set)
	case "share":
		return v.assignments(value, func(a assignment) error {
			memory, err := v.allocate(a)
			if err != nil {
				return err
			}
			return v.Share(a.name, memory, data.InOut)
		})
	case "expose":
		return v.assignments(value, func(a assignment) error {
			memory, err := v.allocate(a)
			if err != nil {
				return err
			}
			if err := v.Share(a.name, memory, data.InOut); err != nil {
				return err
			}
			return v.Release(a.name)
		})
	case "release":
		return v.release(value)
	case "event":
		event, err := value.Scalar("the name of an event")
		return func() error { return v.Event(event) }, err
	case "logger":
		return v.logger(value)
	}
	return nil, data.Errorf(data.StatusSpecTree, key, "unknown operation `%s`: there are `set`, `share`, `expose`, `release`, `event` and `logger`", name).
		Upstream("Unknown operation: %s", name)
}

// assignment is `name: value` in a list.
type assignment struct {
	name  string
	value *data.Value
}

func (v *setValue) assignments(n *data.Node, do func(assignment) error) (operation, error) {
	items, err := n.List("a list of `name: value`")
	if err != nil {
		return nil, err
	}
	var list []assignment
	for _, item := range items {
		err := item.Each("a mapping `name: value`", func(name string, _, value *data.Node) error {
			val, err := v.Env().ParseValue(value)
			list = append(list, assignment{name, val})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return func() error {
		for _, a := range list {
			if err := do(a); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// allocate makes memory of the declared type with the value in it.
func (v *setValue) allocate(a assignment) ([]byte, error) {
	template, ok := v.Template(a.name)
	if !ok {
		return nil, data.Errorf(data.StatusSystem, a.value.Node, "`%s` is not declared, so its size is not known", a.name).UpstreamAlone("std::bad_alloc")
	}
	t, err := template.Evaluate()
	if err != nil {
		return nil, err
	}
	memory, err := v.Allocate(t)
	if err != nil {
		return nil, data.Within(err, "cannot make `%s`", a.name)
	}
	return memory, a.value.CopyTo(t, v.Env().Machine, memory)
}

// set writes over shared data. The value is complete before the first byte
// changes, so it may refer to the old one.
func (v *setValue) set(a assignment) error {
	ref, err := v.Ref(a.name)
	if err != nil {
		return err
	}
	memory, err := ref.Write()
	if err != nil {
		return data.Errorf(data.StatusPermission, a.value.Node, "cannot set `%s`: it is not shared for writing", a.name).
			Upstream("Cannot get write access for `%s' to set values", a.name)
	}
	t := ref.Type()
	scratch := append([]byte(nil), memory[:t.Size()]...)
	if err := a.value.CopyTo(t, v.Env().Machine, scratch); err != nil {
		return err
	}
	copy(memory, scratch)
	return nil
}

func (v *setValue) release(n *data.Node) (operation, error) {
	items, err := n.List("a list of names")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, item := range items {
		name, err := item.Scalar("the name of a datum")
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return func() error {
		for _, name := range names {
			if err := v.Release(name); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// logger changes the log while the program runs.
func (v *setValue) logger(n *data.Node) (operation, error) {
	parse := func(key string) (*data.Value, error) {
		if node := n.Lookup(key); node != nil {
			return v.Env().ParseValue(node)
		}
		return nil, nil
	}
	level, err := parse("level")
	if err != nil {
		return nil, err
	}
	evaluate, err := parse("evaluate")
	if err != nil {
		return nil, err
	}
	pattern := ""
	if p := n.Lookup("pattern"); p != nil {
		if pattern, err = p.Scalar("a pattern"); err != nil {
			return nil, err
		}
	}
	return func() error {
		if level != nil {
			text, err := level.Text()
			if err != nil {
				return err
			}
			if l, ok := logging.ParseLevel(text); ok {
				v.Log.Warn("Changing level to %s", text)
				v.SetLevel(l)
			} else {
				v.Log.Warn("`%s` is no logging level: there are `%s`", text, strings.Join(logging.Levels[:], "`, `"))
			}
		}
		again := pattern != ""
		if evaluate != nil {
			ok, err := evaluate.True()
			if err != nil {
				return err
			}
			again = again || ok
		}
		if again {
			return v.SetPattern(pattern)
		}
		return nil
	}, nil
}
