package plugin

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/data"
)

// Skip returns the list with the named plugins replaced by plugins that only log a warning with
// the reason why. A name that is not in the list is added.
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
