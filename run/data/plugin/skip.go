package plugin

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/data"
)

// Skip replaces plugins, known or not, by plugins that do nothing except warn, with the reason.
func Skip(list []data.Plugin, names []string, why string) []data.Plugin {
	list = slices.DeleteFunc(slices.Clone(list), func(p data.Plugin) bool { return slices.Contains(names, p.Name) })
	for _, name := range names {
		list = append(list, data.Plugin{
			Name: name, Title: name,
			Doc:  fmt.Sprintf("Replaces `%s`, which is skipped.", name),
			Runs: data.Everywhere,
			New: func(c *data.Context) error {
				c.Log.Warn("plugin `%s` is skipped: %s", name, why)
				return nil
			},
		})
	}
	return list
}
