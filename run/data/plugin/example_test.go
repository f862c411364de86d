package plugin_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/plugin/usercode"
)

// This store has all plugins of this program; `user_code` calls functions of the Go program.
func ExampleList() {
	functions := usercode.Functions(map[string]usercode.Function{
		"greet": func(s *data.Store) error {
			n, err := s.Ref("n")
			fmt.Println("n is here:", n.Type(), err)
			return nil
		},
	})
	spec := data.Tree(data.Map(
		"logging", "error",
		"metadata", data.Map("n", "int"),
		"plugins", data.Map("user_code", data.Map("on_event", data.Map("hello", data.Map("greet", data.Map())))),
	))
	store, err := data.New(spec, data.Options{Plugins: plugin.List(plugin.Program{Functions: functions})})
	if err != nil {
		fmt.Println(err)
		return
	}
	n := int32(3)
	if err := store.Expose("n", &n, data.Out); err != nil {
		fmt.Println(err)
	}
	fmt.Println(store.Event("hello"), store.Close())
	// Output:
	// n is here: int <nil>
	// <nil> <nil>
}
