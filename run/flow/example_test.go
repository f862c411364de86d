package flow_test

import (
	"context"
	"fmt"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A user-defined process type: its declaration, and a process with a Setup and a Step.
var double = &pipe.Type{
	Name: "double",
	Doc:  "Doubles and prints each number.",
	In:   []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required, Doc: "Number to double."}},
	New:  func() pipe.Process { return &doubler{} },
}

type doubler struct{ in *flow.In }

func (d *doubler) Setup(s *flow.Setup) error {
	d.in = s.In("number")
	return nil
}

func (d *doubler) Step(s pipe.Step) error {
	fmt.Println("step", s.Number(), "gives", 2*d.in.Take().Int())
	return nil
}

func Example() {
	types := catalog.Standard()
	if err := types.Add(double); err != nil {
		panic(err)
	}
	p := flow.New(types)
	p.AddProcess("count", "numbers", pipe.Set("start", "3", "end", "6"))
	p.AddProcess("show", "double", nil)
	p.Connect("count.number", "show.number", pipe.Capacity(10))
	if err := p.Run(context.Background(), flow.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// step 1 gives 6
	// step 2 gives 8
	// step 3 gives 10
}
