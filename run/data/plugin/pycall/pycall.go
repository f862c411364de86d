// Package pycall is the plugin `pycall`: it runs Python code of the tree inside the program.
package pycall

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/expr"
	"github.com/pentode-dev/pentode/run/data/into"
)

// Value is a variable for Python code: memory, with its type.
type Value struct {
	Name     string
	Type     data.Type
	Memory   []byte
	Shared   bool // true if Memory belongs to a datum, false if it has a computed value
	Writable bool
}

// Runner runs code in the Python interpreter of the program.
type Runner func(code string, values []Value) error

// Plugin returns the plugin.
func Plugin(run Runner) data.Plugin {
	return data.Plugin{
		Name:     "pycall",
		Title:    "Pycall",
		Doc:      "Runs Python code on events and when data is shared.",
		Runs:     data.Programs,
		RunsCode: true,
		Config:   new(pycall).rule(),
		Parts:    []config.Part{{Name: "on_event.NAME", Doc: "Code to run.", Rule: calls}},
		New: func(c *data.Context) error {
			err := into.Keys(c, c.Config, (&pycall{c, run}).rule())
			if err == nil {
				c.Greet()
			}
			return err
		},
	}
}

type pycall struct {
	*data.Context
	run Runner
}

// rule returns the rule of the configuration, which is read into p.
func (p *pycall) rule() *config.Rule {
	return &config.Rule{Keys: []config.Key{
		{Name: "on_event", Rule: config.ByName(config.Event, calls), Read: into.Func(p.onEvent), Doc: "Code to run at each event: one piece of code, or a list."},
		{Name: "on_data", Rule: config.ByName(config.Reads, config.Only(config.Script)), Read: into.Func(p.onData), Doc: "Code to run when a datum is shared; the datum is a variable with its name."},
		config.Log,
	}}
}

func (p *pycall) onEvent(n *data.Node) error {
	if !n.Blank() && n.Kind == data.ScalarNode {
		return data.Errorf(data.StatusSpecTree, n, "expected a mapping of events, found a scalar").NoMapping(n, "<")
	}
	return n.Each("a mapping of events", func(name string, _, value *data.Node) error {
		calls, err := p.calls(value)
		p.OnEvent(name, func(string) error { return p.all(calls) })
		return err
	})
}

func (p *pycall) onData(n *data.Node) error {
	return n.Each("a mapping of data", func(name string, _, value *data.Node) error {
		code, err := value.Scalar("Python code")
		p.OnShare(name, func(name string, ref data.Ref) error {
			return p.Timed(func() error { return p.shared(code, name, ref) })
		})
		return err
	})
}

var calls = config.OrList(new(pythonCall).rule())

// pythonCall is Python code with its variables.
type pythonCall struct {
	code      string
	with      *data.Node
	variables []variable
}

// rule returns the rule of a call, which is read into c.
func (c *pythonCall) rule() *config.Rule {
	return &config.Rule{Keys: []config.Key{
		{Name: "with", Rule: config.Arguments, Read: into.Node(&c.with), Doc: "Variables for the code, with their values."},
		{Name: "exec", Rule: config.Only(config.Script), Required: true, Read: into.Scalar(&c.code, "Python code after `exec`"), Doc: "The code."},
	}}
}

type variable struct {
	name  string
	value *data.Value
}

func (p *pycall) calls(n *data.Node) ([]pythonCall, error) {
	var calls []pythonCall
	for i, entry := range into.Items(n) {
		var call pythonCall
		err := into.Keys(p.Context, entry, call.rule())
		if e, ok := errors.AsType[*data.Error](err); ok && n.Kind == data.SequenceNode && entry.Kind == data.MappingNode && entry.Lookup("exec") == nil {
			return nil, e.NoKey("exec", fmt.Sprintf("[%d]", i))
		}
		if err != nil {
			return nil, err
		}
		err = call.with.Each("a mapping of variables", func(name string, _, value *data.Node) error {
			v, err := p.Env().ParseArgument(value)
			call.variables = append(call.variables, variable{name, v})
			return err
		})
		if err != nil {
			return nil, err
		}
		calls = append(calls, call)
	}
	return calls, nil
}

func (p *pycall) all(calls []pythonCall) error {
	return p.Timed(func() error {
		for _, call := range calls {
			var values []Value
			for _, a := range call.variables {
				v, err := p.value(a)
				if err != nil {
					return data.Within(err, "cannot give `%s` to Python", a.name)
				}
				values = append(values, v)
			}
			if err := p.exec(call.code, values); err != nil {
				return err
			}
		}
		return nil
	})
}

// value evaluates a variable. If the variable is a reference, it uses the datum's own
// memory.
func (p *pycall) value(a variable) (Value, error) {
	v := Value{Name: a.name}
	if a.value.Program.Form() == expr.Reference {
		for ref := range a.value.Program.Refs() {
			whole, err := p.Ref(ref.Name)
			if err != nil {
				return v, err
			}
			v.Shared = true
			if memory, err := whole.Write(); err == nil {
				v.Writable = true
				if len(ref.Path) == 0 { // a whole datum, which may be shared only for writing
					v.Type, v.Memory = whole.Type(), memory
					return v, nil
				}
			}
			break
		}
	}
	var err error
	v.Type, v.Memory, err = a.value.Evaluate()
	return v, err
}

// shared runs the code for a shared datum, with that datum as its only variable.
func (p *pycall) shared(code, name string, ref data.Ref) error {
	v := Value{Name: name, Type: ref.Type(), Shared: true}
	memory, err := ref.Write()
	if err == nil {
		v.Writable = true
	} else if memory, err = ref.Read(); err != nil {
		return err
	}
	v.Memory = memory
	return p.exec(code, []Value{v})
}

// exec runs code. If it fails, the original program only logs the error.
func (p *pycall) exec(code string, values []Value) error {
	err := p.run(code, values)
	if err != nil && p.Env().Dialect == data.Upstream {
		p.Log.Error("while calling python, caught exception: %s", data.UpstreamText(err))
		return nil
	}
	return err
}
