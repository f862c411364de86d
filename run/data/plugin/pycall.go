package plugin

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// PythonValue is a variable for Python code: memory in place, with its type.
type PythonValue struct {
	Name     string
	Type     data.Type
	Memory   []byte
	Shared   bool // it is a datum's own memory, not the result of a computation
	Writable bool
}

// Pycall runs Python code in the program; run is what runs it.
func Pycall(run func(code string, values []PythonValue) error) data.Plugin {
	return data.Plugin{
		Name:  "pycall",
		Title: "Pycall",
		Doc:   "runs Python code on events and when data is shared",
		Keys: []data.Key{
			loggingKey,
			{Name: "on_event", Doc: "event: `{with: {variable: value}, exec: code}` or a list of such"},
			{Name: "on_data", Doc: "datum: code to run when it is shared; a variable of its name is the datum"},
		},
		New: func(c *data.Context) error {
			p := &pycall{c, run}
			events := c.Config.Lookup("on_event")
			if !events.Blank() && events.Kind == data.ScalarNode {
				return data.Errorf(data.StatusSpecTree, events, "expected a mapping of events, found a scalar").NoMapping(events, "<")
			}
			err := events.Each("a mapping of events", func(name string, _, value *data.Node) error {
				calls, err := p.calls(value)
				c.OnEvent(name, func(string) error { return p.all(calls) })
				return err
			})
			if err != nil {
				return err
			}
			err = c.Config.Lookup("on_data").Each("a mapping of data", func(name string, _, value *data.Node) error {
				code, err := value.Scalar("Python code")
				c.OnShare(name, func(name string, ref data.Ref) error {
					return p.Timed(func() error { return p.shared(code, name, ref) })
				})
				return err
			})
			if err == nil {
				hello(c)
			}
			return err
		},
	}
}

type pycall struct {
	*data.Context
	run func(string, []PythonValue) error
}

// pythonCall is code with its variables.
type pythonCall struct {
	code      string
	variables []argument
}

func (p *pycall) calls(n *data.Node) ([]pythonCall, error) {
	list := []*data.Node{n}
	if n.Kind == data.SequenceNode {
		list = n.Items
	}
	var calls []pythonCall
	for i, entry := range list {
		code, err := entry.Field("exec", "Python code behind `exec`")
		if e, ok := errors.AsType[*data.Error](err); ok && n.Kind == data.SequenceNode && entry.Kind == data.MappingNode && entry.Lookup("exec") == nil {
			return nil, e.NoKey("exec", fmt.Sprintf("[%d]", i))
		}
		if err != nil {
			return nil, err
		}
		call := pythonCall{code: code}
		err = entry.Lookup("with").Each("a mapping of variables", func(name string, _, value *data.Node) error {
			v, err := p.Env().ParseArgument(value)
			call.variables = append(call.variables, argument{name, v})
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
			var values []PythonValue
			for _, a := range call.variables {
				v, err := p.value(a)
				if err != nil {
					return data.Within(err, "cannot give `%s` to Python", a.alias)
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

// value evaluates a variable. What a reference leads to stays in place.
func (p *pycall) value(a argument) (PythonValue, error) {
	v := PythonValue{Name: a.alias}
	if a.value.Program.Form() == expr.Reference {
		for ref := range a.value.Program.Refs() {
			whole, err := p.Ref(ref.Name)
			if err != nil {
				return v, err
			}
			v.Shared = true
			if memory, err := whole.Write(); err == nil {
				v.Writable = true
				if len(ref.Path) == 0 { // it may be shared for writing only
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

// shared runs code with one datum.
func (p *pycall) shared(code, name string, ref data.Ref) error {
	v := PythonValue{Name: name, Type: ref.Type(), Shared: true}
	memory, err := ref.Write()
	if err == nil {
		v.Writable = true
	} else if memory, err = ref.Read(); err != nil {
		return err
	}
	v.Memory = memory
	return p.exec(code, []PythonValue{v})
}

// exec runs code. The original program only logs that it failed.
func (p *pycall) exec(code string, values []PythonValue) error {
	err := p.run(code, values)
	if err != nil && p.Env().Dialect == data.Upstream {
		p.Log.Error("while calling python, caught exception: %s", data.UpstreamText(err))
		return nil
	}
	return err
}
