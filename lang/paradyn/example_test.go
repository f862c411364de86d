package paradyn_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/paradyn"
)

// A program reads its tunables before it starts threads of its own.
func Example() {
	l := paradyn.New(paradyn.Options{})
	doc := l.Parse(source.NewFile("sample.psdl", `tunable_constant { "maxEval" 3; "maxEval" 4; "samplingRate" 0.50; }`))
	decls, err := paradyn.Decls(doc.Resolve(load.NewEnv()))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range decls.Tunables {
		fmt.Println(t.Name, t.Value, t.Place)
	}
	// Output:
	// maxEval 3 sample.psdl:1:30
	// maxEval 4 sample.psdl:1:43
	// samplingRate 0.50 sample.psdl:1:61
}
