// Package plugin has the plugins that every data store can use: trace, set_value,
// serialize, json, timer and user_code.
//
// Each is one data.Plugin value. A program lists the ones it wants in
// data.Options; nothing registers itself.
//
//	data.Options{Plugins: plugin.Builtin(find)}
//	                          │
//	  specification tree ─────┴──▶ New(*data.Context) ──▶ callbacks in the store
package plugin

import (
	"errors"

	"github.com/pentode-dev/pentode/run/data"
)

// Function is Go code that a tree can call by name through `user_code`. The data
// it was given stand in the store under the aliases of the call.
type Function func(*data.Store) error

// Finder finds the functions that `user_code` may call. A nil one finds none.
type Finder func(name string) (Function, error)

// Functions finds functions in a map.
func Functions(list map[string]Function) Finder {
	return func(name string) (Function, error) {
		if f, ok := list[name]; ok {
			return f, nil
		}
		return nil, errors.New("it registers Go functions under the names that trees use")
	}
}

// Builtin returns the plugins of this package.
func Builtin(find Finder) []data.Plugin {
	return []data.Plugin{JSON(), Serialize(), SetValue(), Timer(), Trace(), UserCode(find)}
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
