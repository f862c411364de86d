package pipe_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Resolve finds all problems of a graph without making a process.
func ExampleResolve() {
	graph := pipe.Graph{
		Processes: []pipe.Node{
			{Name: "count", Type: "numbers", Config: pipe.Set("end", "3")},
			{Name: "show", Type: "print_number", Config: pipe.Set("output", "numbers.txt")},
		},
		Connections: []pipe.Connection{{From: pipe.ParsePortRef("count.number"), To: pipe.ParsePortRef("show.nmber")}},
	}
	_, problems := pipe.Resolve(&graph, catalog.Standard())
	for _, p := range problems {
		fmt.Println(p)
	}
	graph.Connections[0].To.Port = "number"
	plan, problems := pipe.Resolve(&graph, catalog.Standard())
	fmt.Println(len(problems), plan.Edges[0].Type, plan.Edges[0].Capacity)
	// Output:
	// process `show` has no input port `nmber`: did you mean `number`?
	// input port `number` of process `show` must be connected
	// 0 integer 40
}
