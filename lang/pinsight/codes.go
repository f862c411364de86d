package pinsight

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
)

var (
	unknownSection = &diag.Code{
		ID: "pinsight/unknown-section", Severity: diag.Error,
		Title: "a section that the language does not have",
		Doc: "A section is for a domain (`OpenMP.default`), some of its units (`OpenMP.thread(0-3)`), all code regions (`Lexgion.default`, " +
			"`Lexgion(OpenMP).default`) or some of them (`Lexgion(0x400500)`). An installed PInsight silently drops other sections.",
		Bad:  "[OpenMP]\n    omp_work = off\n",
		Good: "[OpenMP.default]\n    omp_work = off\n",
	}
	unknownAction = &diag.Code{
		ID: "pinsight/unknown-action", Severity: diag.Error,
		Title: "a word before the target that is not an action",
		Doc:   "The actions are SET (the default), RESET and REMOVE.",
		Bad:   "[CLEAR OpenMP.default]\n",
		Good:  "[RESET OpenMP.default]\n",
	}
	unknownDomain = &diag.Code{
		ID: "pinsight/unknown-domain", Severity: diag.Error,
		Title: "a domain that the catalogue does not have",
		Doc:   "The domains are OpenMP, MPI, CUDA, Python and HIP, and the domains of the catalogue that `pinsight.catalog` of pentode.toml names. Names are case-sensitive.",
		Bad:   "[OpenMPI.default]\n",
		Good:  "[OpenMP.default]\n",
	}
	unknownKind = &diag.Code{
		ID: "pinsight/unknown-kind", Severity: diag.Error,
		Title: "a kind of unit that the domain does not have",
		Doc:   "Each domain counts its own units: OpenMP has team, thread and device, MPI has rank, CUDA and HIP have device, Python has thread.",
		Bad:   "[MPI.thread(0)]\n",
		Good:  "[MPI.rank(0)]\n",
	}
	unknownEvent = &diag.Code{
		ID: "pinsight/unknown-event", Severity: diag.Error,
		Title: "an event that the catalogue does not have",
		Doc:   "An unknown name with the value on or off is taken for an event. An installed PInsight silently ignores a misspelt event, so the intended event is not switched.",
		Bad:   "[OpenMP.default]\n    omp_taks_create = on\n",
		Good:  "[OpenMP.default]\n    omp_task_create = on\n",
	}
	unknownKey = &diag.Code{
		ID: "pinsight/unknown-key", Severity: diag.Error,
		Title: "a key that the section does not have",
		Doc:   "Domain sections have events, unit ranges and `trace_mode`; regions have events and the keys of the rate and of the window. `pentode schema --format markdown pinsight` lists them.",
		Bad:   "[Lexgion.default]\n    tracing_rat = 10\n",
		Good:  "[Lexgion.default]\n    tracing_rate = 10\n",
	}
	misplacedKey = &diag.Code{
		ID: "pinsight/misplaced-key", Severity: diag.Error,
		Title: "a key that belongs to another kind of section",
		Doc:   "Rates and windows belong to regions, `trace_mode` and unit ranges to `D.default`.",
		Bad:   "[OpenMP.default]\n    tracing_rate = 10\n",
		Good:  "[Lexgion(OpenMP).default]\n    tracing_rate = 10\n",
	}
	strayKey = &diag.Code{
		ID: "pinsight/stray-key", Severity: diag.Error,
		Title: "a key before the first section",
		Doc:   "A key belongs to the section above it, so a key before the first section belongs to none.",
		Bad:   "omp_work = off\n[OpenMP.default]\n",
		Good:  "[OpenMP.default]\n    omp_work = off\n",
	}
	wrongAction = &diag.Code{
		ID: "pinsight/wrong-action", Severity: diag.Error,
		Title: "an action that the target does not have",
		Doc:   "Default sections can be SET and RESET; sections for units and for single regions can be SET and REMOVEd.",
		Bad:   "[REMOVE OpenMP.default]\n",
		Good:  "[RESET OpenMP.default]\n",
	}
	wildcard = &diag.Code{
		ID: "pinsight/wildcard", Severity: diag.Error,
		Title: "`(*)` where units must be named",
		Doc:   "`(*)` means every section of a kind, so it only makes sense with REMOVE.",
		Bad:   "[OpenMP.thread(*)]\n    omp_work = off\n",
		Good:  "[REMOVE OpenMP.thread(*)]\n",
	}
	bodyAfterAction = &diag.Code{
		ID: "pinsight/body-after-action", Severity: diag.Error,
		Title: "keys below RESET or REMOVE",
		Doc:   "RESET and REMOVE only remove settings, so they have no keys. To reset and then set, write two sections.",
		Bad:   "[RESET OpenMP.default]\n    omp_work = off\n",
		Good:  "[RESET OpenMP.default]\n\n[OpenMP.default]\n    omp_work = off\n",
	}
	badTarget = &diag.Code{
		ID: "pinsight/bad-target", Severity: diag.Error,
		Title: "a target that has none of the five forms",
		Doc:   "A target is `Domain.default`, `Domain.Kind(Set)`, `Lexgion.default`, `Lexgion(Domain).default` or `Lexgion(Address, …)`.",
		Bad:   "[Lexgion()]\n",
		Good:  "[Lexgion(0x400500)]\n",
	}
	badAddress = &diag.Code{
		ID: "pinsight/bad-address", Severity: diag.Error,
		Title: "an address that is not a hexadecimal number",
		Doc:   "An address begins with `0x` and has at most 16 hexadecimal digits; it is not 0.",
		Bad:   "[Lexgion(0x40g500)]\n",
		Good:  "[Lexgion(0x400500)]\n",
	}
	numberName = &diag.Code{
		ID: "pinsight/number-name", Severity: diag.Warning,
		Title: "a number that is read as a name",
		Doc:   "An address begins with `0x`. A number without it is the name of a region, and no program has regions with such names.",
		Bad:   "[Lexgion(400500)]\n",
		Good:  "[Lexgion(0x400500)]\n",
	}
	domainName = &diag.Code{
		ID: "pinsight/domain-name", Severity: diag.Warning,
		Title: "a domain that is read as the name of a region",
		Doc:   "The parentheses of `Lexgion(…)` contain regions, by address or name. The default of all regions of a domain is `Lexgion(Domain).default`.",
		Bad:   "[Lexgion(OpenMP)]\n    tracing_rate = 10\n",
		Good:  "[Lexgion(OpenMP).default]\n    tracing_rate = 10\n",
	}
	badSet = &diag.Code{
		ID: "pinsight/bad-set", Severity: diag.Error,
		Title: "a set of units that cannot be read",
		Doc:   "A set is numbers and ranges with commas between them: `0-3, 7, 12-20`. A range begins with its smaller number.",
		Bad:   "[OpenMP.thread(3-0)]\n    omp_work = off\n",
		Good:  "[OpenMP.thread(0-3)]\n    omp_work = off\n",
	}
	badNumber = &diag.Code{
		ID: "pinsight/bad-number", Severity: diag.Error,
		Title: "a number that cannot be read or is out of range",
		Doc:   "Rates are whole numbers: `tracing_rate` at least 1, `trace_starts_at` at least 0, `max_num_traces` at least 0, or -1 for no limit. An installed PInsight reads other text as 0.",
		Bad:   "[Lexgion.default]\n    tracing_rate = ten\n",
		Good:  "[Lexgion.default]\n    tracing_rate = 10\n",
	}
	badSwitch = &diag.Code{
		ID: "pinsight/bad-switch", Severity: diag.Error,
		Title: "an event is neither on nor off",
		Doc:   "An event is `on` or `off`, in any case. To an installed PInsight everything but `on` and `1` is off.",
		Bad:   "[OpenMP.default]\n    omp_work = yes\n",
		Good:  "[OpenMP.default]\n    omp_work = on\n",
	}
	badValue = &diag.Code{
		ID: "pinsight/bad-value", Severity: diag.Error,
		Title: "a word that the key does not take",
		Doc:   "Modes are OFF, STANDBY, MONITORING and TRACING; policies off, on, anyone_per_node, leader_per_node and rotate_per_node. An installed PInsight reads a misspelt mode as TRACING, the most expensive one.",
		Bad:   "[OpenMP.default]\n    trace_mode = STANBY\n",
		Good:  "[OpenMP.default]\n    trace_mode = STANDBY\n",
	}
	badInheritance = &diag.Code{
		ID: "pinsight/bad-inheritance", Severity: diag.Error,
		Title: "something that cannot be inherited from",
		Doc:   "Events are inherited from domain defaults: `OpenMP.default`, several with commas between them. Units of a domain inherit from that domain only.",
		Bad:   "[Lexgion(0x400500)] : Lexgion.default\n",
		Good:  "[Lexgion(0x400500)] : OpenMP.default\n",
	}
	inheritanceHere = &diag.Code{
		ID: "pinsight/inheritance-here", Severity: diag.Error,
		Title: "a domain default cannot inherit",
		Doc:   "Other sections inherit from `D.default`, which itself is based on the catalogue.",
		Bad:   "[OpenMP.default] : MPI.default\n",
		Good:  "[OpenMP.default]\n",
	}
	unitsHere = &diag.Code{
		ID: "pinsight/units-here", Severity: diag.Error,
		Title: "a default section cannot be limited to units",
		Doc:   "The third part of a header is for `Domain.Kind(Set)` and `Lexgion(Address)`. A domain's units are limited by a key: `OpenMP.team = (0-3)`.",
		Bad:   "[Lexgion.default] : OpenMP.default : MPI.rank(0)\n",
		Good:  "[Lexgion(0x400500)] : OpenMP.default : MPI.rank(0)\n",
	}
	mixedTarget = &diag.Code{
		ID: "pinsight/mixed-target", Severity: diag.Error,
		Title: "a section for units of two domains",
		Doc:   "A section is for the events of one domain. Write units of other domains in the third part of the header.",
		Bad:   "[OpenMP.thread(0), MPI.rank(0)]\n",
		Good:  "[OpenMP.thread(0)] : OpenMP.default : MPI.rank(0)\n",
	}
	foreignEvent = &diag.Code{
		ID: "pinsight/foreign-event", Severity: diag.Warning,
		Title: "an event of another domain that this section never decides",
		Doc:   "`Lexgion(D).default` decides only events of D.",
		Bad:   "[Lexgion(OpenMP).default]\n    MPI_Send = off\n",
		Good:  "[Lexgion(MPI).default]\n    MPI_Send = off\n",
	}
	deadEvent = &diag.Code{
		ID: "pinsight/dead-event", Severity: diag.Warning,
		Title: "an event that is set too late to count",
		Doc:   "`Lexgion(Domain).default` copies the events of `Domain.default` at the line where it is first written. An event that `Domain.default` sets below that line reaches no region, unless a later header inherits it.",
		Bad:   "[Lexgion(OpenMP).default]\n    tracing_rate = 10\n\n[OpenMP.default]\n    omp_work = off\n",
		Good:  "[OpenMP.default]\n    omp_work = off\n\n[Lexgion(OpenMP).default]\n    tracing_rate = 10\n",
	}
	installRange = &diag.Code{
		ID: "pinsight/install-range", Severity: diag.Warning,
		Title: "a range that PInsight writes with a comma",
		Doc:   "In the `.install` files that PInsight writes, ranges have a comma: `(0, 255)` means 0 to 255. In a configuration it means the two units 0 and 255.",
		Bad:   "file.install: [OpenMP.default]\n    OpenMP.thread = (0, 255)\n",
		Good:  "[OpenMP.default]\n    OpenMP.thread = (0-255)\n",
	}
	nothingToRemove = &diag.Code{
		ID: "pinsight/nothing-to-remove", Severity: diag.Warning,
		Title: "REMOVE names a section that does not exist",
		Doc:   "REMOVE of a section for units needs exactly the set that an earlier section has.",
		Bad:   "[OpenMP.thread(0-3)]\n    omp_work = off\n\n[REMOVE OpenMP.thread(0-2)]\n",
		Good:  "[OpenMP.thread(0-3)]\n    omp_work = off\n\n[REMOVE OpenMP.thread(0-3)]\n",
	}
	badOverride = &diag.Code{
		ID: "pinsight/bad-override", Severity: diag.Error,
		Title: "`-s` does not name a setting",
		Doc:   "An override is `-s SECTION.KEY=VALUE` with a value of one line. It counts as if it were written at the end of the file.",
		Bad:   "-s tracing_rate=10",
		Good:  "# -s Lexgion.default.tracing_rate=10\n",
	}
	outsideRange = &diag.Code{
		ID: "pinsight/outside-range", Severity: diag.Warning,
		Title: "a unit outside the range of its kind",
		Doc:   "The catalogue, or a range in `D.default`, sets the ids that a kind of unit has. Other ids are kept here, but an installed PInsight drops them.",
		Bad:   "[MPI.rank(500)]\n    MPI_Send = off\n",
		Good:  "[MPI.default]\n    MPI.rank = (0-511)\n\n[MPI.rank(500)]\n    MPI_Send = off\n",
	}
	emptySet = &diag.Code{
		ID: "pinsight/empty-set", Severity: diag.Warning,
		Title: "a set without units",
		Doc:   "No unit is in an empty set, so the section never applies.",
		Bad:   "[OpenMP.thread()]\n    omp_work = off\n",
		Good:  "[OpenMP.thread(0)]\n    omp_work = off\n",
	}
	notInstalled = &diag.Code{
		ID: "pinsight/not-installed", Severity: diag.Warning,
		Title: "an event that an installed PInsight cannot switch on",
		Doc:   "PInsight installs callbacks only for the events that are on by default. Another event can be named, but stays off there.",
		Bad:   "[OpenMP.default]\n    omp_flush = on\n",
		Good:  "[OpenMP.default]\n    omp_work = on\n",
	}
	untracedDomain = &diag.Code{
		ID: "pinsight/untraced-domain", Severity: diag.Warning,
		Title: "a domain that `pentode trace record` does not trace",
		Doc:   "`pentode trace record` records the events of OpenMP, of MPI, of CUDA, of Python and of regions that the program marks. HIP belongs to the language, and an installed PInsight that was built with HIP traces it. Here its sections have no effect, and a section for its units never applies. Write `trace_mode = OFF` in `[D.default]` if no events of the domain are wanted.",
		Bad:   "[HIP.default]\n    HIP_malloc = on\n",
		Good:  "[HIP.default]\n    trace_mode = OFF\n",
	}
	repeatedSection = &diag.Code{
		ID: "pinsight/repeated-section", Severity: diag.Info,
		Title: "a section that is written again",
		Doc:   "The second section adds to the first; if both set a key, the later line counts.",
		Bad:   "[OpenMP.default]\n    omp_work = off\n\n[OpenMP.default]\n    omp_masked = off\n",
		Good:  "[OpenMP.default]\n    omp_work = off\n    omp_masked = off\n",
	}
	repeatedKey = &diag.Code{
		ID: "pinsight/repeated-key", Severity: diag.Warning,
		Title: "a key that is set twice in one section",
		Doc:   "The last line counts.",
		Bad:   "[OpenMP.default]\n    omp_work = off\n    omp_work = on\n",
		Good:  "[OpenMP.default]\n    omp_work = on\n",
	}
	needsProgram = &diag.Code{
		ID: "pinsight/needs-program", Severity: diag.Warning,
		Title: "a region that needs the program, or that the program does not have",
		Doc:   "`Lexgion(main.c:42)` becomes an address through the debug information of the program, which `pinsight.program` of pentode.toml names. A tracer identifies a region by the address to which a call of the OpenMP or MPI runtime returns, so the section applies to each such call on the line. `Lexgion(relax)` applies to regions whose innermost function has that name, inlined or not, and to regions to which the program itself gives that name. Without such a call or function the section applies to nothing, unless a library that the program loads while it runs has it.",
		Bad:   "[Lexgion(main.c:42)]\n    tracing_rate = 10\n",
		Good:  "[Lexgion(0x400500)]\n    tracing_rate = 10\n",
	}
)

// codes are all codes of the language.
var codes = append([]*diag.Code{
	unknownSection, unknownAction, unknownDomain, unknownKind, unknownEvent, unknownKey, misplacedKey, strayKey,
	wrongAction, wildcard, bodyAfterAction, badTarget, badAddress, numberName, domainName, badSet, badNumber, badSwitch, badValue,
	badInheritance, inheritanceHere, unitsHere, mixedTarget, foreignEvent, deadEvent, installRange, nothingToRemove, badOverride, outsideRange,
	emptySet, notInstalled, untracedDomain, repeatedSection, repeatedKey, needsProgram,
}, append(syntax.Codes, upstreamCodes...)...)

// The codes of lines that an installed PInsight reads differently. They are infos in the documented dialect and warnings in the upstream dialect.
var (
	upstreamComment = &diag.Code{
		ID: "pinsight/upstream-comment", Severity: diag.Info,
		Title: "an installed PInsight reads the comment as part of the line",
		Doc:   "Upstream accepts comments only on their own lines. After a value the comment becomes part of the value: `on # why` is not `on`, so the event is off; a mode becomes TRACING.",
		Bad:   "[OpenMP.default]\n    omp_work = on # all of it\n",
		Good:  "[OpenMP.default]\n    # all of it\n    omp_work = on\n",
	}
	upstreamIgnores = &diag.Code{
		ID: "pinsight/upstream-ignores", Severity: diag.Info,
		Title: "an installed PInsight ignores this line",
		Doc:   "Upstream silently skips lines that it does not understand: events without their domain in Lexgion sections, events with their domain elsewhere, headers in forms it does not have.",
		Bad:   "[Lexgion(OpenMP).default]\n    omp_work = off\n",
		Good:  "[Lexgion(OpenMP).default]\n    OpenMP.omp_work = off\n",
	}
	upstreamAllOff = &diag.Code{
		ID: "pinsight/upstream-all-off", Severity: diag.Info,
		Title: "an installed PInsight switches all other events of the domain off",
		Doc:   "Upstream, the first event of a domain in a section for single regions switches all other events of the domain off, whatever the defaults are. Inherit the domain's default to keep the other events.",
		Bad:   "[Lexgion(0x400500)]\n    OpenMP.omp_work = off\n",
		Good:  "[Lexgion(0x400500)] : OpenMP.default\n    OpenMP.omp_work = off\n",
	}
	upstreamRemove = &diag.Code{
		ID: "pinsight/upstream-remove", Severity: diag.Info,
		Title: "an installed PInsight continues to trace the removed region",
		Doc:   "Upstream only deletes the region's own section, so the defaults apply to it. To stop tracing it there, set `max_num_traces = 0`.",
		Bad:   "[REMOVE Lexgion(0x400500)]\n",
		Good:  "[Lexgion(0x400500)]\n    max_num_traces = 0\n",
	}
	upstreamUnits = &diag.Code{
		ID: "pinsight/upstream-units", Severity: diag.Info,
		Title: "an installed PInsight does not use sections for units",
		Doc:   "Upstream reads `Domain.Kind(Set)` sections but never uses them. Units in the third part of a Lexgion header do work.",
		Bad:   "[OpenMP.thread(0-3)]\n    omp_work = off\n",
		Good:  "[Lexgion(0x400500)] : OpenMP.default : OpenMP.thread(0-3)\n    OpenMP.omp_work = off\n",
	}
	upstreamRange = &diag.Code{
		ID: "pinsight/upstream-range", Severity: diag.Info,
		Title: "an installed PInsight reads another range",
		Doc:   "Upstream takes the first two numbers as the ends of one range: `(0, 15)` is 0 to 15 there, and the rest is dropped. The range does not limit tracing by itself; it only bounds the sets of units. RESET does not undo it.",
		Bad:   "[OpenMP.default]\n    OpenMP.thread = (0, 15)\n",
		Good:  "[OpenMP.default]\n    OpenMP.thread = (0-511)\n",
	}
	upstreamEvents = &diag.Code{
		ID: "pinsight/upstream-events", Severity: diag.Info,
		Title: "an installed PInsight traces more events in this region",
		Doc:   "Upstream, a region with its own section does not use the events of `Domain.default` or `Lexgion(Domain).default`: all events that it neither names nor inherits are on. Inherit the domain's default in its header.",
		Bad:   "[OpenMP.default]\n    omp_work = off\n\n[Lexgion(0x400500)]\n    max_num_traces = 3\n",
		Good:  "[OpenMP.default]\n    omp_work = off\n\n[Lexgion(0x400500)] : OpenMP.default\n    max_num_traces = 3\n",
	}
	upstreamFilled = &diag.Code{
		ID: "pinsight/upstream-filled", Severity: diag.Info,
		Title: "an installed PInsight overwrites this with the default of each domain",
		Doc:   "Upstream creates `Lexgion(Domain).default` from `Lexgion.default` and `Domain.default`: the rate of the first, the events of the second. So the events of `Lexgion.default` reach only regions with their own section. A `Lexgion(Domain).default` that the file does not write, or that it resets, is created in the same way.",
		Bad:   "[Lexgion.default]\n    OpenMP.omp_work = off\n",
		Good:  "[Lexgion(OpenMP).default]\n    OpenMP.omp_work = off\n",
	}
	upstreamParallel = &diag.Code{
		ID: "pinsight/upstream-parallel", Severity: diag.Info,
		Title: "an installed PInsight traces parallel regions by their rate only",
		Doc:   "For `omp_parallel_begin`, upstream checks neither events nor units, and it traces `omp_parallel_end` whenever it traced the beginning. Only the rate limits both.",
		Bad:   "[OpenMP.default]\n    omp_parallel_begin = off\n",
		Good:  "[Lexgion(OpenMP).default]\n    max_num_traces = 0\n",
	}
	upstreamReinit = &diag.Code{
		ID: "pinsight/upstream-reinit", Severity: diag.Info,
		Title: "an installed PInsight forgets the earlier section",
		Doc:   "Upstream creates `Lexgion(Domain).default` anew at each of its headers, so only the last one counts. A header that inherits a domain again does the same with the events of that domain.",
		Bad:   "[Lexgion(OpenMP).default]\n    tracing_rate = 7\n\n[Lexgion(OpenMP).default]\n    max_num_traces = 3\n",
		Good:  "[Lexgion(OpenMP).default]\n    tracing_rate = 7\n    max_num_traces = 3\n",
	}
	upstreamRate = &diag.Code{
		ID: "pinsight/upstream-rate", Severity: diag.Info,
		Title: "an installed PInsight uses another rate for this region",
		Doc:   "Upstream copies `Lexgion.default` into a region at the line where the region is first written, and never uses `Lexgion(Domain).default` for it. Set the rate in the region itself, or write the defaults above it.",
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
		Doc:   "Upstream, everything that does not begin with `0x` is a name, and only regions that the program itself names have one: Python functions, MPI calls, marked regions.",
		Bad:   "[Lexgion(main.c:42)]\n    tracing_rate = 10\n",
		Good:  "[Lexgion(0x400500)]\n    tracing_rate = 10\n",
	}
	upstreamMode = &diag.Code{
		ID: "pinsight/upstream-mode", Severity: diag.Info,
		Title: "an installed PInsight reads another mode",
		Doc:   "Upstream, a blank before the comma belongs to the mode, and an unknown mode means TRACING.",
		Bad:   "[Lexgion.default]\n    max_num_traces = 9\n    window_end_action = MPI:STANDBY , OpenMP:OFF\n",
		Good:  "[Lexgion.default]\n    max_num_traces = 9\n    window_end_action = MPI:STANDBY, OpenMP:OFF\n",
	}
)

var upstreamCodes = []*diag.Code{
	upstreamComment, upstreamIgnores, upstreamAllOff, upstreamRemove, upstreamUnits, upstreamRange,
	upstreamFilled, upstreamParallel, upstreamReinit, upstreamRate, upstreamEvents, upstreamLimit, upstreamName, upstreamMode,
}
