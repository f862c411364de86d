// Package trace decides which events of a running program are recorded.
//
// A Policy is what a configuration means, compiled to tables: for each domain
// a mask of events and the sections that change it for some units, for each
// region a rate, overrides and unit sets as intervals. Policies never change.
// An Engine holds the current one behind an atomic pointer, so a new policy
// takes effect between two decisions and no decision ever waits. A Unit is one
// thread's view: the ids it has at the moment and one counter line per region.
// What a policy says about a region on this unit is folded into that line when
// the policy or the ids change, so a decision is one bit test and three
// comparisons however many sections and constraints the configuration has.
//
//	Config    (layers)  ─┐
//	                     ├─Compile─▶ Policy ─Swap─▶ Engine ◀─Begin Decide End─ Unit
//	Installed (entries) ─┘             │                                       (one per thread)
//	      └──Explain, Diff       Flat.Table ──▶ agents in other processes
//
// Two meanings compile to the one form. Config holds layers in which the first
// that names an event decides it and each key of a rate falls through by
// itself. Installed holds the entries of an installed PInsight, of which one
// decides alone. Everything after Compile is the same for both; Explain answers
// from the layers, because tables no longer know where a value came from.
//
// In which order to read it: set.go, catalog.go, rate.go, activity.go and modules.go are what a configuration is made of;
// config.go is one, and merge.go puts two together; policy.go is what it becomes, through compile.go; engine.go and unit.go
// decide with it. explain.go, change.go, decided.go, units.go and flat.go say what a policy means, to people and to agents.
//
// Counters belong to the Unit, not to the policy: a swap keeps them.
package trace
