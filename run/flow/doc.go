// Package flow runs pipelines: processes that hand data to each other over
// bounded edges.
//
// Package pipe has the declarations of processes, and decides whether a graph of
// them is right. Pipeline.Start makes the processes of its plan and runs them under
// one of four schedulers, all with the same result. Nothing here reads a file of a
// language: values go in, errors that name process, port and place come out.
//
//	pipe.Graph ─ pipe.Resolve ─▶ Plan ─ Start ─▶ Run ─▶ Stats, error
//	                                             │
//	                                             ▼
//	                          process ──Out──▶ edge ──In──▶ process
//
// An edge has exactly one producer and one consumer, so it is a ring without
// locks; a process that cannot go on parks and is woken by its neighbour.
//
// Whoever writes a process needs step.go, port.go and datum.go alone. The engine is
// one thought, in this order: datum.go, edge.go (the ring), proc.go (the life of a
// process) with ask.go (what others want of it), sched.go and wake.go (who runs when),
// run.go, then transit.go and set.go (how settings change while it runs), and on top
// pipeline.go.
package flow
