// Package usercode is the plugin `user_code`: it calls functions of the program by name.
package usercode

import (
	"errors"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/into"
)

// Function is a Go function that a tree can call by name. Its arguments are data in the store; their
// names are the aliases that the call gives them.
type Function func(*data.Store) error

// Finder finds the function with a name. If it is nil, there are no functions.
type Finder func(name string) (Function, error)

// Functions returns a Finder for the functions in a map.
func Functions(list map[string]Function) Finder {
	return func(name string) (Function, error) {
		if f, ok := list[name]; ok {
			return f, nil
		}
		return nil, errors.New("it must register Go functions under the names that trees use")
	}
}

// Plugin returns the plugin.
func Plugin(find Finder) data.Plugin {
	if find == nil {
		find = Functions(nil)
	}
	return data.Plugin{
		Name:     "user_code",
		Title:    "User-code",
		Doc:      "Calls functions of the program on events and when data is shared, with data under the names that the function expects. Pipelines and `data replay` have no functions: they only log that one would be called.",
		Runs:     data.Everywhere,
		RunsCode: true,
		Config:   new(userCode).rule(),
		New: func(c *data.Context) error {
			err := into.Keys(c, c.Config, (&userCode{c, find}).rule())
			if err == nil {
				c.Greet()
			}
			return err
		},
	}
}

type userCode struct {
	*data.Context
	find Finder
}

// rule returns the rule of the configuration, which is read into u.
func (u *userCode) rule() *config.Rule {
	return &config.Rule{Keys: []config.Key{
		u.section("on_event", config.Event, "Functions by event: `{when: condition, function: {alias: value}}`, or a list of these.", func(name string, calls []*call) {
			u.OnEvent(name, func(string) error { return u.run(calls) })
		}),
		u.section("on_data", config.Reads, "Functions by datum, to call when it is shared.", func(name string, calls []*call) {
			u.OnShare(name, func(string, data.Ref) error { return u.run(calls) })
		}),
		config.Log,
	}}
}

// byName returns the rule for a mapping from names to the functions to call, or a list of such mappings.
func byName(nameIs config.Use) *config.Rule {
	calls := config.OrList(callRule(new(*data.Value)))
	return &config.Rule{Names: calls, NameIs: nameIs, List: config.ByName(nameIs, calls), Lax: true}
}

// callRule returns the rule for the functions to call; their condition is read into when.
func callRule(when **data.Value) *config.Rule {
	return &config.Rule{Keys: []config.Key{into.When(when)}, Names: config.Arguments, NameIs: config.Function}
}

// call is one function call with its condition and its arguments.
type call struct {
	name      string
	function  Function
	when      *data.Value
	arguments []argument
}

type argument struct {
	alias string
	value *data.Value
}

// section returns a key whose value is a mapping or a list of mappings.
func (u *userCode) section(key string, nameIs config.Use, doc string, add func(string, []*call)) config.Key {
	return config.Key{Name: key, Rule: byName(nameIs), Doc: doc, Read: into.Func(func(n *data.Node) error {
		if n.Blank() {
			return nil
		}
		if n.Kind == data.ScalarNode {
			u.Log.Error("Must be a map or sequence")
			return nil
		}
		for _, entry := range into.Items(n) {
			err := entry.Each("a mapping after `"+key+"`", func(name string, _, value *data.Node) error {
				calls, err := u.calls(value)
				add(name, calls)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})}
}

func (u *userCode) calls(n *data.Node) ([]*call, error) {
	var calls []*call
	for _, entry := range into.Items(n) {
		var when *data.Value
		r := callRule(&when)
		if err := into.Keys(u.Context, entry, r); err != nil {
			return nil, err
		}
		err := entry.Each("a mapping of functions", func(name string, key, value *data.Node) error {
			if r.Find(name) != nil {
				return nil
			}
			f, err := u.find(name)
			if err != nil {
				return data.Errorf(data.StatusSystem, key, "the program has no function `%s`: %v", name, err).
					Upstream("Unable to load user function `%s': %v", name, err)
			}
			c := &call{name: name, function: f, when: when}
			calls = append(calls, c)
			if value.Kind != data.MappingNode {
				return nil // the function is called without arguments
			}
			return value.Each("a mapping of aliases", func(alias string, _, value *data.Node) error {
				v, err := u.Env().ParseArgument(value)
				c.arguments = append(c.arguments, argument{alias, v})
				return err
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return calls, nil
}

func (u *userCode) run(calls []*call) error {
	return u.Timed(func() error {
		for _, c := range calls {
			if err := u.call(c); err != nil {
				return err
			}
		}
		return nil
	})
}

// call calls a function, if its condition is true. The original program shares the arguments before it
// evaluates the condition, and only logs the error if the condition has no value.
func (u *userCode) call(c *call) (err error) {
	upstream := u.Env().Dialect == data.Upstream
	if !upstream {
		if ok, err := c.called(); err != nil || !ok {
			return err
		}
	}
	for _, a := range c.arguments {
		if err := u.ShareValue(a.alias, a.value); err != nil {
			return data.Errorf(data.StatusOf(err), a.value.Node, "cannot give `%s` to `%s`: %s", a.alias, c.name, data.Message(err)).
				Upstream("Could not alias `%s' because %s", a.alias, data.UpstreamText(err))
		}
		defer func() {
			if e := u.Release(a.alias); err == nil {
				err = e
			}
		}()
	}
	if upstream {
		ok, err := c.called()
		if err != nil {
			u.Log.Error("While calling user code, caught exception: %s", data.UpstreamText(err))
		}
		if !ok {
			return nil
		}
	}
	return data.Within(c.function(u.Store), "function `%s`", c.name)
}

// called reports whether the condition of the call is true.
func (c *call) called() (bool, error) {
	if c.when == nil {
		return true, nil
	}
	return c.when.True()
}
