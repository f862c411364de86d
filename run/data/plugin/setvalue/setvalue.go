// Package setvalue is the plugin `set_value`: it sets data to values that are given in the tree.
package setvalue

import (
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/into"
	"github.com/pentode-dev/pentode/run/data/logging"
)

// Plugin returns the plugin.
func Plugin() data.Plugin {
	return data.Plugin{
		Name:   "set_value",
		Title:  "Set-value",
		Doc:    "Sets data to values written in the tree.",
		Runs:   data.Everywhere,
		Config: new(setValue).rule(),
		Parts:  []config.Part{{Name: "OPERATION", Doc: "One operation.", Rule: one}},
		New:    load,
		Check:  func(c *data.Context) error { return (&setValue{c, func(operation) error { return nil }}).begin() },
	}
}

var (
	assignments = &config.Rule{List: config.ByName(config.Writes, &config.Rule{Value: true})}
	one         = new(setValue).operation(new([]operation))
)

// operation returns the rule of an operation, which is read into list.
func (v *setValue) operation(list *[]operation) *config.Rule {
	add := func(parse func(*data.Node) (operation, error)) config.Reader {
		return into.Func(func(n *data.Node) error {
			op, err := parse(n)
			*list = append(*list, op)
			return err
		})
	}
	return &config.Rule{Strict: true, Keys: []config.Key{
		{Name: "set", Rule: assignments, Read: add(v.assignments(v.set)), Doc: "Overwrite shared data: a list of `name: value`."},
		{Name: "share", Rule: assignments, Read: add(v.assignments(v.share)), Doc: "Share new data with these values."},
		{Name: "expose", Rule: assignments, Read: add(v.assignments(v.expose)), Doc: "Share new data with these values and release it."},
		{Name: "release", Rule: &config.Rule{List: config.Only(config.Reads)}, Read: add(v.release), Doc: "Release data by name."},
		{Name: "event", Rule: config.Only(config.Event), Read: add(v.event), Doc: "Trigger an event."},
		{Name: "logger", Rule: new(logger).rule(), Read: add(v.logger), Doc: "Change the settings of the log."},
	}}
}

// logger is an operation that changes the settings of the log.
type logger struct {
	level, evaluate *data.Value
	pattern         *data.Node
}

// rule returns the rule of such an operation, which is read into l.
func (l *logger) rule() *config.Rule {
	return &config.Rule{Keys: []config.Key{
		{Name: "level", Rule: config.Only(config.Label), Read: into.Value(&l.level), Doc: "The new level."},
		{Name: "pattern", Rule: config.Only(config.LivePattern), Read: into.Node(&l.pattern), Doc: "The new pattern."},
		{Name: "evaluate", Rule: config.Only(config.Condition), Read: into.Value(&l.evaluate), Doc: "Evaluate the pattern again."},
	}}
}

// operation is what the plugin does for one item of a list, or for the whole list.
type operation func() error

// load makes the plugin read its configuration when all data is declared. It reads the parts in
// order and each takes effect at once. So when `on_init` runs its operations, the operations of
// later parts are not triggered yet.
func load(c *data.Context) error {
	v := &setValue{c, operation.run}
	c.Greet()
	c.OnInit(func() error { return data.Within(v.begin(), "in the plugin `set_value`") })
	return nil
}

func (v *setValue) begin() error { return into.Keys(v.Context, v.Config, v.rule()) }

// byName reads a mapping from names to lists of operations, and calls add for each entry.
func (v *setValue) byName(expected string, add func(name string, do operation)) into.Reader {
	return into.Func(func(n *data.Node) error {
		return n.Each(expected, func(name string, _, value *data.Node) error {
			do, err := v.operations(value)
			add(name, do)
			return err
		})
	})
}

func (do operation) run() error { return do() }

type setValue struct {
	*data.Context
	first func(operation) error // called with the operations of `on_init`; it runs them
}

// rule returns the rule of the configuration, which is read into the store.
func (v *setValue) rule() *config.Rule {
	operations := &config.Rule{List: one}
	return &config.Rule{Keys: []config.Key{
		{Name: "on_init", Rule: operations, Read: v.list(v.first), Doc: "Operations when everything is declared."},
		{Name: "on_event", Rule: config.ByName(config.Event, operations), Doc: "Operations by event.", Read: v.byName("a mapping of events", func(name string, do operation) {
			v.OnEvent(name, func(string) error { return do() })
		})},
		{Name: "on_data", Rule: config.ByName(config.Reads, operations), Doc: "Operations when a datum is shared.", Read: v.byName("a mapping of data", func(name string, do operation) {
			v.OnShare(name, func(string, data.Ref) error { return do() })
		})},
		{Name: "on_finalize", Rule: operations, Doc: "Operations at the end.", Read: v.list(func(do operation) error {
			v.OnFinalize(do)
			return nil
		})},
		config.Log,
	}}
}

// list reads a list of operations and passes it to take as one operation.
func (v *setValue) list(take func(operation) error) into.Reader {
	return into.Func(func(n *data.Node) error {
		do, err := v.operations(n)
		if err != nil {
			return err
		}
		return take(do)
	})
}

func (v *setValue) operations(n *data.Node) (operation, error) {
	if n.Kind != data.SequenceNode {
		return nil, data.Errorf(data.StatusSpecTree, n, "expected a list of operations, found a %s", n.Kind).
			Upstream("Operations must be defined as a list")
	}
	var list []operation
	r := v.operation(&list)
	for _, item := range n.Items {
		err := into.Mapping(v.Context, item, "a mapping `operation: …`", r, func(key, _ *data.Node) error {
			return data.Errorf(data.StatusSpecTree, key, "unknown operation `%s`: the operations are `set`, `share`, `expose`, `release`, `event` and `logger`", key.Text).
				Upstream("Unknown operation: %s", key.Text)
		})
		if err != nil {
			return nil, err
		}
	}
	return each(list, operation.run), nil
}

func (v *setValue) event(n *data.Node) (operation, error) {
	event, err := n.Scalar("the name of an event")
	return func() error { return v.Event(event) }, err
}

// assignment is an item `name: value` of a list.
type assignment struct {
	name  string
	value *data.Value
}

// assignments returns a function that reads a list of assignments as one operation. The
// operation calls do for each assignment.
func (v *setValue) assignments(do func(assignment) error) func(*data.Node) (operation, error) {
	return func(n *data.Node) (operation, error) {
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
		return each(list, do), nil
	}
}

// each returns an operation that calls do for all items of a list.
func each[T any](list []T, do func(T) error) operation {
	return func() error {
		for _, item := range list {
			if err := do(item); err != nil {
				return err
			}
		}
		return nil
	}
}

func (v *setValue) share(a assignment) error {
	memory, err := v.allocate(a)
	if err != nil {
		return err
	}
	return v.Share(a.name, memory, data.InOut)
}

func (v *setValue) expose(a assignment) error {
	if err := v.share(a); err != nil {
		return err
	}
	return v.Release(a.name)
}

// allocate allocates memory of the declared type of a datum and writes the assigned value to it.
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

// set overwrites the memory of a shared datum. It first computes the complete new value, because
// its expression may refer to the old one.
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
	return each(names, v.Release), nil
}

// logger reads an operation that changes the settings of the log.
func (v *setValue) logger(n *data.Node) (operation, error) {
	var l logger
	err := into.Keys(v.Context, n, l.rule())
	if err != nil {
		return nil, err
	}
	pattern := ""
	if l.pattern != nil {
		if pattern, err = l.pattern.Scalar("a pattern"); err != nil {
			return nil, err
		}
	}
	return func() error {
		if l.level != nil {
			text, err := l.level.Text()
			if err != nil {
				return err
			}
			if level, ok := logging.ParseLevel(text); ok {
				v.Log.Warn("Changing level to %s", text)
				v.SetLevel(level)
			} else {
				v.Log.Warn("`%s` is not a logging level: the levels are `%s`", text, strings.Join(logging.Levels[:], "`, `"))
			}
		}
		again := pattern != ""
		if l.evaluate != nil {
			ok, err := l.evaluate.True()
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
