// Package flow runs pipelines: processes that hand data to each other over
// bounded edges.
//
// Package pipe declares types of processes and checks graphs of processes. Pipeline.Start makes
// the processes of its plan and runs them under one of four schedulers, all with the same result.
// This package reads no pipeline files: it gets a graph as Go values, and its errors name the
// process, the port and the place in the file.
//
//	pipe.Graph ─ pipe.Resolve ─▶ Plan ─ Start ─▶ Run ─▶ Stats, error
//	                                             │
//	                                             ▼
//	                          process ──Out──▶ edge ──In──▶ process
//
// An edge has exactly one producer and one consumer, so it is a ring buffer without locks; a
// process that cannot continue parks and is woken by its neighbour.
//
// To write a process, read step.go, port.go and datum.go. To understand the engine, read the files
// in this order: datum.go, edge.go (the ring), proc.go (the life of a process) with ask.go
// (requests to it), sched.go and wake.go (which process runs when), run.go, then transit.go and
// set.go (how settings change during a run), and finally pipeline.go.
package flow
