// Package launch plans, starts, watches and stops the programs of a run.
//
// Declarations say which daemons, processes and visualisations belong to a
// run. NewPlan turns them into a graph in which every node has its exact
// argument list, environment, host and directory; nothing is started by that.
// A Supervisor starts a plan: daemons first, a process only after its daemon
// is ready, a visualisation only where it was asked for. It keeps the logs
// apart, restarts what a policy says, and at the end brings process groups
// down in reverse order: first it asks them to end, then it kills them.
//
//	Decls ──NewPlan──▶ Plan ──Start──▶ Supervisor ──Wait──▶ Result
//	                    │                │   ▲
//	              text, JSON,            │   └── control socket, signals
//	              other formats          ▼
//	                        Starter ──Command──▶ Host ──▶ processes
//
// A Starter says what this machine must execute so that a node runs on its
// host (directly, through ssh, srun or any other command); a Host does it.
// Everything outside the engine goes through the Host value, so a plan can be
// rehearsed without a single process. One goroutine, locked to its thread
// because a parent-death signal follows the thread, owns all state of a
// Supervisor; everything else only sends it functions to call.
//
// The files stand in four floors, of which lower ones know nothing of upper ones. Read words, ready, restart, signal, host and
// system first: what is asked of a machine. Then settings and plan, with what a plan decides beside them (after, around,
// copies, env, farewell, health, starter, visi), and show and convert, which write a plan. job and supervisor start it; begin,
// watch, order, stop and end are the life of its programs; serve and wait are how others ask for it.
//
// Every node finds in its environment, besides what it inherits:
//
//	PARADYN_NAME, PARADYN_HOST     its id and host
//	PARADYN_FLAVOR                 as declared, else pvm; not for visualisations
//	PARADYN_DAEMON                 the daemon's command, for daemons and processes
//	PARADYN_TUNABLE_name           the last value of each tunable; bytes other
//	                               than letters, digits and _ become _
//	PARADYN_TUNABLES               a JSON file with all of them, on this machine only
//	PENTODE_RUN, PENTODE_NODE      the run's id and the node's: how strays are found
//	PENTODE_RANK, PENTODE_SIZE     a process's index in the order of the declarations, and their number
//	PENTODE_COPY, PENTODE_COPIES   of a copy: its index, and how many the program has
package launch
