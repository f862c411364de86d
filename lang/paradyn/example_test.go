package paradyn_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
)

// A program reads its tunables before it starts threads of its own.
func Example() {
	l := paradyn.New(paradyn.Options{})
	doc := l.Parse(source.NewFile("sample.psdl", `tunable_constant { "maxEval" 3; "maxEval" 4; "samplingRate" 0.50; }`))
	m, _ := lang.Model[*paradyn.Model](doc.Resolve(load.NewEnv()))
	for _, t := range m.Tunables {
		fmt.Println(t.Name, t.Value, t.Place.Span)
	}
	// Output:
	// maxEval 3 sample.psdl:1:30
	// maxEval 4 sample.psdl:1:43
	// samplingRate 0.50 sample.psdl:1:61
}
