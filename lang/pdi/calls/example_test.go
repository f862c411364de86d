package calls_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
)

// The calls of PDI in the sources of a program are found without a compiler.
func ExampleSources() {
	files := source.Map{"solver.c": `
void step(int i) {
	PDI_expose("iteration", &i, PDI_OUT);
	PDI_event("step");
}
`}
	program := (&calls.Sources{Paths: []string{"solver.c"}}).Read(files)
	for _, c := range program.Calls {
		fmt.Println(c.Name, c.Span)
	}
	// Output:
	// iteration solver.c:3:14
	// step solver.c:4:13
}
