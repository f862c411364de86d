package adapter_test

import (
	"context"
	"fmt"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/adapter"
	"github.com/pentode-dev/pentode/run/flow/catalog"
)

// A program sends numbers through a pipeline and receives the results.
func ExampleStart() {
	ctx := context.Background()
	p := flow.New(catalog.Standard())
	p.AddProcess("in", "input_adapter", nil)
	p.AddProcess("times", "multiplication", nil)
	p.AddProcess("out", "output_adapter", nil)
	p.Connect("in.a", "times.factor1")
	p.Connect("in.b", "times.factor2")
	p.Connect("times.product", "out.product")
	run, err := adapter.Start(ctx, p, flow.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range int64(3) {
		if err := run.Send(ctx, adapter.Set{"a": flow.OfInt(i), "b": flow.OfInt(10)}); err != nil {
			fmt.Println(err)
		}
	}
	run.Close()
	for set, ok := run.Receive(ctx); ok; set, ok = run.Receive(ctx) {
		fmt.Println(set["product"].Int())
	}
	fmt.Println(run.Wait())
	// Output:
	// 0
	// 10
	// 20
	// <nil>
}
