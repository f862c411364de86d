package graph_test

import (
	"os"

	"github.com/pentode-dev/pentode/core/graph"
)

func ExampleGraph() {
	g := &graph.Graph{
		Title: "a pipeline",
		Nodes: []*graph.Node{{ID: "count"}, {ID: "show"}},
		Edges: []*graph.Edge{{From: "count", To: "show", Label: "number"}},
	}
	_ = g.WriteMermaid(os.Stdout)
	// Output:
	// ---
	// title: "a pipeline"
	// ---
	// flowchart LR
	//   n0["count"]
	//   n1["show"]
	//   n0 -->|"number"| n1
}
