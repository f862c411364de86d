// Package pipe describes what a pipeline is made of, and checks whether it is right.
//
// A Type declares a kind of process once, as data: its ports, its keys, its
// documentation, and how to make one. A Graph lists processes of these types and their
// connections. Resolve computes everything that a run needs to know about a graph, and
// reports what is wrong with it. It does not make the processes, so editors, checkers and
// the engine can all use it and see the same problems. Package flow runs the Plan.
//
//	Registry ─┐
//	          ├─ Resolve ─▶ Plan, problem.List
//	Graph ────┘
//
// Reading order: graph.go (what a pipeline says), type.go, process.go and registry.go
// (what its processes are), plan.go (what Resolve decides), then one file for each
// check of Resolve, check_connect.go first.
package pipe
