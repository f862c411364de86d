package cli_test

import (
	"fmt"
	"strings"
)

// shape is a kind of file that is large in one way.
type shape struct {
	language, name string
	file           string
	text           func(n int) string
	beside         map[string]string // files that it includes, by name
	flags          []string          // flags that every verb needs for it
	key            string            // a setting in every file with n of at least 1
	value          string            // another value for key
	lines          []string          // replaces the usual command lines if not every verb reads the file
}

// lines formats each number below n.
func lines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// each returns a function that makes a text of n items between two fixed texts.
func each(before, many, after string) func(int) string {
	return func(n int) string { return before + lines(n, many) + after }
}

// nested returns a function that makes deeply nested text: open repeated, middle, then shut
// repeated.
func nested(before, open, middle, shut string) func(int) string {
	return func(n int) string {
		return before + strings.Repeat(open, deep(n)) + middle + strings.Repeat(shut, deep(n))
	}
}

// deep returns a nesting depth above every limit. Below the limits, time may grow faster than
// linearly.
func deep(n int) int { return 4000 + 10*n }

var shapes = []shape{
	{language: "coil", name: "sections", file: "a.coilcfg", text: each("", "[NVIDIA_Device%[1]d]\nWarpSize = 32\n", ""),
		key: "NVIDIA_Device0.WarpSize", value: "64"},
	{language: "coil", name: "unknown sections", file: "a.coilcfg", text: each("", "[S%[1]d]\nK = %[1]d\n", ""), key: "S0.K", value: "7"},
	{language: "coil", name: "keys", file: "a.coilcfg", text: each("[Target]\n", "k%[1]d = 1\n", ""), key: "Target.k0", value: "2"},
	{language: "coil", name: "one key again", file: "a.coilcfg", text: each("[Target]\n", "PU = CPU # %[1]d\n", ""), key: "Target.PU", value: "GPU"},
	{language: "coil", name: "one section again", file: "a.coilcfg", text: each("", "[Target]\nk%[1]d = a\n", ""), key: "Target.k0", value: "b"},
	{language: "coil", name: "features", file: "a.coilcfg", text: each("[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\nFeatures = SSE", ",f%[1]d", "\n"),
		key: "Target.Features", value: "SSE2"},
	{language: "coil", name: "known features", file: "a.coilcfg", text: each("[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\nFeatures = SSE", ",AVX2", "\n"),
		key: "Target.Features", value: "SSE2"},
	{language: "coil", name: "definitions", file: "a.coilcfg", text: each("[Preprocessor]\nDefine = A", ",A%[1]d=\"1\"", "\n"),
		key: "Preprocessor.Define", value: "B"},
	{language: "coil", name: "libraries", file: "a.coilcfg",
		text: each("[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\n[Linker]\nLibraries = m", ",lib%[1]d", "\n")},
	{language: "coil", name: "quotes", file: "a.coilcfg", text: each("[Linker]\nEntryPoint = ", "\"a\" ", "\n")},
	{language: "coil", name: "keys without section", file: "a.coilcfg", text: each("", "k%[1]d = 1\n", "")},
	{language: "coil", name: "lines without form", file: "a.coilcfg", text: each("[Target]\n", "PU%[1]d CPU\n", "")},
	{language: "coil", name: "comments", file: "a.coilcfg", text: each("", "# %[1]d\n", "[Target]\nPU = CPU\n"), key: "Target.PU", value: "GPU"},
	{language: "coil", name: "long value", file: "a.coilcfg", text: each("[Linker]\nEntryPoint = \"", "%[1]d ", "\"\n"), key: "Linker.EntryPoint", value: "b"},
	{language: "coil", name: "includes", file: "a.coilcfg", text: each("", "@include \"b.coilcfg\" # %[1]d\n", "[Acme_A]\nk = 2\n"),
		beside: map[string]string{"b.coilcfg": "[Acme_A]\nk = 1\n"}, key: "Acme_A.k", value: "3"},
	{language: "coil", name: "missing includes", file: "a.coilcfg", text: each("", "@include \"no%[1]d.coilcfg\"\n", "")},

	{language: "paradyn", name: "processes", file: "a.psdl", key: "process[0].command", value: "\"pear\"",
		text: each("daemon { command \"paradynd\"; host \"h\"; flavor pvm; }\n", "process { command \"potato\"; host \"h\"; daemon \"paradynd\"; name \"p%[1]d\"; }\n", "")},
	{language: "paradyn", name: "daemons", file: "a.psdl", text: each("", "daemon { command \"d%[1]d\"; host \"h%[1]d\"; flavor pvm; }\n", ""),
		key: "daemon[0].command", value: "\"e\""},
	{language: "paradyn", name: "one daemon again", file: "a.psdl", text: each("", "daemon { command \"d\"; host \"h\"; }\n", ""), key: "daemon[0].command", value: "\"e\""},
	{language: "paradyn", name: "unknown daemons", file: "a.psdl", text: each("", "process { command \"p\"; daemon \"d%[1]d\"; }\n", ""), key: "process[0].command", value: "\"q\""},
	{language: "paradyn", name: "groups", file: "a.psdl", text: each("visi {\n", "{ command \"c%[1]d\"; name \"n%[1]d\"; }\n", "}\n"), key: "visi[0].command", value: "\"x\""},
	{language: "paradyn", name: "arguments", file: "a.psdl", text: each("process { command \"p\"; args { ", "\"a%[1]d\" ", "}; }\n"), key: "process[0].command", value: "\"q\""},
	{language: "paradyn", name: "fields again", file: "a.psdl", text: each("process { ", "command \"p%[1]d\"; ", "}\n"), key: "process[0].command", value: "\"q\""},
	{language: "paradyn", name: "unknown fields", file: "a.psdl", text: each("process { command \"p\"; ", "f%[1]d \"x\"; ", "}\n"), key: "process[0].command", value: "\"q\""},
	{language: "paradyn", name: "constants", file: "a.psdl", text: each("tunable_constant {\n", "\"c%[1]d\" %[1]d;\n", "}\n"), key: "tunable_constant.c0", value: "2"},
	{language: "paradyn", name: "list", file: "a.psdl", text: each("list \"l\" { ", "\"i%[1]d\" ", "}\n")},
	{language: "paradyn", name: "open braces", file: "a.psdl", text: nested("", "visi { ", "", "")},
	{language: "paradyn", name: "unknown blocks", file: "a.psdl", text: each("", "proces { command \"p%[1]d\"; }\n", "")},
	{language: "paradyn", name: "commands", file: "a.psdl", text: each("process { command \"p", " -a %[1]d", "\"; }\n"), key: "process[0].command", value: "\"q\""},
	{language: "paradyn", name: "comments", file: "a.psdl", text: each("", "// %[1]d\n", "visi { command \"v\"; }\n"), key: "visi[0].command", value: "\"w\""},
	{language: "paradyn", name: "named", file: "a.pcl", flags: []string{"--lang", "paradyn", "--config", "paradyn.dialect=pcl"},
		text: each("", "daemon d%[1]d { command \"paradynd\"; }\nprocess p%[1]d { command \"potato\"; daemon d%[1]d; }\n", "")},
	{language: "paradyn", name: "metric", file: "a.pcl", flags: []string{"--lang", "paradyn", "--config", "paradyn.dialect=pcl"},
		text: each("metric m { name \"m\"; base is counter { ", "append preInsn (* f(%[1]d); *) ", "} }\n")},

	{language: "sprokit", name: "processes", file: "a.pipe", text: each("", "process p%[1]d :: sink\n", "")},
	{language: "sprokit", name: "connections", file: "a.pipe", key: "n0:start", value: "5",
		text: each("", "process n%[1]d :: numbers\n  start = 1\nprocess s%[1]d :: sink\nconnect from n%[1]d.number to s%[1]d.sink\n", "")},
	{language: "sprokit", name: "chain", file: "a.pipe", key: "n:start", value: "5",
		text: func(n int) string {
			var b strings.Builder
			b.WriteString("process n :: numbers\n  start = 1\nprocess p0 :: multiplication\nconnect from n.number to p0.factor1\nconnect from n.number to p0.factor2\n")
			for i := range n {
				fmt.Fprintf(&b, "process p%[1]d :: multiplication\nconnect from p%[2]d.product to p%[1]d.factor1\nconnect from p%[2]d.product to p%[1]d.factor2\n", i+1, i)
			}
			return b.String()
		}},
	{language: "sprokit", name: "one input", file: "a.pipe", text: each("process s :: sink\n", "process n%[1]d :: numbers\nconnect from n%[1]d.number to s.sink\n", "")},
	{language: "sprokit", name: "one output", file: "a.pipe", text: each("process n :: numbers\n", "process s%[1]d :: sink\nconnect from n.number to s%[1]d.sink\n", "")},
	{language: "sprokit", name: "unknown types", file: "a.pipe", text: each("", "process p%[1]d :: typ%[1]d\n  k = 1\n", ""), key: "p0:k", value: "2"},
	{language: "sprokit", name: "unknown processes", file: "a.pipe", text: each("", "connect from a%[1]d.x to b%[1]d.y\n", "")},
	{language: "sprokit", name: "one process again", file: "a.pipe", text: each("", "process p :: sink\n", "")},
	{language: "sprokit", name: "entries", file: "a.pipe", text: each("config c\n", "  k%[1]d = 1\n", ""), key: "c:k0", value: "2"},
	{language: "sprokit", name: "one entry again", file: "a.pipe", text: each("config c\n", "  k = %[1]d\n", ""), key: "c:k", value: "x"},
	{language: "sprokit", name: "blocks", file: "a.pipe", text: nested("config c\n", "block a\n", "k = 1\n", "endblock\n")},
	{language: "sprokit", name: "open blocks", file: "a.pipe", text: func(n int) string { return "config c\n" + lines(deep(n), "block a%[1]d\nk = 1\n") }},
	{language: "sprokit", name: "keys of deep blocks", file: "a.pipe",
		text: each("config c\n"+strings.Repeat("block "+strings.Repeat("b", 99)+"\n", 40), "k%[1]d = 1\n", strings.Repeat("endblock\n", 40))},
	{language: "sprokit", name: "long path", file: "a.pipe", text: func(n int) string {
		return "config c\n" + strings.Repeat("a:", deep(n)) + "k = $CONFIG{" + strings.Repeat("a:", deep(n)) + "k}\n"
	}},
	{language: "sprokit", name: "macros", file: "a.pipe", text: each("config c\n  k = 1\n", "  m%[1]d = $CONFIG{c:k}\n", ""), key: "c:k", value: "2"},
	{language: "sprokit", name: "macros of one value", file: "a.pipe", text: func(n int) string {
		return "config c\n  k = 1\n  m = " + strings.Repeat("$CONFIG{c:k}", deep(n)) + "\n"
	}, key: "c:k", value: "2"},
	{language: "sprokit", name: "chain of macros", file: "a.pipe", key: "c:k0", value: "2",
		text: func(n int) string {
			var b strings.Builder
			b.WriteString("config c\n  k0 = 1\n")
			for i := range n {
				fmt.Fprintf(&b, "  k%d = $CONFIG{c:k%d}\n", i+1, i)
			}
			return b.String()
		}},
	{language: "sprokit", name: "unknown macros", file: "a.pipe", text: each("config c\n", "  m%[1]d = $CONFIG{c:no%[1]d}\n", ""), key: "c:m0", value: "2"},
	{language: "sprokit", name: "local macros", file: "a.pipe", text: each("config c\n", "  l%[1]d := 1\n  m%[1]d = $LOCAL{l%[1]d}\n", ""), key: "c:m0", value: "2"},
	{language: "sprokit", name: "includes", file: "a.pipe", text: each("", "include b.conf # %[1]d\n", "config d\n  k = 1\n"),
		beside: map[string]string{"b.conf": "config c\n  k = 1\n"}, key: "d:k", value: "2"},
	{language: "sprokit", name: "missing includes", file: "a.pipe", text: each("", "include no%[1]d.conf\n", "")},
	{language: "sprokit", name: "cluster", file: "a.cluster",
		text: each("cluster c\n  -- Many.\n\n", "  k%[1]d = 1\n  -- A key.\n\n", "process s :: sink\n")},
	{language: "sprokit", name: "ports of a cluster", file: "a.cluster",
		text: each("cluster c\n  -- Many.\n\n", "  imap from i%[1]d\n       to   s.sink\n  -- A port.\n\n", "process s :: sink\n")},
	{language: "sprokit", name: "clusters", file: "a.pipe", flags: []string{"--config", "sprokit.clusters=."},
		text: each("", "process p%[1]d :: one\n", ""), beside: map[string]string{"one.cluster": "cluster one\n  -- One.\n\n  k = 1\n  -- A key.\n\nprocess s :: sink\n"}},

	{language: "pdi", name: "metadata", file: "a.yml", text: each("metadata:\n", "  d%[1]d: int\n", ""), key: "metadata.d0", value: "double"},
	{language: "pdi", name: "arrays", file: "a.yml", text: each("metadata:\n  n: int\ndata:\n", "  d%[1]d: {type: array, subtype: double, size: [$n, '$n + 2']}\n", ""),
		key: "metadata.n", value: "long"},
	{language: "pdi", name: "types", file: "a.yml",
		text: func(n int) string {
			var b strings.Builder
			b.WriteString("types:\n  t0: int\n")
			for i := range n {
				fmt.Fprintf(&b, "  t%d: {type: array, subtype: int, size: 2}\n", i+1)
			}
			return b.String() + lines(n, "  u%[1]d: t%[1]d\n") + "data:\n  d: t0\n"
		}},
	{language: "pdi", name: "members", file: "a.yml", text: each("data:\n  d:\n    type: struct\n    members:\n", "      - m%[1]d: int\n", "")},
	{language: "pdi", name: "dimensions", file: "a.yml", text: each("data:\n  d: {type: array, subtype: int, size: [1", ", 1", "]}\n")},
	{language: "pdi", name: "one key again", file: "a.yml", text: each("data:\n", "  d: int # %[1]d\n", "")},
	{language: "pdi", name: "one flow mapping", file: "a.yml", text: each("data: {d: int", ", d%[1]d: int", "}\n"), key: "data.d", value: "double"},
	{language: "pdi", name: "flow nesting", file: "a.yml", text: nested("x: ", "[", "1", "]")},
	{language: "pdi", name: "open brackets", file: "a.yml", text: nested("x: ", "[{", "", "")},
	{language: "pdi", name: "indentation", file: "a.yml", text: func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%*sx%d:\n", i%64, "", i)
		}
		return b.String()
	}},
	{language: "pdi", name: "aliases", file: "a.yml", text: each("x: &a {k: 1}\ny:\n", "  - *a # %[1]d\n", "")},
	{language: "pdi", name: "anchors", file: "a.yml", text: each("y:\n", "  - &a%[1]d 1\n  - *a%[1]d\n", "")},
	{language: "pdi", name: "unknown aliases", file: "a.yml", text: each("y:\n", "  - *a%[1]d\n", "")},
	{language: "pdi", name: "expression", file: "a.yml", text: each("metadata:\n  n: int\ndata:\n  d: {type: array, subtype: int, size: '$n", " + $n", "'}\n")},
	{language: "pdi", name: "parentheses", file: "a.yml", text: nested("metadata:\n  n: int\ndata:\n  d: {type: array, subtype: int, size: '", "(", "$n", ")")},
	{language: "pdi", name: "unknown data", file: "a.yml", text: each("data:\n", "  d%[1]d: {type: array, subtype: int, size: $no%[1]d}\n", "")},
	{language: "pdi", name: "unknown types", file: "a.yml", text: each("data:\n", "  d%[1]d: typ%[1]d\n", ""), key: "data.d0", value: "int"},
	{language: "pdi", name: "plugins", file: "a.yml", text: each("metadata:\n  n: int\nplugins:\n  decl_hdf5:\n", "    - file: f%[1]d.h5\n      write: [n]\n", "")},
	{language: "pdi", name: "datasets", file: "a.yml",
		text: func(n int) string {
			return "metadata:\n" + lines(n, "  d%[1]d: int\n") + "plugins:\n  decl_hdf5:\n    file: f.h5\n    write:\n" + lines(n, "      d%[1]d: {dataset: s%[1]d}\n")
		}},
	{language: "pdi", name: "settings", file: "a.yml", text: each("metadata:\n  n: int\nplugins:\n  set_value:\n    on_init:\n      - expose:\n", "          - n: %[1]d\n", "")},
	{language: "pdi", name: "long text", file: "a.yml", text: each("x: \"", "\\u00e9 %[1]d ", "\"\n")},
	{language: "pdi", name: "block text", file: "a.yml", text: each("x: |\n", "  line %[1]d\n", "")},
	{language: "pdi", name: "comments", file: "a.yml", text: each("", "# %[1]d\n", "data:\n  d: int\n"), key: "data.d", value: "double"},
	{language: "pdi", name: "documents", file: "a.yml", text: each("", "---\ndata: {d%[1]d: int}\n", "")},

	{language: "pinsight", name: "regions", file: "a.pinsight", text: each("", "[Lexgion(f%[1]d)]\n    tracing_rate = 2\n", ""), key: "Lexgion(f0).tracing_rate", value: "3"},
	{language: "pinsight", name: "regions upstream", file: "a.pinsight", flags: []string{"--as", "upstream"}, text: each("", "[Lexgion(0x%[1]x)]\n    tracing_rate = 2\n", "")},
	{language: "pinsight", name: "keys again", file: "a.pinsight", text: each("[Lexgion(f)]\n", "    tracing_rate = %[1]d\n", ""), key: "Lexgion(f).tracing_rate", value: "3"},
	{language: "pinsight", name: "unknown keys", file: "a.pinsight", text: each("[Lexgion(f)]\n", "    k%[1]d = 1\n", "")},
	{language: "pinsight", name: "unknown events", file: "a.pinsight", text: each("[OpenMP.default]\n", "    omp_e%[1]d = on\n", "")},
	{language: "pinsight", name: "names", file: "a.pinsight", text: each("[Lexgion(f", ",f%[1]d", ")]\n    tracing_rate = 2\n"), key: "Lexgion(f).tracing_rate", value: "3"},
	{language: "pinsight", name: "names upstream", file: "a.pinsight", flags: []string{"--as", "upstream"}, text: each("[Lexgion(0x1", ",0x%[1]x", ")]\n    tracing_rate = 2\n")},
	{language: "pinsight", name: "parents", file: "a.pinsight", text: each("[Lexgion(f)] : OpenMP.default", ", OpenMP.default", "\n    tracing_rate = 2\n"), key: "Lexgion(f).tracing_rate", value: "3"},
	{language: "pinsight", name: "parents upstream", file: "a.pinsight", flags: []string{"--as", "upstream"}, text: each("[Lexgion(0x1)] : OpenMP.default", ", OpenMP.default", "\n    tracing_rate = 2\n")},
	{language: "pinsight", name: "wrong parents", file: "a.pinsight", text: each("[Lexgion(f)] : OpenMP.default", ", Lexgion(f%[1]d)", "\n    tracing_rate = 2\n"), key: "Lexgion(f).tracing_rate", value: "3"},
	{language: "pinsight", name: "wrong parents upstream", file: "a.pinsight", flags: []string{"--as", "upstream"}, text: each("[Lexgion(0x1)] : OpenMP.default", ", Lexgion(f%[1]d)", "\n    tracing_rate = 2\n")},
	{language: "pinsight", name: "units", file: "a.pinsight", text: each("", "[OpenMP.thread(%[1]d)]\n    omp_work = off\n", ""), key: "OpenMP.thread(0).omp_work", value: "on"},
	{language: "pinsight", name: "units of one header", file: "a.pinsight", text: each("[OpenMP.thread(0", ", %[1]d", ")]\n    omp_work = off\n")},
	{language: "pinsight", name: "conditions", file: "a.pinsight", text: each("[OpenMP.thread(0)] : OpenMP.default : MPI.rank(0)", ", MPI.rank(%[1]d)", "\n    omp_work = off\n")},
	{language: "pinsight", name: "removed", file: "a.pinsight", text: func(n int) string {
		return lines(n, "[OpenMP.thread(%[1]d)]\nomp_work = off\n") + lines(n, "[REMOVE OpenMP.thread(%[1]d)]\n")
	}},
	{language: "pinsight", name: "one section again", file: "a.pinsight", text: each("", "[OpenMP.default]\n    omp_work = on # %[1]d\n", ""), key: "OpenMP.default.omp_work", value: "off"},
	{language: "pinsight", name: "lines without form", file: "a.pinsight", text: each("", "text %[1]d\n", "")},
	{language: "pinsight", name: "open brackets", file: "a.pinsight", text: each("", "[Lexgion(%[1]d\n", "")},
	{language: "pinsight", name: "comments", file: "a.pinsight", text: each("", "# %[1]d\n", "[OpenMP.default]\n    omp_work = on\n"), key: "OpenMP.default.omp_work", value: "off"},

	{language: "sprokit", name: "runs", file: "a.pipe", lines: []string{"run --config run.control=false FILE", "run --config run.control=false --stats=json FILE", "run --dry-run FILE"},
		text: each("", "process n%[1]d :: numbers\n  end = 3\nprocess s%[1]d :: sink\nconnect from n%[1]d.number to s%[1]d.sink\n", "")},
	{language: "sprokit", name: "catalogue", file: "types.json", lines: []string{"types list --types FILE", "types show --types FILE numbers"},
		text: each("[", "{\"type\": \"t%[1]d\", \"in\": [[\"image\", \"optics:image\", \"required\", \"\"]]},\n", "{\"type\": \"t\"}]\n")},
	{language: "sprokit", name: "explorer", file: "explorer.json", lines: []string{"types import FILE"},
		text: each("[", "{\"proc_type\": \"t%[1]d\", \"description\": \"A type.\"},\n", "{\"proc_type\": \"t\"}]\n")},
	{language: "sprokit", name: "python sources", file: "a.py", lines: []string{"types import FILE"},
		text: each("", "class P%[1]d(KwiverProcess):\n    def __init__(self, conf):\n        self.declare_input_port_using_trait('image', required)\n\n"+
			"def __sprokit_register__():\n    process_factory.add_process('t%[1]d', 'A type.', P%[1]d)\n\n", "")},
	{language: "sprokit", name: "sources", file: "a.cxx", lines: []string{"types import FILE"},
		text: each("", "class t%[1]d : public sprokit::process\n{\n  PLUGIN_INFO( \"t%[1]d\", \"A type.\" )\n  t%[1]d()\n  {\n    declare_output_port_using_trait( image, required );\n  }\n};\n", "")},
	{language: "pdi", name: "calls", file: "calls.txt", lines: []string{"data replay ./tree.yml FILE"},
		text: each("", "expose n OUT %[1]d\nevent e\nexpr $n + 1\n", ""), beside: map[string]string{"tree.yml": "metadata: {n: int}\n"}},
	{language: "pdi", name: "memory", file: "a.bin", lines: []string{"data decode --spec ./tree.yml --type n FILE", "data decode --format json --spec ./tree.yml --type n FILE"},
		text: each("", "1234", ""), beside: map[string]string{"tree.yml": "metadata: {n: int}\n"}},
	{language: "pdi", name: "declarations", file: "a.yml", lines: []string{"data eval --spec FILE --set d=2 $d+1", "data decode --spec FILE --type d ./a.bin"},
		text: each("metadata:\n  d: int\n", "  d%[1]d: int\n", ""), beside: map[string]string{"a.bin": "1234"}},
}
