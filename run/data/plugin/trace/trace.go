// Package trace is the plugin `trace`: it writes a line to the log for everything that happens in the store.
package trace

import (
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// Plugin is the declaration.
func Plugin() data.Plugin {
	return data.Plugin{
		Name:     "trace",
		Title:    "Trace",
		Doc:      "Writes a line to the log whenever a datum appears in the store or leaves it, and for every event.",
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
