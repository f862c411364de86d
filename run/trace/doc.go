// Package trace decides which events of a running program are recorded.
//
// A Policy is a configuration compiled to tables. Each domain has a mask of events and the sections that change it for some
// units. Each region has a rate, overrides, and unit sets as intervals. Policies never change. An Engine has the current
// policy behind an atomic pointer, so a new policy takes effect between two decisions and no decision ever waits. A Unit is
// the view of one thread: its current ids, and one line of counters per region. When the policy or the ids change, the
// policy's decision about a region on this unit is copied into that line. A decision is then one bit test and three
// comparisons, however many sections and constraints the configuration has.
//
//	Config    (layers)  ─┐
//	                     ├─Compile─▶ Policy ─Swap─▶ Engine ◀─Begin Decide End─ Unit
//	Installed (entries) ─┘             │                                       (one per thread)
//	      └──Explain, Diff       Flat.Table ──▶ agents in other processes
//
// Two kinds of configuration compile to the same form. Config has layers: the first layer that names an event decides it, and each key of a rate is
// looked up separately. Installed has the entries of an installed PInsight, one of which decides everything. After Compile both are treated alike.
// Explain answers from the layers, because the tables no longer contain where a value came from.
//
// To read the package: a configuration consists of the types in set.go, catalog.go, rate.go, activity.go and modules.go.
// config.go defines it, and merge.go merges two. compile.go turns it into the policy of policy.go, with which engine.go and
// unit.go decide. explain.go, change.go, decided.go, units.go and flat.go describe a policy to people and to agents.
//
// Counters belong to the Unit, not to the policy: a swap keeps them.
package trace
