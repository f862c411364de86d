package load_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit"
)

// This environment does not use the machine: its files are texts, its variables come from a function, and a
// setting is overridden.
func ExampleEnv() {
	env := &load.Env{
		Opener:    source.Map{"rate.pipe": "config rate\n  limit = $ENV{LIMIT}\n"},
		Lookup:    func(name string) (string, bool) { return "7", name == "LIMIT" },
		Overrides: []load.Override{{Key: "count:start", Value: "2"}},
	}
	m, err := sprokit.Read(source.NewFile("main.pipe", `
include rate.pipe
process count :: numbers
  start = 0
  end = $CONFIG{rate:limit}
process show :: sink
connect from count.number to show.sink
`), env)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, key := range []string{"count:start", "count:end"} {
		e, _ := m.Lookup(key)
		fmt.Println(key, e.Value)
	}
	// Output:
	// count:start 2
	// count:end 7
}
