package pinsight

import "github.com/pentode-dev/pentode/core/diag"

// The codes of lines that an installed PInsight reads differently. They are
// infos in the documented dialect and warnings in the upstream dialect.
var (
	upstreamComment = &diag.Code{
		ID: "pinsight/upstream-comment", Severity: diag.Info,
		Title: "an installed PInsight reads the comment as part of the line",
		Doc:   "Upstream knows comments on lines of their own only. Behind a value the comment becomes part of it: `on # why` is not `on`, so the event is off; a mode becomes TRACING.",
		Bad:   "[OpenMP.default]\n    omp_work = on # all of it\n",
		Good:  "[OpenMP.default]\n    # all of it\n    omp_work = on\n",
	}
	upstreamIgnores = &diag.Code{
		ID: "pinsight/upstream-ignores", Severity: diag.Info,
		Title: "an installed PInsight ignores this line",
		Doc:   "Upstream passes over what it does not understand without a word: events without their domain in Lexgion sections, events with their domain elsewhere, headers in forms it does not have.",
		Bad:   "[Lexgion(OpenMP).default]\n    omp_work = off\n",
		Good:  "[Lexgion(OpenMP).default]\n    OpenMP.omp_work = off\n",
	}
	upstreamAllOff = &diag.Code{
		ID: "pinsight/upstream-all-off", Severity: diag.Info,
		Title: "an installed PInsight switches all other events of the domain off",
		Doc:   "The first event of a domain in a section for single regions starts from nothing upstream, not from the defaults. Inherit the domain's default to say what the other events are.",
		Bad:   "[Lexgion(0x400500)]\n    OpenMP.omp_work = off\n",
		Good:  "[Lexgion(0x400500)] : OpenMP.default\n    OpenMP.omp_work = off\n",
	}
	upstreamRemove = &diag.Code{
		ID: "pinsight/upstream-remove", Severity: diag.Info,
		Title: "an installed PInsight goes on tracing the removed region",
		Doc:   "Upstream only deletes the region's own section, so the defaults apply to it. To stop tracing it there, set `max_num_traces = 0`.",
		Bad:   "[REMOVE Lexgion(0x400500)]\n",
		Good:  "[Lexgion(0x400500)]\n    max_num_traces = 0\n",
	}
	upstreamUnits = &diag.Code{
		ID: "pinsight/upstream-units", Severity: diag.Info,
		Title: "an installed PInsight does not use sections for units",
		Doc:   "Upstream reads `Domain.Kind(Set)` sections and never looks at them when it decides. Units in the third part of a Lexgion header do work.",
		Bad:   "[OpenMP.thread(0-3)]\n    omp_work = off\n",
		Good:  "[Lexgion(0x400500)] : OpenMP.default : OpenMP.thread(0-3)\n    OpenMP.omp_work = off\n",
	}
	upstreamRange = &diag.Code{
		ID: "pinsight/upstream-range", Severity: diag.Info,
		Title: "an installed PInsight reads another range",
		Doc:   "Upstream takes the first two numbers as the ends of one range: `(0, 15)` is 0 to 15 there, and what follows them is dropped. The range does not limit tracing by itself; it only bounds the sets of units. RESET does not take it back.",
		Bad:   "[OpenMP.default]\n    OpenMP.thread = (0, 15)\n",
		Good:  "[OpenMP.default]\n    OpenMP.thread = (0-511)\n",
	}
	upstreamEvents = &diag.Code{
		ID: "pinsight/upstream-events", Severity: diag.Info,
		Title: "an installed PInsight traces more events in this region",
		Doc:   "A region with a section of its own does not see the events of `Domain.default` or `Lexgion(Domain).default` upstream: all that it neither names nor inherits are on. Inherit the domain's default in its header.",
		Bad:   "[OpenMP.default]\n    omp_work = off\n\n[Lexgion(0x400500)]\n    max_num_traces = 3\n",
		Good:  "[OpenMP.default]\n    omp_work = off\n\n[Lexgion(0x400500)] : OpenMP.default\n    max_num_traces = 3\n",
	}
	upstreamFilled = &diag.Code{
		ID: "pinsight/upstream-filled", Severity: diag.Info,
		Title: "an installed PInsight fills the default of each domain over this",
		Doc:   "Upstream makes `Lexgion(Domain).default` of `Lexgion.default` and `Domain.default`: the rate of the first, the events of the second. So the events of `Lexgion.default` reach only regions with a section of their own. One that the file does not write, and one that it resets, is made so too.",
		Bad:   "[Lexgion.default]\n    OpenMP.omp_work = off\n",
		Good:  "[Lexgion(OpenMP).default]\n    OpenMP.omp_work = off\n",
	}
	upstreamParallel = &diag.Code{
		ID: "pinsight/upstream-parallel", Severity: diag.Info,
		Title: "an installed PInsight traces parallel regions by their rate only",
		Doc:   "Upstream asks neither events nor units about `omp_parallel_begin`, and traces `omp_parallel_end` where it traced the beginning. Only the rate limits both.",
		Bad:   "[OpenMP.default]\n    omp_parallel_begin = off\n",
		Good:  "[Lexgion(OpenMP).default]\n    max_num_traces = 0\n",
	}
	upstreamReinit = &diag.Code{
		ID: "pinsight/upstream-reinit", Severity: diag.Info,
		Title: "an installed PInsight forgets the earlier section",
		Doc:   "Upstream makes `Lexgion(Domain).default` anew each time its header is met, so only the last one counts. A header that inherits a domain again does the same to the events of that domain.",
		Bad:   "[Lexgion(OpenMP).default]\n    tracing_rate = 7\n\n[Lexgion(OpenMP).default]\n    max_num_traces = 3\n",
		Good:  "[Lexgion(OpenMP).default]\n    tracing_rate = 7\n    max_num_traces = 3\n",
	}
	upstreamRate = &diag.Code{
		ID: "pinsight/upstream-rate", Severity: diag.Info,
		Title: "an installed PInsight uses another rate for this region",
		Doc:   "Upstream copies `Lexgion.default` into a region where the region is first written, and never looks at `Lexgion(Domain).default` for it. Set the rate in the region itself, or write the defaults above it.",
		Bad:   "[Lexgion(0x400500)]\n    max_num_traces = 3\n\n[Lexgion.default]\n    tracing_rate = 7\n",
		Good:  "[Lexgion.default]\n    tracing_rate = 7\n\n[Lexgion(0x400500)]\n    max_num_traces = 3\n",
	}
	upstreamLimit = &diag.Code{
		ID: "pinsight/upstream-limit", Severity: diag.Info,
		Title: "this is more than an installed PInsight can hold",
		Doc:   "Upstream has room for 512 regions and crashes at the next, takes 64 regions from one header, knows unit ids up to 1024, has 64 knobs of 32 bits, and cuts lines at 1023 bytes.",
		Bad:   "[MPI.default]\n    MPI.rank = (0-4095)\n\n[MPI.rank(2000)]\n    MPI_Send = off\n",
		Good:  "[MPI.rank(20)]\n    MPI_Send = off\n",
	}
	upstreamName = &diag.Code{
		ID: "pinsight/upstream-name", Severity: diag.Info,
		Title: "an installed PInsight takes this for the name of a region",
		Doc:   "Everything that does not begin with `0x` is a name upstream, which only regions that the program itself names have: Python functions, MPI calls, marked regions.",
		Bad:   "[Lexgion(main.c:42)]\n    tracing_rate = 10\n",
		Good:  "[Lexgion(0x400500)]\n    tracing_rate = 10\n",
	}
	upstreamMode = &diag.Code{
		ID: "pinsight/upstream-mode", Severity: diag.Info,
		Title: "an installed PInsight reads another mode",
		Doc:   "A blank before the comma belongs to the mode upstream, and a mode that it does not know is TRACING.",
		Bad:   "[Lexgion.default]\n    max_num_traces = 9\n    window_end_action = MPI:STANDBY , OpenMP:OFF\n",
		Good:  "[Lexgion.default]\n    max_num_traces = 9\n    window_end_action = MPI:STANDBY, OpenMP:OFF\n",
	}
)

var upstreamCodes = []*diag.Code{
	upstreamComment, upstreamIgnores, upstreamAllOff, upstreamRemove, upstreamUnits, upstreamRange,
	upstreamFilled, upstreamParallel, upstreamReinit, upstreamRate, upstreamEvents, upstreamLimit, upstreamName, upstreamMode,
}
