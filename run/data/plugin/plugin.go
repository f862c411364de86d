// Package plugin has the plugins that every data store can use: trace, set_value,
// serialize, json, timer and user_code.
//
// Each is one data.Plugin value. A program lists the ones it wants in
// data.Options; nothing registers itself.
//
//	data.Options{Plugins: plugin.Builtin(functions)}
//	                          │
//	  specification tree ─────┴──▶ New(*data.Context) ──▶ callbacks in the store
package plugin

import "github.com/pentode-dev/pentode/run/data"

// Function is Go code that a tree can call by name through `user_code`. The data
// it was given stand in the store under the aliases of the call.
type Function func(*data.Store) error

// Builtin returns the plugins of this package; functions are what `user_code`
// may call.
func Builtin(functions map[string]Function) []data.Plugin {
	return []data.Plugin{JSON(), Serialize(), SetValue(), Timer(), Trace(), UserCode(functions)}
}

// loggingKey is the key that every plugin has.
var loggingKey = data.Key{Name: "logging", Doc: "the plugin's own log: a level, or a mapping with `level`, `pattern` and `output`"}

// hello says in the log that a plugin came, and later that it goes.
func hello(c *data.Context) {
	c.Log.Info("Plugin loaded successfully")
	c.OnClose(func() error {
		c.Log.Info("Closing plugin")
		return nil
	})
}

// scalar returns the text of a node that must be one.
func scalar(n *data.Node, what string) (string, error) {
	if n == nil || n.Kind != data.ScalarNode {
		return "", data.Errorf(data.StatusSpecTree, n, "expected %s, found %s", what, kind(n))
	}
	return n.Text, nil
}

func kind(n *data.Node) string {
	if n == nil {
		return "nothing"
	}
	return "a " + n.Kind.String()
}

// pairs visits the entries of a mapping; nothing at all has none.
func pairs(n *data.Node, what string, visit func(name string, key, value *data.Node) error) error {
	if n.Blank() {
		return nil
	}
	if n.Kind != data.MappingNode {
		return data.Errorf(data.StatusSpecTree, n, "expected a mapping %s, found %s", what, kind(n))
	}
	for _, p := range n.Pairs {
		name, err := scalar(p.Key, "a name")
		if err != nil {
			return err
		}
		if err := visit(name, p.Key, p.Value); err != nil {
			return err
		}
	}
	return nil
}
