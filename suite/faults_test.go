package suite

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/run/target"
)

// smallHost is a 32-bit machine.
func smallHost() (target.Target, error) {
	return target.Detect(nil, target.Host{Arch: "386", CPUID: func() []string { return []string{"SSE", "SSE2"} }})
}

// record writes a type of fixed displacements into the tree.
func record(size, members string) string {
	return "\ntypes:\n  particle:\n    type: record\n    buffersize: " + size + "\n    members:\n" + members
}

var faults = []fault{
	// Units of the trace configuration against the processes of the plan and the pipeline.
	{name: "rank beyond", file: "heat.pinsight", old: "MPI.rank(0)", new: "MPI.rank(4)",
		code: "suite/no-such-unit", severity: diag.Error, at: "heat.pinsight: [Lexgion(pictures)] : Flow.default : «MPI.rank(4)»", other: `heat.psdl: name «"east"»;`,
		message: "no process has the MPI.rank 4: the plan starts 2 processes"},
	{name: "ranks partly beyond", file: "heat.pinsight", old: "MPI.rank(0-1)", new: "MPI.rank(0-7)",
		code: "suite/no-such-unit", severity: diag.Warning, at: "heat.pinsight: [Lexgion(solver, store)] : Flow.default : «MPI.rank(0-7)»", other: `heat.psdl: name «"east"»;`,
		message: "MPI.rank(0-7) goes beyond what is there"},
	{name: "device", file: "heat.pinsight", old: "MPI.rank(0)", new: "CUDA.device(0)",
		code: "suite/no-such-unit", severity: diag.Warning, at: "heat.pinsight: [Lexgion(pictures)] : Flow.default : «CUDA.device(0)»", other: `heat.psdl: name «"east"»;`,
		message: "no process of this run has a `CUDA.device`"},
	{name: "process of the pipeline", file: "heat.pinsight", old: "MPI.rank(0)", new: "Flow.process(9)",
		code: "suite/no-such-unit", severity: diag.Error, at: "heat.pinsight: [Lexgion(pictures)] : Flow.default : «Flow.process(9)»", other: "heat.pipe: process «solver»",
		message: "no process has the Flow.process 9: the pipeline has 5 processes"},

	// Regions, events and domains against what a pipeline registers.
	{name: "region misspelt", file: "heat.pinsight", old: "solver, store", new: "sovler, store",
		code: "suite/no-such-region", severity: diag.Error, at: "heat.pinsight: [Lexgion(«sovler», store)] : Flow.default : MPI.rank(0-1)", other: "heat.pipe: process «solver»",
		message: "the pipeline has no process `sovler`"},
	{name: "process renamed", file: "heat.pipe", old: "process pictures", new: "process painter",
		alsoReplace: [][3]string{{"heat.pipe", "pictures.image", "painter.image"}},
		code:        "suite/no-such-region", severity: diag.Error, at: "heat.pinsight: [Lexgion(«pictures»)] : Flow.default : MPI.rank(0)", other: "heat.pipe: process «solver»",
		message: "the pipeline has no process `pictures`"},
	{name: "address of a region", file: "heat.pinsight", old: "Lexgion(pictures)", new: "Lexgion(0x400500)",
		code: "suite/no-such-region", severity: diag.Warning, at: "heat.pinsight: [«Lexgion(0x400500)»] : Flow.default : MPI.rank(0)", other: "heat.pipe: process «solver»",
		message: "no region at the address 0x400500"},
	{name: "domain", file: "heat.pinsight", new: "\n[OpenMP.default]\n    omp_task_create = on\n",
		code: "suite/not-registered", severity: diag.Warning, at: "heat.pinsight: [«OpenMP.default»]", other: `heat.psdl: name «"east"»;`,
		message: "nothing in this run has events of the domain `OpenMP`"},
	{name: "event of another domain", file: "heat.pinsight", old: "max_num_traces = 5", new: "omp_task_create = on",
		code: "suite/not-registered", severity: diag.Warning, at: "heat.pinsight: «omp_task_create = on»", other: `heat.psdl: name «"east"»;`,
		message: "nothing in this run has events of the domain `OpenMP`"},

	// What the pipeline feeds against what the tree declares.
	{name: "datum renamed", file: "heat.yml", old: "mean: double", new: "average: double",
		alsoReplace: [][3]string{{"heat.yml", "      mean:\n        dataset", "      average:\n        dataset"}},
		code:        "suite/no-such-datum", severity: diag.Error, at: "heat.pipe: to «store.mean»", other: "heat.yml@0",
		message: "port `mean` feeds nothing"},
	{name: "port misspelt", file: "heat.pipe", old: "store.field", new: "store.feild",
		code: "suite/no-such-datum", severity: diag.Error, at: "heat.pipe: to «store.feild»", other: "heat.yml: «field»: #1",
		message: "port `feild` feeds nothing"},
	{name: "constant misspelt", file: "heat.pipe", old: "    rank = ", new: "    rnak = ",
		code: "suite/no-such-datum", severity: diag.Error, at: "heat.pipe: «rnak» = $ENV{PENTODE_RANK}", other: "heat.yml: «rank»: int",
		message: "the constant `rnak` feeds nothing"},
	{name: "a double for an int", file: "heat.yml", old: "mean: double", new: "mean: int",
		code: "suite/wrong-kind", severity: diag.Error, at: "heat.pipe: to «store.mean»", other: "heat.yml: mean: «int»",
		message: "`measure.mean` of type `double` arrives where the tree declares `int`"},
	{name: "a field for a number", file: "heat.pipe", old: "from measure.mean", new: "from solver.field",
		code: "suite/wrong-kind", severity: diag.Error, at: "heat.pipe: to «store.mean»", other: "heat.yml: mean: «double»",
		message: "`solver.field` of type `field:double` arrives where the tree declares `double`"},
	{name: "a text for a number", file: "heat.pipe", old: "    rank = $ENV{PENTODE_RANK}", new: "    rank = first",
		code: "suite/wrong-kind", severity: diag.Error, at: "heat.pipe: rank = «first»", other: "heat.yml: rank: «int»",
		message: "the text `first` arrives where the tree declares `int`"},
	{name: "rows of another plate", file: "heat.pipe", old: "rows  = $CONFIG{plate:rows}", new: "rows  = 48",
		code: "suite/wrong-size", severity: diag.Error, at: "heat.pipe: to «store.field»", other: "heat.yml: «type: array subtype: double size: [ $rows, $cols ]»",
		message: "a field of 48 by 128 takes 49152 bytes, and the tree declares 98304"},
	{name: "a plane instead of a row", file: "heat.yml", old: "size: [ $rows, $cols ]", new: "size: [ $rows ]",
		code: "suite/wrong-size", severity: diag.Error, at: "heat.pipe: to «store.field»", other: "heat.yml: «type: array subtype: double size: [ $rows ]»",
		message: "a field of 96 by 128 takes 98304 bytes, and the tree declares 768"},

	// Events of the pipeline against those of the tree.
	{name: "event of the tree misspelt", file: "heat.yml", old: "on_event: step_done", new: "on_event: stepdone",
		code: "suite/no-such-event", severity: diag.Warning, at: "heat.yml: on_event: «stepdone»", other: "heat.pipe: event = «step_done»",
		message: "the event `stepdone` never happens"},
	{name: "no event", file: "heat.pipe", old: "  event = step_done\n", new: "",
		code: "suite/no-such-event", severity: diag.Warning, at: "heat.yml: on_event: «step_done»", other: "heat.pipe: process «store»",
		message: "the event `step_done` never happens"},
	{name: "event without effect", file: "heat.yml", old: "    on_event: step_done\n", new: "",
		code: "suite/no-such-event", severity: diag.Warning, at: "heat.pipe: event = «step_done»", other: "heat.yml@0",
		message: "the event `step_done` has no effect"},

	// Layouts of the tree against the target.
	{name: "pointer grows", file: "heat.yml", host: smallHost, findings: 2,
		new:  record("8", "      id: { type: int32, disp: 0 }\n      next: { type: pointer, subtype: double, disp: 4 }\n"),
		code: "suite/does-not-fit", severity: diag.Error, at: "heat.yml: «particle»:", other: "base.coilcfg: Mode = «64»",
		message: "`particle` cannot be laid out on the target"},
	{name: "members overlap", file: "heat.yml", host: smallHost, findings: 2,
		new:  record("16", "      n: { type: long, disp: 0 }\n      m: { type: int32, disp: 4 }\n      w: { type: double, disp: 8 }\n"),
		code: "suite/does-not-fit", severity: diag.Error, at: "heat.yml: «particle»:", other: "base.coilcfg: Mode = «64»",
		message: "member `m` begins at byte 4, inside member `n`"},
	{name: "long shrinks", file: "heat.yml", old: "step: int64", new: "step: long",
		alsoReplace: [][3]string{{"base.coilcfg", "Mode = 64", "Mode = 32"}}, findings: 2,
		code: "suite/other-size", severity: diag.Warning, at: "heat.yml: «step»: long", other: "base.coilcfg: Mode = «32»",
		message: "`step` takes 4 bytes on the target and 8 here"},
	{name: "pointer shrinks", file: "heat.yml", new: "\ntypes:\n  next: { type: pointer, subtype: double }\n",
		alsoReplace: [][3]string{{"base.coilcfg", "Mode = 64", "Mode = 32"}}, findings: 2,
		code: "suite/other-size", severity: diag.Warning, at: "heat.yml: «next»: { type: pointer, subtype: double }", other: "base.coilcfg: Mode = «32»",
		message: "`next` takes 4 bytes on the target and 8 here"},
	{name: "double at 4", file: "heat.yml",
		new:  record("16", "      id: { type: int32, disp: 0 }\n      mass: { type: double, disp: 4 }\n"),
		code: "suite/misaligned", severity: diag.Warning, at: "heat.yml: «particle»:", other: "base.coilcfg: Architecture = «x86»",
		message: "the member `mass` at 4 is not aligned on the target: `double` needs a multiple of 8"},
	{name: "short at 1", file: "heat.yml",
		new:  record("4", "      c: { type: char, disp: 0 }\n      s: { type: int16, disp: 1 }\n"),
		code: "suite/misaligned", severity: diag.Warning, at: "heat.yml: «particle»:", other: "base.coilcfg: Architecture = «x86»",
		message: "the member `s` at 1 is not aligned"},
	{name: "alignment of 4", file: "base.coilcfg", old: "Alignment = 16", new: "Alignment = 4",
		code: "suite/weak-alignment", severity: diag.Warning, at: "base.coilcfg: Alignment = «4»", other: "heat.yml: «step»: int64",
		message: "the target aligns memory to 4 bytes, and `step` needs 8"},
	{name: "alignment of 1", file: "base.coilcfg", old: "Alignment = 16", new: "Alignment = 1",
		code: "suite/weak-alignment", severity: diag.Warning, at: "base.coilcfg: Alignment = «1»", other: "heat.yml: «step»: int64",
		message: "the target aligns memory to 1 byte, and `step` needs 8"},
	{name: "no layout", file: "base.coilcfg", old: "Mode = 64", new: "Mode = 16", findings: 2,
		alsoReplace: [][3]string{{"heat.coilcfg", "SIMD = SSE2\n", ""}, {"base.coilcfg", "[ABI]\nName = SystemV\n", ""}, {"base.coilcfg", "Model = Protected", "Model = Segmented"}},
		code:        "suite/does-not-fit", severity: diag.Error, at: "base.coilcfg: Mode = «16»", other: "heat.yml: «rows»: int",
		message: "the types of the tree have no layout on the target"},
	{name: "big endian ARM", file: "base.coilcfg", old: "Architecture = x86", new: "Architecture = ARM", findings: 2,
		alsoReplace: [][3]string{{"base.coilcfg", "Endianness = Little", "Endianness = Big"}, {"heat.coilcfg", "SIMD = SSE2\n", ""}, {"base.coilcfg", "Name = SystemV", "Name = AAPCS64"}},
		code:        "suite/other-endianness", severity: diag.Error, at: "base.coilcfg: Endianness = «Big»", other: "heat.yml: «step»: int64",
		message: "the target is big-endian"},
	{name: "big endian", file: "base.coilcfg", old: "Architecture = x86", new: "Architecture = PowerPC",
		alsoReplace: [][3]string{{"base.coilcfg", "Endianness = Little", "Endianness = Big"}, {"base.coilcfg", "Name = SystemV", "Name = ELFv2"}, {"heat.coilcfg", "SIMD = SSE2\n", ""}}, findings: 2,
		code: "suite/other-endianness", severity: diag.Error, at: "base.coilcfg: Endianness = «Big»", other: "heat.yml: «step»: int64",
		message: "the target is big-endian"},

	// The target against this machine.
	{name: "feature", file: "heat.coilcfg", old: "SIMD = SSE2", new: "SIMD = AVX512F",
		code: "suite/host-lacks", severity: diag.Warning, at: "heat.coilcfg: SIMD = «AVX512F»", other: `heat.psdl: host «"localhost"»; #2`,
		message: "the target asks for `AVX512F`, which this machine lacks"},
	{name: "architecture", file: "base.coilcfg", old: "Architecture = x86", new: "Architecture = ARM",
		alsoReplace: [][3]string{{"heat.coilcfg", "SIMD = SSE2\n", ""}, {"base.coilcfg", "Name = SystemV", "Name = AAPCS64"}},
		code:        "suite/host-lacks", severity: diag.Warning, at: "base.coilcfg: Architecture = «ARM»", other: `heat.psdl: host «"localhost"»; #2`,
		message: "the target has the architecture `ARM`, and this machine `x86`"},

	// Variables of the pipeline against what the plan sets.
	{name: "tunable misspelt", file: "heat.pipe", old: "every = 20", new: "every = $ENV{PARADYN_TUNABLE_sampleRate}",
		code: "suite/not-set", severity: diag.Error, at: "heat.pipe: every = «$ENV{PARADYN_TUNABLE_sampleRate}»", other: `heat.psdl: name «"west"»;`,
		message: "neither the plan nor the environment sets `PARADYN_TUNABLE_sampleRate`"},
	{name: "variable of another world", file: "heat.pipe", old: "plate_%02d.png", new: "$ENV{OMPI_COMM_WORLD_RANK}_%02d.png",
		code: "suite/not-set", severity: diag.Warning, at: "heat.pipe: file_name_template = «$ENV{OMPI_COMM_WORLD_RANK}»_%02d.png", other: `heat.psdl: name «"west"»;`,
		message: "neither the plan nor the environment sets `OMPI_COMM_WORLD_RANK`"},

	// What the plan starts.
	{name: "program misspelt", file: "heat.psdl", old: "command \"pentode\";", new: "command \"pentdoe\";",
		code: "suite/no-such-command", severity: diag.Error, at: `heat.psdl: command «"pentdoe"»;`, other: `heat.psdl: host «"localhost"»; #2`,
		message: "process `west` cannot be started: there is no program `pentdoe` in PATH"},
	{name: "program of the folder", file: "heat.psdl", old: "command \"pentode\";", new: "command \"./solver\";",
		code: "suite/no-such-command", severity: diag.Error, at: `heat.psdl: command «"./solver"»;`, other: `heat.psdl: host «"localhost"»; #2`,
		message: "there is no program `./solver` in the folder of the run"},
	{name: "pipeline misspelt", file: "heat.psdl", old: `"heat.pipe"`, new: `"haet.pipe"`,
		code: "suite/no-such-file", severity: diag.Error, at: `heat.psdl: args { "run" «"haet.pipe"» "--policy" "heat.pinsight" "--trace" "trace.json" };`, other: "heat.pipe@0",
		message: "there is no pipeline `haet.pipe`"},
	{name: "policy misspelt", file: "heat.psdl", old: `"heat.pinsight"`, new: `"hot.pinsight"`,
		code: "suite/no-such-file", severity: diag.Error, at: `heat.psdl: args { "run" "heat.pipe" "--policy" «"hot.pinsight"» "--trace" "trace.json" };`, other: "heat.pinsight@0",
		message: "there is no trace configuration `hot.pinsight`"},
	{name: "tree misspelt", file: "heat.pipe", old: "heat.yml", new: "hot.yml",
		code: "suite/no-such-file", severity: diag.Error, at: "heat.pipe: spec = «hot.yml»", other: "heat.yml@0",
		message: "there is no specification tree `hot.yml`"},
	{name: "broken pipeline", file: "heat.pipe", old: "from paint.image", new: "from paint.imgae",
		code: "suite/broken-file", severity: diag.Error, at: `heat.psdl: args { "run" «"heat.pipe"» "--policy" "heat.pinsight" "--trace" "trace.json" }; #1`, other: "heat.pipe: connect from paint.«imgae»",
		message: "process `west` cannot run: `heat.pipe` has errors"},
	{name: "broken policy", file: "heat.pinsight", old: "tracing_rate = 10", new: "tracing_rate = often",
		code: "suite/broken-file", severity: diag.Error, at: `heat.psdl: args { "run" "heat.pipe" "--policy" «"heat.pinsight"» "--trace" "trace.json" }; #1`, other: "heat.pinsight: tracing_rate = «often»",
		message: "process `west` cannot run: `heat.pinsight` has errors"},
}
