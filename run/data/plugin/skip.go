package plugin

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/data"
)

// Skip leaves plugins out, known or not: in their place stand ones that do nothing but
// warn, and say why.
func Skip(list []data.Plugin, names []string, why string) []data.Plugin {
	list = slices.DeleteFunc(slices.Clone(list), func(p data.Plugin) bool { return slices.Contains(names, p.Name) })
	for _, name := range names {
		list = append(list, data.Plugin{
			Name: name, Title: name,
			Doc:  fmt.Sprintf("Stands for `%s`, which is left out.", name),
			Runs: data.Everywhere,
			New: func(c *data.Context) error {
				c.Log.Warn("plugin `%s` is left out: %s", name, why)
				return nil
			},
		})
	}
	return list
}
