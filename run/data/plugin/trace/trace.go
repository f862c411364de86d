// Package trace is the plugin `trace`: it logs everything that happens in the store.
package trace

import (
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// Plugin returns the plugin.
func Plugin() data.Plugin {
	return data.Plugin{
		Name:     "trace",
		Title:    "Trace",
		Doc:      "Logs a line whenever a datum is shared or removed, and for every event.",
		Runs:     data.Everywhere,
		HearsAll: true,
		Config:   &config.Rule{Scalar: config.Text, Keys: []config.Key{config.Log}, Lax: true},
		New: func(c *data.Context) error {
			c.OnShare("", func(name string, _ data.Ref) error {
				c.Log.Info("=>>   data becoming available in the store: %s", name)
				return nil
			})
			c.OnRemove("", func(name string, _ data.Ref) error {
				c.Log.Info("<<= data stop being available in the store: %s", name)
				return nil
			})
			c.OnEvent("", func(name string) error {
				c.Log.Info("!!!                            named event: %s", name)
				return nil
			})
			c.Log.Info("Welcome!")
			c.OnClose(func() error {
				c.Log.Info("Goodbye!")
				return nil
			})
			return nil
		},
	}
}
