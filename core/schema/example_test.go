package schema_test

import (
	"os"

	"github.com/pentode-dev/pentode/core/schema"
)

// The reference page, the JSON Schema and the checks of a language all come from
// one table.
func ExampleSchema() {
	s := &schema.Schema{Title: "list of hosts", Doc: "Hosts by name.", Sections: []schema.Section{{
		Name: "host", Doc: "A machine.",
		Keys: []schema.Key{{Name: "port", Type: schema.Int, Default: "22", Doc: "Where its server listens."}},
	}}}
	_ = s.Markdown(os.Stdout)
	// Output:
	// # list of hosts
	//
	// Hosts by name.
	//
	// ## `host`
	//
	// A machine.
	//
	// | key | value | default | meaning |
	// |---|---|---|---|
	// | `port` | int | `22` | Where its server listens. |
}
