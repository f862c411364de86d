package origin_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit"
)

// A setting has every step that led to its value; the last one decides.
func ExampleEntry() {
	config := sprokit.New(sprokit.Options{}).Parse(source.NewFile("count.pipe", `
config rate
  limit = 7
process count :: numbers
  end = $CONFIG{rate:limit}
process show :: sink
connect from count.number to show.sink
`)).Resolve(load.NewEnv())
	end, _ := config.Value("count:end")
	for _, step := range end.Steps {
		fmt.Printf("%s: %s (%s)\n", step.What, step.Text, step.Note)
	}
	// Output:
	// default: 100 (of process type `numbers`)
	// set: $CONFIG{rate:limit} (in `count`)
	// macro: 7 (rate:limit was 7 at count.pipe:3:3)
}
