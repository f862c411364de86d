package pdi

import "github.com/pentode-dev/pentode/core/schema"

// pluginSpec is a plugin that the original program has or had.
type pluginSpec struct {
	name, doc string
	rule      *rule
	builtin   bool   // our store has it too
	removed   string // when it went away
	types     []string
	names     []string // data that it provides
	parts     []pluginPart
}

// pluginPart is a mapping inside a configuration, for the reference.
type pluginPart struct {
	name, doc string
	rule      *rule
}

func findPlugin(name string) *pluginSpec {
	for i := range knownPlugins {
		if knownPlugins[i].name == name {
			return &knownPlugins[i]
		}
	}
	return nil
}

func pluginNames() []string {
	var names []string
	for _, p := range knownPlugins {
		if p.removed == "" {
			names = append(names, p.name)
		}
	}
	return names
}

var logKey = k("logging", schema.String, loggingRule, "The plugin's own log.")

var onEvent = k("on_event", schema.List, oneOrMore(event), "Do it when one of these events happens; when data is shared where it is missing.")

var when = k("when", schema.Expr, only(condition), "Do it only where this is not zero.")

var policy = k("collision_policy", schema.Enum, oneOf("skip", "skip_and_warn", "error", "write_into", "write_into_and_warn", "replace", "replace_and_warn"),
	"What to do where the file or dataset is there already.").dflt("write_into")

var selection = &rule{keys: []key{
	k("size", schema.Expr, intList, "The number of elements, for each dimension."),
	k("start", schema.Expr, intList, "The first element, for each dimension."),
}}

// oneProcess is why what concerns several processes has no effect.
const oneProcess = "files are written by one process"

var (
	deflate  = k("deflate", schema.Expr, only(number), "The level of compression, 0 to 9.")
	fletcher = k("fletcher", schema.Expr, only(number), "Whether to store checksums.")
	chunking = k("chunking", schema.Expr, intList, "The size of a chunk, for each dimension.")
	mpiComm  = k("communicator", schema.Expr, only(anything), "The MPI communicator that writes together.").sample("$MPI_COMM_WORLD")
	exprMap  = &rule{names: &rule{value: true}, nameIs: text}
)

// transfer is what decl_hdf5 reads or writes.
func transfer(extra ...key) *rule {
	desc := &rule{keys: append([]key{
		k("dataset", schema.Expr, only(label), "The dataset; the name of the datum where it is missing."),
		when, mpiComm.without(oneProcess),
		k("memory_selection", schema.Map, selection, "The part of the datum."),
		k("dataset_selection", schema.Map, selection, "The part of the dataset."),
		k("attributes", schema.Map, exprMap, "Attributes of the dataset."),
		chunking, deflate, fletcher,
		k("mpio", schema.Enum, oneOf("COLLECTIVE", "INDEPENDENT"), "How processes write together.").dflt("COLLECTIVE").without(oneProcess),
		policy,
		k("attribute", schema.Expr, only(label), "The attribute, `dataset#name`, instead of a dataset."),
	}, extra...)}
	each := *desc
	each.list = desc
	each.scalar = label
	return &rule{scalar: reads, list: &rule{scalar: reads, names: &each, nameIs: reads}, names: &each, nameIs: reads}
}

var hdf5Write = transfer()

var hdf5Read = transfer(k("size_of", schema.Expr, only(label), "Read the size of this dataset instead of its values."))

var hdf5File = &rule{strict: true, keys: []key{
	k("file", schema.Expr, only(label), "The file.").required().sample("out_${step:05d}.h5"),
	onEvent, when, mpiComm.without(oneProcess),
	k("datasets", schema.Map, &rule{names: datatype, nameIs: pattern}, "Types of datasets by name, for those that differ from the datum's."),
	policy, deflate, fletcher,
	k("subfiling", schema.Expr, &rule{scalar: number, keys: []key{
		k("count", schema.Expr, only(number), "The number of files."),
		k("policy", schema.Enum, oneOf("STOP", "CONTINUE"), "What to do where it cannot be had."),
		k("stripe_size", schema.Expr, only(number), "Bytes of a stripe."),
	}}, "How many files to spread the data over.").without(oneProcess),
	k("write", schema.Map, hdf5Write, "What to write: names, or names with how."),
	k("read", schema.Map, hdf5Read, "What to read."),
	logKey,
}}

var netcdfAttributes = k("attributes", schema.Map, exprMap, "Attributes by name.")

var netcdfSelection = &rule{keys: []key{
	k("start", schema.Expr, intList, "The first element, for each dimension."),
	k("subsize", schema.Expr, intList, "The number of elements, for each dimension."),
}}

func netcdfTransfer(extra ...key) *rule {
	desc := &rule{scalar: label, keys: append([]key{
		when,
		k("variable", schema.Expr, only(label), "The variable; the name of the datum where it is missing."),
		k("variable_selection", schema.Map, netcdfSelection, "The part of the variable."),
	}, extra...)}
	return &rule{scalar: reads, list: &rule{scalar: reads, names: desc, nameIs: reads}, names: desc, nameIs: reads}
}

var netcdfFile = &rule{keys: []key{
	k("file", schema.Expr, only(label), "The file.").required(),
	mpiComm, onEvent, when,
	k("groups", schema.Map, &rule{names: &rule{keys: []key{netcdfAttributes}}, nameIs: text}, "Groups by path, with their attributes."),
	deflate,
	k("variables", schema.Map, &rule{nameIs: text, names: &rule{typ: true, keys: []key{
		k("dimensions", schema.List, oneOrMore(text), "The names of the dimensions."), netcdfAttributes, deflate, chunking,
	}}}, "Variables by path, with their types."),
	k("write", schema.Map, netcdfTransfer(), "What to write: names, or names with how."),
	k("read", schema.Map, netcdfTransfer(k("size_of", schema.String, only(label), "Read the size of this variable instead of its values.")), "What to read."),
	logKey,
}}

var jsonFile = &rule{keys: []key{
	k("file", schema.Expr, only(label), "The file."),
	k("write", schema.List, oneOrMore(reads), "The data to write."),
	when, logKey,
}, names: only(label), nameIs: reads}

// timers are timers by name: two events, or prefixes of `_start_timer` and `_stop_timer`.
var timers = &rule{nameIs: text, keys: []key{
	k("output_to", schema.Path, only(text), "`cout`, or a file."), logKey,
}, names: &rule{scalar: text, list: only(text), keys: []key{
	k("start", schema.String, only(event), "The event that starts it.").required(),
	k("stop", schema.String, only(event), "The event that stops it.").required(),
}}}

var assignments = &rule{list: &rule{names: &rule{value: true}, nameIs: writes}}

var operations = &rule{list: &rule{strict: true, keys: []key{
	k("set", schema.List, assignments, "Write over data that is shared: a list of `name: value`."),
	k("share", schema.List, assignments, "Share new data with these values."),
	k("expose", schema.List, assignments, "Share new data with these values and release it."),
	k("release", schema.List, &rule{list: only(reads)}, "Release data by name."),
	k("event", schema.String, only(event), "Raise an event."),
	k("logger", schema.Map, &rule{keys: []key{
		k("level", schema.String, only(label), "The new level."),
		k("pattern", schema.String, only(livePattern), "The new pattern."),
		k("evaluate", schema.Expr, only(condition), "Evaluate the pattern again."),
	}}, "Change the log."),
}}}

var (
	arguments = &rule{names: &rule{value: true}, nameIs: provides}
	call      = &rule{keys: []key{when}, names: arguments, nameIs: function}
	calls     = &rule{keys: call.keys, names: call.names, nameIs: call.nameIs, list: call}
	eventCode = &rule{names: calls, nameIs: event}
	dataCode  = &rule{names: calls, nameIs: reads}

	onePython = &rule{scalar: script, keys: []key{
		k("with", schema.Map, arguments, "Variables of the script, with their values."),
		k("exec", schema.String, only(script), "The script.").required(),
	}}
	scripts = &rule{scalar: script, keys: onePython.keys, list: onePython}
)

// knownPlugins are the plugins of the original program, those that are still there first.
var knownPlugins = []pluginSpec{
	{name: "decl_hdf5", doc: "Writes and reads HDF5 files: a file, or a list of files.", builtin: true,
		rule:  &rule{strict: true, keys: hdf5File.keys, list: hdf5File},
		parts: []pluginPart{{"write.NAME", "How a datum is written.", hdf5Write.names}, {"read.NAME", "How a datum is read.", hdf5Read.names}}},
	{name: "decl_netcdf", doc: "Writes and reads NetCDF files: a file, or a list of files.",
		rule:  &rule{keys: netcdfFile.keys, list: netcdfFile},
		parts: []pluginPart{{"write.NAME", "How a datum is written.", netcdfFile.find("write").rule.names}}},
	{name: "json", doc: "Appends data to JSON files: `name: file`, or a list of files.", builtin: true,
		rule: &rule{keys: jsonFile.keys, names: only(label), nameIs: reads, list: jsonFile}},
	{name: "mpi", doc: "Provides the MPI communicators and converts between C's and Fortran's.",
		rule: &rule{scalar: text, keys: []key{
			k("transtype", schema.Map, &rule{names: only(provides), nameIs: reads}, "Communicators to convert: `from: to`."),
			k("Comm_c2f", schema.Map, &rule{names: only(provides), nameIs: reads}, "The same, from C to Fortran; older releases."),
			k("Comm_f2c", schema.Map, &rule{names: only(provides), nameIs: reads}, "The same, from Fortran to C; older releases."), logKey,
		}},
		types: []string{"MPI_Comm", "MPI_Comm_f"},
		names: []string{"MPI_COMM_WORLD", "MPI_COMM_SELF", "MPI_COMM_NULL", "MPI_COMM_WORLD_F", "MPI_COMM_SELF_F", "MPI_COMM_NULL_F", rankName}},
	{name: "pycall", doc: "Runs Python code on events and when data is shared.",
		rule: &rule{keys: []key{
			k("on_event", schema.Map, &rule{names: scripts, nameIs: event}, "Scripts by event."),
			k("on_data", schema.Map, &rule{names: scripts, nameIs: reads}, "Scripts by datum."), logKey,
		}}},
	{name: "serialize", doc: "Makes dense copies of data with pointers in it: `name: name of the copy`.", builtin: true,
		rule: &rule{keys: []key{logKey}, names: only(provides), nameIs: reads}},
	{name: "set_value", doc: "Gives data values that are written in the tree.", builtin: true,
		rule: &rule{keys: []key{
			k("on_init", schema.List, operations, "What to do when everything is declared."),
			k("on_event", schema.Map, &rule{names: operations, nameIs: event}, "What to do, by event."),
			k("on_data", schema.Map, &rule{names: operations, nameIs: reads}, "What to do when a datum is shared."),
			k("on_finalize", schema.List, operations, "What to do at the end."), logKey,
		}},
		parts: []pluginPart{{"OPERATION", "One thing to do.", operations.list}}},
	{name: "timer", doc: "Measures the time between events: `name: prefix`, or `name: {start, stop}`.", builtin: true,
		rule: &rule{keys: timers.keys, names: timers.names, nameIs: text, list: timers}},
	{name: "trace", doc: "Logs what happens in the store.", builtin: true, rule: &rule{scalar: text, keys: []key{logKey}, lax: true}},
	{name: "user_code", doc: "Calls functions of the program on events and when data is shared.", builtin: true,
		rule: &rule{keys: []key{
			k("on_event", schema.Map, &rule{names: calls, nameIs: event, list: eventCode, lax: true}, "Functions by event: `{function: {alias: value}}`."),
			k("on_data", schema.Map, &rule{names: calls, nameIs: reads, list: dataCode, lax: true}, "Functions by datum."), logKey,
		}}},
	{name: "deisa", doc: "Couples a simulation with Dask.", removed: "1.9.3", rule: &rule{value: true}},
	{name: "decl_sion", doc: "Wrote SIONlib files.", removed: "1.7.1", rule: &rule{value: true}},
	{name: "flowvr", doc: "Coupled a simulation with FlowVR.", removed: "1.7.1", rule: &rule{value: true}},
	{name: "fti", doc: "Wrote checkpoints.", removed: "1.7.1", rule: &rule{value: true}},
	{name: "test", doc: "Tested the plugin interface.", removed: "1.7.1", rule: &rule{value: true}},
}

const rankName = "MPI_COMM_WORLD_rank"
