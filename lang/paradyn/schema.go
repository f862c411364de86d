package paradyn

import (
	"slices"

	"github.com/pentode-dev/pentode/core/schema"
)

// The kinds of blocks.
const (
	daemon  = "daemon"
	process = "process"
	visi    = "visi"
)

var flavors = []string{"pvm", "cm5"}

// Flavors returns the kinds of environments that the language knows: first the flavors of July 1994, which begin with the default,
// then the later ones.
func Flavors() []string { return slices.Concat(flavors, laterFlavors) }

// The fields of blocks. Those marked as extensions are fields of PCL, which came later.
var (
	commandField = schema.Key{Name: "command", Type: schema.String, Required: true, Example: `"potato"`,
		Doc: "The program to start; a name without `/` is looked for in PATH."}
	nameField = schema.Key{Name: "name", Type: schema.String,
		Doc: "Its name in plans, logs and messages. The default is the last part of its command."}
	argsField = schema.Key{Name: "args", Type: schema.List, Example: `{ "-n" "4" }`,
		Doc: "Arguments, each used as written, without splitting or expansion."}
	flavorField = schema.Key{Name: "flavor", Type: schema.Enum, Enum: flavors, Default: "pvm",
		Doc: "The kind of environment. It selects a launcher only if one was given for it."}
	hostField = schema.Key{Name: "host", Type: schema.String, Required: true, Example: `"localhost"`,
		Doc: "The machine; `localhost` becomes the name of the machine that makes the plan."}
	userField = schema.Key{Name: "user", Type: schema.String, Extension: true, Doc: "The login name on the host."}
	dirField  = schema.Key{Name: "dir", Type: schema.Path, Extension: true, Doc: "The directory to start in."}
)

var blocks = []schema.Section{
	{
		Name: "daemon[N]", Pattern: `daemon\[\d+\]`,
		Doc: "A daemon to start on a host before the processes under it. Host and command identify it: two daemons with the same host and command are one.",
		Keys: []schema.Key{
			with(commandField, "The command line of the daemon, split into words with the quoting of a shell, without expansion."),
			hostField, flavorField, nameField, userField, dirField,
			{Name: "remoteShell", Type: schema.String, Extension: true, Doc: "The command that reaches the host."},
			{Name: "MPItype", Type: schema.String, Extension: true, Doc: "The kind of MPI."},
			{Name: "mrnet_topology", Type: schema.Path, Extension: true, Doc: "A file with the tree of communication processes."},
		},
	},
	{
		Name: "process[N]", Pattern: `process\[\d+\]`,
		Doc: "A process of the application, started when its daemon is ready.",
		Keys: []schema.Key{
			commandField, hostField,
			{Name: "daemon", Type: schema.String, Required: true, Example: `"paradyndPVM"`,
				Doc: "The command or the name of its daemon on the same host. A daemon that is not declared is started too. `pentode` is not started, since it watches the process anyway."},
			flavorField, nameField, argsField, userField, dirField,
			{Name: "autoStart", Type: schema.Bool, Extension: true, Doc: "Whether it starts by itself."},
		},
	},
	{
		Name: "visi[N]", Pattern: `visi\[\d+\]`,
		Doc: "A visualisation, which is started only on request.",
		Keys: []schema.Key{
			commandField,
			{Name: "name", Type: schema.String, Required: true, Example: `"Histogram"`, Doc: "Its name. If two have the same name, the last one counts."},
			{Name: "host", Type: schema.String, Doc: "The machine; the default is this one."},
			argsField, userField, dirField,
			{Name: "force", Type: schema.Int, Extension: true, Doc: "Whether it starts without asking for metrics."},
			{Name: "limit", Type: schema.Int, Extension: true, Doc: "How many curves it shows at most."},
			{Name: "metfocus", Type: schema.String, Extension: true, Doc: "A metric and a focus to begin with; repeatable."},
		},
	},
}

func with(k schema.Key, doc string) schema.Key {
	k.Doc = doc
	return k
}

// section returns the table of a kind of block.
func section(kind string) *schema.Section {
	switch kind {
	case daemon:
		return &blocks[0]
	case process:
		return &blocks[1]
	}
	return &blocks[2]
}

// fieldNames returns the fields of a kind of block. It includes the fields of PCL only for that dialect.
func fieldNames(kind string, d Dialect) []string {
	var names []string
	for _, k := range section(kind).Keys {
		if d == PCL || !k.Extension {
			names = append(names, k.Name)
		}
	}
	return names
}

// The known tunable constants: first July 1994, then the last version.
var tunables = schema.Section{
	Name: "tunable_constant", Open: true,
	Doc: "Constants that processes find as PARADYN_TUNABLE_NAME and in the file PARADYN_TUNABLES. Other names are allowed. The last setting of a name decides.",
	Keys: []schema.Key{
		known("samplingRate", "0.5", 0, 1000, "Seconds between two samples."),
		known("predictedCostLimit", "0.25", 0, 1, "How much instrumentation may slow the program down."),
		{Name: "maxEval", Type: schema.Int, Default: "25", Min: schema.At(0), Max: schema.At(250), Doc: "How many hypotheses are tested at once."},
		known("hysteresisRange", "0.15", 0, 1, "How far a value must fall before a hypothesis is false again."),
		known("minObservationTime", "1.0", 0, 60, "Seconds before a hypothesis may be decided."),
		known("sufficientTime", "6.0", 0, 1000, "Seconds after which a hypothesis must be decided."),
		known("costLimit", "1.5", 1, 20, "How much instrumentation may cost."),
		known("PC_SyncThreshold", "0.2", 0, 1, "The part of time in synchronisation that is too much."),
		known("PC_CPUThreshold", "0.3", 0, 1, "The part of time in computation that is worth a look."),
		known("PC_IOThreshold", "0.2", 0, 1, "The part of time in input and output that is too much."),
		known("PC_IOOpThreshold", "4096", 0, 8192, "Bytes of an operation below which it is small."),
		known("highSyncThreshold", "0.2", 0.1, 0.3, "When synchronisation counts as high."),
		known("highCPUtoSyncRatioThreshold", "0.25", 0, 1, "When computation is high compared with synchronisation."),
		known("lockOverhead", "10", 0, 20, "The cost of taking a lock."),
		known("minLockSize", "4", 3, 5, "The smallest section worth a lock."),
		known("highIOthreshold", "0.1", 0.05, 0.15, "When input and output count as high."),
		known("diskBlockSize", "4096", 0, 8192, "Bytes of a disk block."),
		known("seekBoundThreshold", "0.5", 0.4, 0.6, "When seeking counts as the bottleneck."),
		toggle("PCuseCallGraphSearch", "Search along the call graph."),
		toggle("PCsearchMachinesInSync", "Search machines while looking at synchronisation."),
		toggle("EnableLoops", "Search single loops."),
		toggle("PCprintDataTrace", "Print the data that arrives."),
		toggle("PCprintTestResults", "Print the result of every test."),
		toggle("PCprintSearchChanges", "Print the progress of the search."),
		toggle("PCprintDataCollection", "Print what is collected."),
		toggle("PCcollectInstrTimings", "Measure the instrumentation itself."),
		toggle("PCuseIndividualThresholds", "Use a threshold for each hypothesis."),
	},
}

func known(name, dflt string, low, high float64, doc string) schema.Key {
	return schema.Key{Name: name, Type: schema.Float, Default: dflt, Min: schema.At(low), Max: schema.At(high), Doc: doc}
}

// toggle describes a constant that is 0 or 1. In PCL, it is written as a word.
func toggle(name, doc string) schema.Key {
	return schema.Key{Name: name, Type: schema.Int, Default: "0", Min: schema.At(0), Max: schema.At(1), Doc: doc}
}

var lists = schema.Section{
	Name: "list", Open: true,
	Doc: "Named lists of strings. The language itself does not use them. If two have the same name, the last one counts.",
}

// table returns the whole schema.
func table() *schema.Schema {
	return &schema.Schema{
		Title:    "Paradyn",
		Doc:      "Which daemons, processes and visualisations belong to a run, and the tunable constants they get.",
		Sections: append([]schema.Section{tunables, lists}, blocks...),
		Form:     jsonSchema,
	}
}

// keywords begin definitions; laterKeywords do so only in PCL.
var (
	keywords      = []string{daemon, process, visi, "tunable_constant", "list"}
	laterKeywords = []string{"metric", "constraint", "resourceList", "exclude", "exclude_lib", "exclude_func", "exclude_node"}
	laterFlavors  = []string{"unix", "winnt", "mpi", "simd"}
)
