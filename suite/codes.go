package suite

import "github.com/pentode-dev/pentode/core/diag"

// Codes are the kinds of findings between the files of a run.
func Codes() []*diag.Code {
	return []*diag.Code{
		ambiguous, noSuchFile, noSuchCommand, badArguments, notSet,
		noSuchSite, siteNotStarted, hostWithoutSite, byteOrders,
		notUsed, noSuchUnit, noSuchRegion, notRegistered,
		noSuchDatum, notFed, wrongKind, wrongSize, noSuchEvent, pluginElsewhere, twoWriters, leadsOutside, otherRank,
		doesNotFit, otherSize, misaligned, weakAlignment, otherEndianness,
		hostLacks, untraceable, noSuchFunction, otherMachine, notHanded,
	}
}

// Of the folder and the plan.
var (
	ambiguous = &diag.Code{
		ID: "suite/ambiguous", Severity: diag.Error,
		Title: "a run folder has two files for one part",
		Doc:   "A run has one target, plan, pipeline, specification tree and trace configuration. Of several files the one that the plan or the pipeline names is taken; here none is named.",
		Bad:   "heat.pipe, a.pinsight and b.pinsight in one folder",
		Good:  "heat.pipe and heat.pinsight",
	}
	noSuchFile = &diag.Code{
		ID: "suite/no-such-file", Severity: diag.Error,
		Title: "a file that the run needs is not there",
		Doc:   "The plan names pipelines and trace configurations, the pipeline names specification trees. They are looked for beside the file that names them.",
		Bad:   `heat.psdl: args { "run" "haet.pipe" };`,
		Good:  `heat.psdl: args { "run" "heat.pipe" };`,
	}
	noSuchCommand = &diag.Code{
		ID: "suite/no-such-command", Severity: diag.Error,
		Title: "the plan starts a program that this machine does not have",
		Doc:   "Commands without a slash are looked for in PATH, others in the folder of the run. `pentode` is this very program. What another host has is not looked at. A visualisation that Paradyn itself had (rthist, barChart, tableVisi, phaseTable, terrain) needs no program: the page shows it.",
		Bad:   `heat.psdl: command "solverr"; host "localhost";`,
		Good:  `heat.psdl: command "pentode"; host "localhost";`,
	}
	badArguments = &diag.Code{
		ID: "suite/bad-arguments", Severity: diag.Error,
		Title: "the plan starts this program with arguments that it refuses",
		Doc:   "A plan that starts `pentode` says what it would say on the command line. A verb or flag that is not there, a file that is not run by itself, a filter for a trace that is not written: the process would end as soon as it starts. Nor may a plan start itself.",
		Bad:   `heat.psdl: args { "run" "heat.pipe" "--polcy" "heat.pinsight" };`,
		Good:  `heat.psdl: args { "run" "heat.pipe" "--policy" "heat.pinsight" "--trace" "trace.json" };`,
	}
	notSet = &diag.Code{
		ID: "suite/not-set", Severity: diag.Warning,
		Title: "the pipeline reads a variable that nothing sets",
		Doc:   "A process finds the variables of this program, and those of its plan: PENTODE_RANK, PENTODE_SIZE, PENTODE_NODE, PENTODE_RUN, PENTODE_OUT, PARADYN_NAME, PARADYN_HOST, PARADYN_FLAVOR, PARADYN_DAEMON, PARADYN_TUNABLES, and PARADYN_TUNABLE_ with the name of each tunable constant. A variable without a value stands for nothing.",
		Bad:   "heat.psdl: tunable_constant \"samplingRate\" 0.5;\nheat.pipe: every = $ENV{PARADYN_TUNABLE_sampleRate}",
		Good:  "heat.psdl: tunable_constant \"samplingRate\" 0.5;\nheat.pipe: every = $ENV{PARADYN_TUNABLE_samplingRate}",
	}
)

// Of the sites of a pipeline.
var (
	noSuchSite = &diag.Code{
		ID: "suite/no-such-site", Severity: diag.Error,
		Title: "the plan starts a site that the pipeline does not have, or one twice",
		Doc:   "The sites of a pipeline are those that its processes name with `_site`, and `main` where one names none. Each is run by one program.",
		Bad:   "a.pipe: _site = gpu\na.psdl: args { \"run\" \"a.pipe\" \"--site\" \"gpo\" };",
		Good:  "a.pipe: _site = gpu\na.psdl: args { \"run\" \"a.pipe\" \"--site\" \"gpu\" };",
	}
	siteNotStarted = &diag.Code{
		ID: "suite/site-not-started", Severity: diag.Error,
		Title: "the plan does not start a site of the pipeline",
		Doc:   "A run begins when all its sites are there, so one that the plan forgets keeps all others waiting.",
		Bad:   "a.pipe: _site = gpu, and a process without _site\na.psdl: args { \"run\" \"a.pipe\" \"--site\" \"gpu\" };",
		Good:  "a.psdl: a second process with args { \"run\" \"a.pipe\" \"--site\" \"main\" };",
	}
	hostWithoutSite = &diag.Code{
		ID: "suite/host-without-site", Severity: diag.Warning,
		Title: "a host of the plan runs no site of the pipeline",
		Doc:   "The plan spreads a pipeline over hosts, and starts something else on this one.",
		Bad:   "a.psdl: a process on host \"n2\" that runs no site",
		Good:  "a.psdl: a process on host \"n2\" with args { \"run\" \"a.pipe\" \"--site\" \"gpu\" };",
	}
	byteOrders = &diag.Code{
		ID: "suite/byte-orders", Severity: diag.Info,
		Title: "two sites that exchange data store numbers in different orders",
		Doc:   "Numbers, arrays and pictures travel in little-endian order and arrive as they were. Numbers that a process has packed into bytes by itself do not: its counterpart must know their order. The target of one site is the file SITE.coilcfg beside the pipeline; other sites have that of the folder.",
		Bad:   "a.pipe: _site = deck\ndeck.coilcfg: Endianness = Big\na.coilcfg: Endianness = Little",
		Good:  "a.pipe: _site = deck\ndeck.coilcfg: Endianness = Little\na.coilcfg: Endianness = Little",
	}
)

// Of the trace configuration.
var (
	notUsed = &diag.Code{
		ID: "suite/not-used", Severity: diag.Warning,
		Title: "nothing is traced by the trace configuration of the folder",
		Doc:   "A process of the plan is traced by the configuration that its argument `--policy` names, into the file that `--trace` names. Only the pipeline of a folder without a plan finds the configuration by itself.",
		Bad:   `heat.psdl: args { "run" "heat.pipe" };   // and a heat.pinsight beside it`,
		Good:  `heat.psdl: args { "run" "heat.pipe" "--policy" "heat.pinsight" "--trace" "trace.json" };`,
	}
	noSuchUnit = &diag.Code{
		ID: "suite/no-such-unit", Severity: diag.Error,
		Title: "the trace configuration names units that the run does not have",
		Doc:   "The rank of a process is its index in the plan. In a pipeline the processes are counted from 0, as `Flow.process` and `Flow.thread`. Nothing in a pipeline counts devices. A section for units that do not exist never applies.",
		Bad:   "heat.psdl: two processes\nheat.pinsight: [Lexgion(solver)] : Flow.default : MPI.rank(4)",
		Good:  "heat.psdl: two processes\nheat.pinsight: [Lexgion(solver)] : Flow.default : MPI.rank(0-1)",
	}
	noSuchRegion = &diag.Code{
		ID: "suite/no-such-region", Severity: diag.Error,
		Title: "the trace configuration names a region that the pipeline or the program does not have",
		Doc:   "The regions of a pipeline are its processes, by name; they have no addresses. Those of a program are its functions and the lines and addresses of its code.",
		Bad:   "heat.pipe: process solver :: heat\nheat.pinsight: [Lexgion(sovler)]",
		Good:  "heat.pipe: process solver :: heat\nheat.pinsight: [Lexgion(solver)]",
	}
	notRegistered = &diag.Code{
		ID: "suite/not-registered", Severity: diag.Warning,
		Title: "the run has no events of this domain or name",
		Doc:   "A pipeline tells of the events of the domain Flow: flow_init, flow_step, flow_push, flow_block, flow_drop, flow_flush and flow_finalize. Settings for anything else change nothing in this run.",
		Bad:   "heat.pipe: a pipeline\nheat.pinsight: [OpenMP.default]",
		Good:  "heat.pipe: a pipeline\nheat.pinsight: [Flow.default]",
	}
)

// Of the data.
var (
	noSuchDatum = &diag.Code{
		ID: "suite/no-such-datum", Severity: diag.Error,
		Title: "the pipeline feeds a datum that the tree does not declare",
		Doc:   "A port of an `expose` process, and a key of its block `values`, is called like the metadata or datum that it feeds.",
		Bad:   "heat.yml: data: { field: … }\nheat.pipe: connect from solver.field to store.feild",
		Good:  "heat.yml: data: { field: … }\nheat.pipe: connect from solver.field to store.field",
	}
	notFed = &diag.Code{
		ID: "suite/not-fed", Severity: diag.Warning,
		Title: "the tree reads a datum that nothing feeds",
		Doc:   "What the types and plugins of a tree read comes from the ports and constants of `expose` processes, or from the tree's own plugins. An error where the type of something that is fed depends on it.",
		Bad:   "heat.yml: data: { field: { type: array, subtype: double, size: [ $rows, $cols ] } }\nheat.pipe: values:rows = 96   # and nothing for cols",
		Good:  "heat.yml: data: { field: { type: array, subtype: double, size: [ $rows, $cols ] } }\nheat.pipe: values:rows = 96, values:cols = 128",
	}
	wrongKind = &diag.Code{
		ID: "suite/wrong-kind", Severity: diag.Error,
		Title: "what arrives is not what the tree declares",
		Doc:   "Integers feed scalars, doubles feed floating point scalars, arrays feed arrays of numbers, texts feed arrays of char. Numbers with fractions do not go into whole ones, nor numbers beyond what a type holds, as far as the pipeline says how large they become. A number that is rounded to fewer bits is a warning.",
		Bad:   "heat.yml: metadata: { mean: int }\nheat.pipe: connect from measure.mean to store.mean   # a double",
		Good:  "heat.yml: metadata: { mean: double }\nheat.pipe: connect from measure.mean to store.mean",
	}
	wrongSize = &diag.Code{
		ID: "suite/wrong-size", Severity: diag.Error,
		Title: "an array has another shape than the tree declares",
		Doc:   "The array of the tree is computed from the constants that the pipeline gives the store; it must have the extents of the array that arrives, axis by axis, the slowest first: an array of 12 × 20 is none of 20 × 12. Extents that are not known before the run are compared in it.",
		Bad:   "heat.pipe: rows = 12, cols = 20 of the solver\nheat.yml: size: [ $cols, $rows ]",
		Good:  "heat.pipe: rows = 12, cols = 20 of the solver\nheat.yml: size: [ $rows, $cols ]",
	}
)

var noSuchEvent = &diag.Code{
	ID: "suite/no-such-event", Severity: diag.Warning,
	Title: "the pipeline and the tree speak of different events",
	Doc:   "An `expose` process triggers the event of its key `event` in every step. What plugins do on an event that nothing triggers is never done.",
	Bad:   "heat.pipe: event = step_done\nheat.yml: on_event: stepdone",
	Good:  "heat.pipe: event = step_done\nheat.yml: on_event: step_done",
}

var pluginElsewhere = &diag.Code{
	ID: "suite/plugin-elsewhere", Severity: diag.Error,
	Title: "a plugin of the tree does not run in a pipeline",
	Doc:   "A pipeline that feeds a tree has a store of its own, which refuses a plugin that needs the program it was made for, such as `pycall`, which needs a Python, and `mpi`, which needs an MPI.",
	Bad:   "heat.pipe: process store :: expose\nheat.yml: plugins: { pycall: … }",
	Good:  "heat.pipe: process store :: expose\nheat.yml: plugins: { decl_hdf5: … }",
}

var twoWriters = &diag.Code{
	ID: "suite/same-file", Severity: diag.Error,
	Title: "two processes of the plan would write one file",
	Doc:   "Each process of a run has a folder of its own for its results, so files with relative names do not meet. An absolute name, or a folder that the plan gives two processes with `--output`, makes them meet, and one HDF5 file has one writer. The key `communicator` says that the processes agree about it.",
	Bad:   "heat.yml: decl_hdf5: { file: /scratch/heat.h5 }   # of two processes",
	Good:  "heat.yml: decl_hdf5: { file: 'heat_${rank}.h5' }",
}

// Of the target.
var (
	doesNotFit = &diag.Code{
		ID: "suite/does-not-fit", Severity: diag.Error,
		Title: "a type of the tree cannot be laid out on the target",
		Doc:   "Records with fixed displacements and sizes were measured on one machine. Where types have other sizes, members overlap or reach beyond the end.",
		Bad:   "heat.coilcfg: Mode = 64\nheat.yml: a record of 8 bytes with a pointer at 4",
		Good:  "heat.coilcfg: Mode = 64\nheat.yml: a record of 16 bytes with a pointer at 8",
	}
	otherSize = &diag.Code{
		ID: "suite/other-size", Severity: diag.Warning,
		Title: "a type has another size on the target than here",
		Doc:   "Pointers, and the types `long` and `size_t`, follow the mode of the target; ABIs such as x32 have short ones in a long mode, and `long` follows the kind of program as well. Data that a program built for the target writes does not have the layout that this program reads.",
		Bad:   "heat.coilcfg: Mode = 32\nheat.yml: metadata: { n: long }",
		Good:  "heat.coilcfg: Mode = 32\nheat.yml: metadata: { n: int64 }",
	}
	misaligned = &diag.Code{
		ID: "suite/misaligned", Severity: diag.Warning,
		Title: "a member of a record is not aligned on the target",
		Doc:   "Some processors stop at such an access, others take longer. A `struct` leaves the layout to the rules of C.",
		Bad:   "heat.coilcfg: Architecture = ARM\nheat.yml: a double at disp 4",
		Good:  "heat.coilcfg: Architecture = ARM\nheat.yml: a double at disp 8",
	}
	weakAlignment = &diag.Code{
		ID: "suite/weak-alignment", Severity: diag.Warning,
		Title: "the target aligns memory less than a type of the tree needs",
		Doc:   "`Memory.Alignment` is what the target promises of the address of any buffer.",
		Bad:   "heat.coilcfg: Alignment = 4\nheat.yml: data: { t: double }",
		Good:  "heat.coilcfg: Alignment = 8\nheat.yml: data: { t: double }",
	}
	otherEndianness = &diag.Code{
		ID: "suite/other-endianness", Severity: diag.Error,
		Title: "the target has another byte order than the machine that runs",
		Doc:   "The data store of this program reads and writes numbers in the order of this machine.",
		Bad:   "heat.coilcfg: Endianness = Big   # on a little-endian machine",
		Good:  "heat.coilcfg: Endianness = Little",
	}
	hostLacks = &diag.Code{
		ID: "suite/host-lacks", Severity: diag.Warning,
		Title: "this machine is not what the target asks for",
		Doc:   "A warning as long as the plan starts only this program here; an error where it starts programs that were built for the target.",
		Bad:   "heat.coilcfg: SIMD = AVX512F   # on a machine without it",
		Good:  "heat.coilcfg: SIMD = SSE2",
	}
)

// Of programs of the user.
var (
	untraceable = &diag.Code{
		ID: "suite/untraceable", Severity: diag.Error,
		Title: "a program that no tracer can be loaded into",
		Doc:   "`trace record` loads a library into the program. A program that is linked statically loads none, and into one that runs as another user the system lets none.",
		Bad:   "cc -static wave.c\nwave.psdl: args { \"trace\" \"run\" \"--\" \"./wave\" };",
		Good:  "cc wave.c\nwave.psdl: args { \"trace\" \"run\" \"--\" \"./wave\" };",
	}
	noSuchFunction = &diag.Code{
		ID: "suite/no-such-function", Severity: diag.Error,
		Title: "the tree calls a function that the program does not show",
		Doc:   "The plugin `user_code` finds functions by name among those that the program exports. A compiler exports those of a program with `-rdynamic` only, and never one that is `static`.",
		Bad:   "cc wave.c -lpdi\nwave.yml: user_code: { on_event: { step: { measure: {} } } }",
		Good:  "cc -rdynamic wave.c -lpdi\nwave.yml: user_code: { on_event: { step: { measure: {} } } }",
	}
	otherMachine = &diag.Code{
		ID: "suite/other-machine", Severity: diag.Error,
		Title: "a program was built for another machine than the target",
		Doc:   "The target says what the programs of the run are built for; a compiled program says for which processor it was built.",
		Bad:   "wave.coilcfg: Architecture = ARM\n./wave: built for x86",
		Good:  "wave.coilcfg: Architecture = x86\n./wave: built for x86",
	}
	notHanded = &diag.Code{
		ID: "suite/not-handed", Severity: diag.Error,
		Title: "what a program hands to a pipeline does not get there",
		Doc:   "The plugin `flow` of a tree hands data to the process of the type `program` of a pipeline on the same machine. What no output of that process is called like is not used, which is a warning.",
		Bad:   "wave.yml: flow: { pipeline: wave.pipe, on_event: { step: [ field ] } }\nwave.pipe: no process of the type program",
		Good:  "wave.yml: flow: { pipeline: wave.pipe, on_event: { step: [ field ] } }\nwave.pipe: process sim :: program, connect from sim.field to paint.field",
	}
)

var leadsOutside = &diag.Code{
	ID: "suite/leads-outside", Severity: diag.Error,
	Title: "a result would be written outside of the folder of the results",
	Doc:   "A run has a folder for its results, and each process of a plan one of its own in it. A name that leads out of it, such as `../x.h5`, is refused when the file is opened, in the first step that writes. `--allow-outside` lifts the fence.",
	Bad:   "heat.yml: decl_hdf5: { file: ../heat.h5 }",
	Good:  "heat.yml: decl_hdf5: { file: heat.h5 }",
}

var otherRank = &diag.Code{
	ID: "suite/other-rank", Severity: diag.Error,
	Title: "a process of the plan cannot run the pipeline that others can",
	Doc:   "Processes of one plan run the same pipeline in different environments: each has its own PENTODE_RANK. Settings that read it must be right in all of them.",
	Bad:   "heat.psdl: three processes\nheat.pipe: part = $ENV{PENTODE_RANK}, parts = 2",
	Good:  "heat.psdl: three processes\nheat.pipe: part = $ENV{PENTODE_RANK}, parts = $ENV{PENTODE_SIZE}",
}
