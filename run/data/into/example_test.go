package into_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/into"
)

// settings are the configuration of a plugin.
type settings struct {
	file string
	data []string
}

// rule returns the keys of the plugin, each with the field that its value is read into.
func (s *settings) rule() *config.Rule {
	return &config.Rule{Keys: []config.Key{
		{Name: "file", Rule: config.Only(config.Path), Doc: "The file.", Read: into.Scalar(&s.file, "the name of a file")},
		{Name: "data", Rule: config.OrList(config.Only(config.Reads)), Doc: "What goes there.", Read: into.Parsed(&s.data, into.Words)},
	}}
}

// A plugin reads its configuration by its own rule.
func ExampleMapping() {
	list := data.Plugin{
		Name:   "list",
		Runs:   data.Everywhere,
		Config: new(settings).rule(),
		New: func(c *data.Context) error {
			var s settings
			err := into.Mapping(c, c.Config, "the configuration", s.rule(), nil)
			fmt.Println(s.file, s.data)
			return err
		},
	}
	spec := data.Tree(data.Map(
		"logging", "error",
		"metadata", data.Map("n", "int"),
		"plugins", data.Map("list", data.Map("file", "n.txt", "data", "n")),
	))
	store, err := data.New(spec, data.Options{Plugins: []data.Plugin{list}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(store.Close())
	// Output:
	// n.txt [n]
	// <nil>
}
