// Package setvalue is the plugin `set_value`: it gives data values that are written in the tree.
package setvalue

import (
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/logging"
)

// Plugin is the declaration.
func Plugin() data.Plugin {
	return data.Plugin{
		Name:  "set_value",
		Title: "Set-value",
		Doc:   "Gives data values that are written in the tree.",
		Runs:  data.Everywhere,
		Config: &config.Rule{Keys: []config.Key{
			{Name: "on_init", Rule: operations, Doc: "What to do when everything is declared."},
			{Name: "on_event", Rule: config.ByName(config.Event, operations), Doc: "What to do, by event."},
			{Name: "on_data", Rule: config.ByName(config.Reads, operations), Doc: "What to do when a datum is shared."},
			{Name: "on_finalize", Rule: operations, Doc: "What to do at the end."},
			config.Log,
		}},
		Parts: []config.Part{{Name: "OPERATION", Doc: "One thing to do.", Rule: operations.List}},
		New:   load,
		Check: func(c *data.Context) error { return (&setValue{c}).read() },
	}
}

var assignments = &config.Rule{List: config.ByName(config.Writes, &config.Rule{Value: true})}

var operations = &config.Rule{List: &config.Rule{Strict: true, Keys: []config.Key{
	{Name: "set", Rule: assignments, Doc: "Write over data that is shared: a list of `name: value`."},
	{Name: "share", Rule: assignments, Doc: "Share new data with these values."},
	{Name: "expose", Rule: assignments, Doc: "Share new data with these values and release it."},
	{Name: "release", Rule: &config.Rule{List: config.Only(config.Reads)}, Doc: "Release data by name."},
	{Name: "event", Rule: config.Only(config.Event), Doc: "Raise an event."},
	{Name: "logger", Doc: "Change the log.", Rule: &config.Rule{Keys: []config.Key{
		{Name: "level", Rule: config.Only(config.Label), Doc: "The new level."},
		{Name: "pattern", Rule: config.Only(config.LivePattern), Doc: "The new pattern."},
		{Name: "evaluate", Rule: config.Only(config.Condition), Doc: "Evaluate the pattern again."},
	}}},
}}}

// operation is one step of a list.
type operation func() error

// load reads its configuration only when everything is declared, one part after the other:
// what `on_init` does is not heard by the rest.
func load(c *data.Context) error {
	v := &setValue{c}
	c.Greet()
	c.OnInit(func() error { return data.Within(v.begin(), "in the plugin `set_value`") })
	return nil
}

// read reads the configuration and does nothing.
func (v *setValue) read() error {
	nothing := func(string, []operation) {}
	if _, err := v.operations(v.Config.Lookup("on_init")); err != nil {
		return err
	}
	if err := v.each("on_event", "a mapping of events", nothing); err != nil {
		return err
	}
	if err := v.each("on_data", "a mapping of data", nothing); err != nil {
		return err
	}
	_, err := v.operations(v.Config.Lookup("on_finalize"))
	return err
}

// each reads the operations by name behind a key.
func (v *setValue) each(key, expected string, add func(name string, list []operation)) error {
	return v.Config.Lookup(key).Each(expected, func(name string, _, value *data.Node) error {
		list, err := v.operations(value)
		add(name, list)
		return err
	})
}

func (v *setValue) begin() error {
	first, err := v.operations(v.Config.Lookup("on_init"))
	if err != nil {
		return err
	}
	if err := run(first); err != nil {
		return err
	}
	err = v.each("on_event", "a mapping of events", func(name string, list []operation) {
		v.OnEvent(name, func(string) error { return run(list) })
	})
	if err != nil {
		return err
	}
	err = v.each("on_data", "a mapping of data", func(name string, list []operation) {
		v.OnShare(name, func(string, data.Ref) error { return run(list) })
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
