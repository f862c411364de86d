// Package flow runs pipelines: processes that hand data to each other over
// bounded edges.
//
// A Type declares a kind of process once, as data: its ports, its keys, its
// documentation, and how to make one. A Graph lists processes of these
// types and their connections. Check judges a graph without making anything, so
// an editor and the engine report the same problems; Pipeline.Start makes the
// processes and runs them under one of four schedulers, all with the same
// result. Nothing here reads a file of a language: values go in, errors that
// name process, port and place come out.
//
//	Registry ─┐
//	          ├─ Resolve ─▶ Plan ─ Start ─▶ Run ─▶ Stats, error
//	Graph ────┘    │                         │
//	               ▼                         ▼
//	           problem.List      process ──Out──▶ edge ──In──▶ process
//
// An edge has exactly one producer and one consumer, so it is a ring without
// locks; a process that cannot go on parks and is woken by its neighbour.
package flow
