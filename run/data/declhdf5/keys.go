package declhdf5

import "github.com/pentode-dev/pentode/run/data/config"

// Why keys of the original program have no effect.
const (
	oneFile   = "a file is always one file"
	oneAccess = "processes write their parts at once either way"
)

var (
	numberList   = config.OneOrMore(config.Number)
	deflate      = config.Key{Name: "deflate", Rule: config.Only(config.Number), Doc: "The level of compression, 0 to 9."}
	fletcher     = config.Key{Name: "fletcher", Rule: config.Only(config.Number), Doc: "Whether to store checksums."}
	communicator = config.Key{Name: "communicator", Rule: config.Only(config.Anything), Example: "$MPI_COMM_WORLD",
		Doc: "The MPI communicator whose processes write and read one file together, each its own part."}
	collision = config.Key{Name: "collision_policy", Rule: &config.Rule{Scalar: config.Text, Words: policies, Fold: true}, Default: "write_into",
		Doc: "What to do where the file or dataset is there already."}
)

// fileRule is one file.
var fileRule = &config.Rule{Strict: true, Keys: []config.Key{
	{Name: "file", Rule: config.Only(config.Label), Required: true, Example: "out_${step:05d}.h5", Doc: "The file."},
	{Name: "on_event", Rule: config.OneOrMore(config.Event), Doc: "Do it when one of these events happens; when data is shared where it is missing."},
	config.When, communicator,
	{Name: "timeout", Rule: config.Only(config.Number), Example: "60", Doc: "Seconds to wait for other processes of the communicator; without it there is no end."},
	{Name: "datasets", Rule: config.ByName(config.Pattern, &config.Rule{Type: true}), Doc: "Types of datasets by name, for those that differ from the datum's."},
	collision, deflate, fletcher,
	AsyncKey,
	{Name: "subfiling", Rule: subfilingRule, Idle: oneFile, Doc: "How many files to spread the data over."},
	{Name: "write", Rule: transfer(writeRule), Doc: "What to write: names, or names with how."},
	{Name: "read", Rule: transfer(readRule), Doc: "What to read."},
	config.Log,
}}

// AsyncKey lets a file be written while the program goes on, and AsyncPart is its part of the reference.
var (
	AsyncKey  = config.Key{Name: "async", Rule: asyncRule, Doc: "A thread of the library writes, and the program goes on; a call waits while the buffers are full."}
	AsyncPart = config.Part{Name: "async", Doc: "How far the thread that writes may be behind.", Rule: asyncRule}
)

var asyncRule = &config.Rule{Strict: true, Keys: []config.Key{
	{Name: "buffers", Rule: config.Only(config.Text), Default: "2", Doc: "How many steps may wait to be written."},
	{Name: "memory", Rule: config.Only(config.Text), Default: "512MB", Doc: "How many bytes their copies may take: a number, with `KB`, `MB` or `GB` behind it, each 1024 times the one before."},
}}

var subfilingRule = &config.Rule{Strict: true, Scalar: config.Number, Keys: []config.Key{
	{Name: "count", Rule: config.Only(config.Number), Doc: "The number of files."},
	{Name: "policy", Rule: config.OneOf("STOP", "CONTINUE"), Doc: "What to do where it cannot be had."},
	{Name: "stripe_size", Rule: config.Only(config.Number), Doc: "Bytes of a stripe."},
}}

// writeRule is how one datum is written.
var writeRule = &config.Rule{Strict: true, Keys: []config.Key{
	{Name: "dataset", Rule: config.Only(config.Label), Doc: "The dataset; the name of the datum where it is missing."},
	config.When, communicator,
	{Name: "memory_selection", Rule: selectionRule, Doc: "The part of the datum."},
	{Name: "dataset_selection", Rule: selectionRule, Doc: "The part of the dataset."},
	{Name: "attributes", Rule: config.ByName(config.Text, &config.Rule{Value: true}), Doc: "Attributes of the dataset."},
	{Name: "chunking", Rule: numberList, Doc: "The size of a chunk, for each dimension."},
	deflate, fletcher,
	{Name: "mpio", Rule: config.OneOf("COLLECTIVE", "INDEPENDENT"), Default: "COLLECTIVE", Idle: oneAccess, Doc: "How processes write together."},
	collision,
	{Name: "attribute", Rule: config.Only(config.Label), Doc: "The attribute, `dataset#name`, instead of a dataset."},
}}

// readRule is how one datum is read.
var readRule = &config.Rule{Strict: true, Keys: append(writeRule.Keys[:len(writeRule.Keys):len(writeRule.Keys)],
	config.Key{Name: "size_of", Rule: config.Only(config.Label), Doc: "Read the size of this dataset instead of its values."})}

var selectionRule = &config.Rule{Strict: true, Keys: []config.Key{
	{Name: "size", Rule: numberList, Doc: "The number of elements, for each dimension."},
	{Name: "start", Rule: numberList, Doc: "The first element, for each dimension."},
}}

// transfer is a list of names, or names with how they are written or read.
func transfer(how *config.Rule) *config.Rule {
	each := *how
	each.List, each.Scalar = how, config.Label
	return &config.Rule{Scalar: config.Reads, List: &config.Rule{Scalar: config.Reads, Names: &each, NameIs: config.Reads}, Names: &each, NameIs: config.Reads}
}
