// Package launch plans, starts, watches and stops the programs of a run.
//
// NewPlan turns the declarations of daemons, processes and visualisations of a run into a graph in which every node has its exact
// argument list, environment, host and directory; this starts nothing. A Supervisor starts a plan: daemons first, a process only
// after its daemon is ready, a visualisation only on request. It keeps a separate log for each program, and restarts programs by
// their policy. At the end it stops process groups in reverse order: first it asks them to end, then it kills them.
//
//	Decls ──NewPlan──▶ Plan ──Start──▶ Supervisor ──Wait──▶ Result
//	                    │                │   ▲
//	              text, JSON,            │   └── control socket, signals
//	              other formats          ▼
//	                        Starter ──Command──▶ Host ──▶ processes
//
// A Starter makes the command that this machine must execute so that a node runs on
// its host (directly, through ssh, srun or any other command); a Host executes it.
// Everything outside the engine goes through the Host value, so a test can run a
// plan without starting a process. All state of a Supervisor belongs to one
// goroutine; other goroutines send it functions to call. It is locked to its thread
// because a parent-death signal follows the thread.
//
// The files form four layers; a lower layer knows nothing of the layers above. Read words, ready, restart, signal, host and system
// first: what the engine asks of a machine. Then settings and plan with the parts of a plan (after, surroundings, copies, env,
// stop_setting, health, starter, visi), and show and convert, which write a plan. job and supervisor start it; start, watch, order,
// stop and end are the life of its programs; serve and wait are how other programs control it.
//
// Every node gets these variables, in addition to the inherited environment:
//
//	PARADYN_NAME, PARADYN_HOST     its id and host
//	PARADYN_FLAVOR                 as declared, else pvm; not for visualisations
//	PARADYN_DAEMON                 the daemon's command, for daemons and processes
//	PARADYN_TUNABLE_name           the last value of each tunable; bytes other
//	                               than letters, digits and _ become _
//	PARADYN_TUNABLES               a JSON file with all of them, on this machine only
//	PENTODE_RUN, PENTODE_NODE      the run's id and the node's, by which strays are found
//	PENTODE_RANK, PENTODE_SIZE     a process's index in the order of the declarations, and their number
//	PENTODE_COPY, PENTODE_COPIES   for a copy: its index, and how many the program has
package launch
