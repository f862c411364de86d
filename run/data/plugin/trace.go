package plugin

import "github.com/pentode-dev/pentode/run/data"

// Trace writes a line for everything that happens in the store.
func Trace() data.Plugin {
	return data.Plugin{
		Name:  "trace",
		Title: "Trace",
		Doc:   "writes a line to the log whenever a datum appears in the store or leaves it, and for every event",
		Keys:  []data.Key{loggingKey},
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
