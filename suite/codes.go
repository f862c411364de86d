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

// Codes of the folder and the plan.
var (
	ambiguous = &diag.Code{
		ID: "suite/ambiguous", Severity: diag.Error,
		Title: "a run folder has two files for one part",
		Doc:   "A run has one target, plan, pipeline, specification tree and trace configuration. If a folder has several files for one part, the plan or the pipeline must name the file to use.",
		Bad:   "heat.pipe, a.pinsight and b.pinsight in one folder",
		Good:  "heat.pipe and heat.pinsight",
	}
	noSuchFile = &diag.Code{
		ID: "suite/no-such-file", Severity: diag.Error,
		Title: "a file that the run needs does not exist",
		Doc:   "The plan names pipelines and trace configurations, the pipeline names specification trees. Their names are relative to the file that names them.",
		Bad:   `heat.psdl: args { "run" "haet.pipe" };`,
		Good:  `heat.psdl: args { "run" "heat.pipe" };`,
	}
	noSuchCommand = &diag.Code{
		ID: "suite/no-such-command", Severity: diag.Error,
		Title: "the plan starts a program that this machine does not have",
		Doc:   "Commands without a slash are looked for in PATH, others in the folder of the run. `pentode` is this program itself. Programs on other hosts are not checked. A visualisation that is part of Paradyn (rthist, barChart, tableVisi, phaseTable, terrain) needs no program: the page shows it.",
		Bad:   `heat.psdl: command "solverr"; host "localhost";`,
		Good:  `heat.psdl: command "pentode"; host "localhost";`,
	}
	badArguments = &diag.Code{
		ID: "suite/bad-arguments", Severity: diag.Error,
		Title: "the plan starts this program with arguments that it refuses",
		Doc:   "A plan starts `pentode` with the same arguments as the command line. With an unknown verb or flag, a file that cannot be run by itself, or a filter for a trace that is not written, the process would end at once. A plan must not start itself either.",
		Bad:   `heat.psdl: args { "run" "heat.pipe" "--polcy" "heat.pinsight" };`,
		Good:  `heat.psdl: args { "run" "heat.pipe" "--policy" "heat.pinsight" "--trace" "trace.json" };`,
	}
	notSet = &diag.Code{
		ID: "suite/not-set", Severity: diag.Warning,
		Title: "the pipeline reads a variable that nothing sets",
		Doc:   "A process has the variables of this program, and the variables of its plan: PENTODE_RANK, PENTODE_SIZE, PENTODE_NODE, PENTODE_RUN, PENTODE_OUT, PARADYN_NAME, PARADYN_HOST, PARADYN_FLAVOR, PARADYN_DAEMON, PARADYN_TUNABLES, and PARADYN_TUNABLE_ with the name of each tunable constant. A variable without a value is empty.",
		Bad:   "heat.psdl: tunable_constant \"samplingRate\" 0.5;\nheat.pipe: every = $ENV{PARADYN_TUNABLE_sampleRate}",
		Good:  "heat.psdl: tunable_constant \"samplingRate\" 0.5;\nheat.pipe: every = $ENV{PARADYN_TUNABLE_samplingRate}",
	}
)

// Codes of the sites of a pipeline.
var (
	noSuchSite = &diag.Code{
		ID: "suite/no-such-site", Severity: diag.Error,
		Title: "the plan starts a site that the pipeline does not have, or starts a site twice",
		Doc:   "The sites of a pipeline are the ones that its processes name with `_site`, and `main` for processes without `_site`. One program runs each site.",
		Bad:   "a.pipe: _site = gpu\na.psdl: args { \"run\" \"a.pipe\" \"--site\" \"gpo\" };",
		Good:  "a.pipe: _site = gpu\na.psdl: args { \"run\" \"a.pipe\" \"--site\" \"gpu\" };",
	}
	siteNotStarted = &diag.Code{
		ID: "suite/site-not-started", Severity: diag.Error,
		Title: "the plan does not start a site of the pipeline",
		Doc:   "A run begins when all its sites have joined, so a missing site keeps all others waiting.",
		Bad:   "a.pipe: _site = gpu, and a process without _site\na.psdl: args { \"run\" \"a.pipe\" \"--site\" \"gpu\" };",
		Good:  "a.psdl: a second process with args { \"run\" \"a.pipe\" \"--site\" \"main\" };",
	}
	hostWithoutSite = &diag.Code{
		ID: "suite/host-without-site", Severity: diag.Warning,
		Title: "a host of the plan runs no site of the pipeline",
		Doc:   "The plan spreads a pipeline over several hosts, but starts something else on this host.",
		Bad:   "a.psdl: a process on host \"n2\" that runs no site",
		Good:  "a.psdl: a process on host \"n2\" with args { \"run\" \"a.pipe\" \"--site\" \"gpu\" };",
	}
	byteOrders = &diag.Code{
		ID: "suite/byte-orders", Severity: diag.Info,
		Title: "two sites that exchange data store numbers in different orders",
		Doc:   "Numbers, arrays and pictures travel in little-endian order and arrive as they were. Numbers that a process itself has packed into bytes do not: the receiver must know their order. The target of a site is the file SITE.coilcfg beside the pipeline; other sites have the target of the folder.",
		Bad:   "a.pipe: _site = deck\ndeck.coilcfg: Endianness = Big\na.coilcfg: Endianness = Little",
		Good:  "a.pipe: _site = deck\ndeck.coilcfg: Endianness = Little\na.coilcfg: Endianness = Little",
	}
)

// Codes of the trace configuration.
var (
	notUsed = &diag.Code{
		ID: "suite/not-used", Severity: diag.Warning,
		Title: "the trace configuration of the folder has no effect",
		Doc:   "For a process of the plan, `--policy` names the trace configuration and `--trace` the file for the trace. Only in a folder without a plan is the configuration used automatically.",
		Bad:   `heat.psdl: args { "run" "heat.pipe" };   // and a heat.pinsight beside it`,
		Good:  `heat.psdl: args { "run" "heat.pipe" "--policy" "heat.pinsight" "--trace" "trace.json" };`,
	}
	noSuchUnit = &diag.Code{
		ID: "suite/no-such-unit", Severity: diag.Error,
		Title: "the trace configuration names units that the run does not have",
		Doc:   "The rank of a process is its index in the plan. In a pipeline the processes have the numbers `Flow.process` and `Flow.thread`, from 0. A pipeline has no devices. A section for units that do not exist never applies.",
		Bad:   "heat.psdl: two processes\nheat.pinsight: [Lexgion(solver)] : Flow.default : MPI.rank(4)",
		Good:  "heat.psdl: two processes\nheat.pinsight: [Lexgion(solver)] : Flow.default : MPI.rank(0-1)",
	}
	noSuchRegion = &diag.Code{
		ID: "suite/no-such-region", Severity: diag.Error,
		Title: "the trace configuration names a region that the pipeline or the program does not have",
		Doc:   "The regions of a pipeline are its processes, by name; they have no addresses. The regions of a program are its functions and the lines and addresses of its code.",
		Bad:   "heat.pipe: process solver :: heat\nheat.pinsight: [Lexgion(sovler)]",
		Good:  "heat.pipe: process solver :: heat\nheat.pinsight: [Lexgion(solver)]",
	}
	notRegistered = &diag.Code{
		ID: "suite/not-registered", Severity: diag.Warning,
		Title: "the run has no events of this domain or name",
		Doc:   "A pipeline has the events of the domain Flow: flow_init, flow_step, flow_push, flow_block, flow_drop, flow_flush and flow_finalize. Settings for other events have no effect in this run.",
		Bad:   "heat.pipe: a pipeline\nheat.pinsight: [OpenMP.default]",
		Good:  "heat.pipe: a pipeline\nheat.pinsight: [Flow.default]",
	}
)

// Codes of the data.
var (
	noSuchDatum = &diag.Code{
		ID: "suite/no-such-datum", Severity: diag.Error,
		Title: "the pipeline feeds a datum that the tree does not declare",
		Doc:   "A port of an `expose` process, or a key of its block `values`, has the name of the metadata or datum that it feeds.",
		Bad:   "heat.yml: data: { field: … }\nheat.pipe: connect from solver.field to store.feild",
		Good:  "heat.yml: data: { field: … }\nheat.pipe: connect from solver.field to store.field",
	}
	notFed = &diag.Code{
		ID: "suite/not-fed", Severity: diag.Warning,
		Title: "the tree reads a datum that nothing feeds",
		Doc:   "The data that the types and plugins of a tree read come from the ports and constants of `expose` processes, or from the tree's own plugins. If the type of other fed data depends on the datum, this is an error.",
		Bad:   "heat.yml: data: { field: { type: array, subtype: double, size: [ $rows, $cols ] } }\nheat.pipe: values:rows = 96   # and nothing for cols",
		Good:  "heat.yml: data: { field: { type: array, subtype: double, size: [ $rows, $cols ] } }\nheat.pipe: values:rows = 96, values:cols = 128",
	}
	wrongKind = &diag.Code{
		ID: "suite/wrong-kind", Severity: diag.Error,
		Title: "the arriving data do not match the declaration in the tree",
		Doc:   "Integers feed scalars, doubles feed floating point scalars, arrays feed arrays of numbers, texts feed arrays of char. Numbers with fractions cannot feed integers, and numbers must be in the range of the type, as far as the pipeline determines their size. Rounding to fewer bits is a warning.",
		Bad:   "heat.yml: metadata: { mean: int }\nheat.pipe: connect from measure.mean to store.mean   # a double",
		Good:  "heat.yml: metadata: { mean: double }\nheat.pipe: connect from measure.mean to store.mean",
	}
	wrongSize = &diag.Code{
		ID: "suite/wrong-size", Severity: diag.Error,
		Title: "an array has another shape than the tree declares",
		Doc:   "The shape in the tree is computed from the constants that the pipeline gives the store. It must equal the shape of the arriving array, axis by axis, the slowest first: an array of 12 × 20 is not an array of 20 × 12. Extents that are not known before the run are compared during the run.",
		Bad:   "heat.pipe: rows = 12, cols = 20 of the solver\nheat.yml: size: [ $cols, $rows ]",
		Good:  "heat.pipe: rows = 12, cols = 20 of the solver\nheat.yml: size: [ $rows, $cols ]",
	}
)

var noSuchEvent = &diag.Code{
	ID: "suite/no-such-event", Severity: diag.Warning,
	Title: "the pipeline and the tree name different events",
	Doc:   "An `expose` process triggers the event of its key `event` in every step. If nothing triggers an event, plugins never act on it.",
	Bad:   "heat.pipe: event = step_done\nheat.yml: on_event: stepdone",
	Good:  "heat.pipe: event = step_done\nheat.yml: on_event: step_done",
}

var pluginElsewhere = &diag.Code{
	ID: "suite/plugin-elsewhere", Severity: diag.Error,
	Title: "a plugin of the tree cannot run in a pipeline",
	Doc:   "A pipeline that feeds a tree has its own store, which refuses a plugin that needs its own kind of program, such as `pycall`, which needs a Python, and `mpi`, which needs an MPI.",
	Bad:   "heat.pipe: process store :: expose\nheat.yml: plugins: { pycall: … }",
	Good:  "heat.pipe: process store :: expose\nheat.yml: plugins: { decl_hdf5: … }",
}

var twoWriters = &diag.Code{
	ID: "suite/same-file", Severity: diag.Error,
	Title: "two processes of the plan would write one file",
	Doc:   "Each process of a run has its own results folder, so files with relative names are different files. With an absolute name, or with the same `--output` folder, two processes write the same file; but an HDF5 file can have only one writer. The key `communicator` says that the processes write it together.",
	Bad:   "heat.yml: decl_hdf5: { file: /scratch/heat.h5 }   # of two processes",
	Good:  "heat.yml: decl_hdf5: { file: 'heat_${rank}.h5' }",
}

// Codes of the target.
var (
	doesNotFit = &diag.Code{
		ID: "suite/does-not-fit", Severity: diag.Error,
		Title: "a type of the tree has no layout on the target",
		Doc:   "The displacements and sizes of a record are fixed for one machine. If types have other sizes on the target, members overlap or reach beyond the end of the record.",
		Bad:   "heat.coilcfg: Mode = 64\nheat.yml: a record of 8 bytes with a pointer at 4",
		Good:  "heat.coilcfg: Mode = 64\nheat.yml: a record of 16 bytes with a pointer at 8",
	}
	otherSize = &diag.Code{
		ID: "suite/other-size", Severity: diag.Warning,
		Title: "a type has another size on the target than here",
		Doc:   "Pointers, and the types `long` and `size_t`, follow the mode of the target; ABIs such as x32 have short pointers in 64-bit mode, and `long` also depends on the kind of program. Data that a program built for the target writes does not have the layout that this program reads.",
		Bad:   "heat.coilcfg: Mode = 32\nheat.yml: metadata: { n: long }",
		Good:  "heat.coilcfg: Mode = 32\nheat.yml: metadata: { n: int64 }",
	}
	misaligned = &diag.Code{
		ID: "suite/misaligned", Severity: diag.Warning,
		Title: "a member of a record is not aligned on the target",
		Doc:   "Some processors fail at such an access, others are slower. A `struct` leaves the layout to the rules of C.",
		Bad:   "heat.coilcfg: Architecture = ARM\nheat.yml: a double at disp 4",
		Good:  "heat.coilcfg: Architecture = ARM\nheat.yml: a double at disp 8",
	}
	weakAlignment = &diag.Code{
		ID: "suite/weak-alignment", Severity: diag.Warning,
		Title: "the target aligns memory less than a type of the tree needs",
		Doc:   "`Memory.Alignment` is the alignment that the target guarantees for every buffer.",
		Bad:   "heat.coilcfg: Alignment = 4\nheat.yml: data: { t: double }",
		Good:  "heat.coilcfg: Alignment = 8\nheat.yml: data: { t: double }",
	}
	otherEndianness = &diag.Code{
		ID: "suite/other-endianness", Severity: diag.Error,
		Title: "the target has another byte order than this machine",
		Doc:   "The data store of this program reads and writes numbers in the byte order of this machine.",
		Bad:   "heat.coilcfg: Endianness = Big   # on a little-endian machine",
		Good:  "heat.coilcfg: Endianness = Little",
	}
	hostLacks = &diag.Code{
		ID: "suite/host-lacks", Severity: diag.Warning,
		Title: "this machine does not have what the target requires",
		Doc:   "This is a warning if the plan starts only this program here, and an error if it starts programs that were built for the target.",
		Bad:   "heat.coilcfg: SIMD = AVX512F   # on a machine without it",
		Good:  "heat.coilcfg: SIMD = SSE2",
	}
)

// Codes of programs of the user.
var (
	untraceable = &diag.Code{
		ID: "suite/untraceable", Severity: diag.Error,
		Title: "no tracer can be loaded into a program",
		Doc:   "`trace record` loads a library into the program. A statically linked program cannot load it, and the system does not load it into a program that runs as another user.",
		Bad:   "cc -static wave.c\nwave.psdl: args { \"trace\" \"run\" \"--\" \"./wave\" };",
		Good:  "cc wave.c\nwave.psdl: args { \"trace\" \"run\" \"--\" \"./wave\" };",
	}
	noSuchFunction = &diag.Code{
		ID: "suite/no-such-function", Severity: diag.Error,
		Title: "the tree calls a function that the program does not export",
		Doc:   "The plugin `user_code` finds the exported functions of the program by name. A compiler exports functions of a program only with `-rdynamic`, and never `static` functions.",
		Bad:   "cc wave.c -lpdi\nwave.yml: user_code: { on_event: { step: { measure: {} } } }",
		Good:  "cc -rdynamic wave.c -lpdi\nwave.yml: user_code: { on_event: { step: { measure: {} } } }",
	}
	otherMachine = &diag.Code{
		ID: "suite/other-machine", Severity: diag.Error,
		Title: "a program was built for another machine than the target",
		Doc:   "The target describes the machine for which the programs of the run are built; a compiled program names the processor for which it was built.",
		Bad:   "wave.coilcfg: Architecture = ARM\n./wave: built for x86",
		Good:  "wave.coilcfg: Architecture = x86\n./wave: built for x86",
	}
	notHanded = &diag.Code{
		ID: "suite/not-handed", Severity: diag.Error,
		Title: "the data that a program hands to a pipeline do not reach it",
		Doc:   "The plugin `flow` of a tree hands data to the process of the type `program` of a pipeline on the same machine. Data without an output of the same name are not used, which is a warning.",
		Bad:   "wave.yml: flow: { pipeline: wave.pipe, on_event: { step: [ field ] } }\nwave.pipe: no process of the type program",
		Good:  "wave.yml: flow: { pipeline: wave.pipe, on_event: { step: [ field ] } }\nwave.pipe: process sim :: program, connect from sim.field to paint.field",
	}
)

var leadsOutside = &diag.Code{
	ID: "suite/leads-outside", Severity: diag.Error,
	Title: "a result would be written outside the results folder",
	Doc:   "A run has a results folder, in which each process of a plan has its own folder. A name that leads out of it, such as `../x.h5`, is refused when the file is opened, in the first step that writes. `--allow-outside` allows such names.",
	Bad:   "heat.yml: decl_hdf5: { file: ../heat.h5 }",
	Good:  "heat.yml: decl_hdf5: { file: heat.h5 }",
}

var otherRank = &diag.Code{
	ID: "suite/other-rank", Severity: diag.Error,
	Title: "one process of the plan cannot run a pipeline that others can run",
	Doc:   "Processes of one plan run the same pipeline in different environments: each has its own PENTODE_RANK. Settings that read such a variable must be valid in all processes.",
	Bad:   "heat.psdl: three processes\nheat.pipe: part = $ENV{PENTODE_RANK}, parts = 2",
	Good:  "heat.psdl: three processes\nheat.pipe: part = $ENV{PENTODE_RANK}, parts = $ENV{PENTODE_SIZE}",
}
