package declnetcdf

import (
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
)

var (
	numbers    = config.OneOrMore(config.Number)
	deflate    = config.Key{Name: "deflate", Rule: config.Only(config.Number), Default: "0", Doc: "The level of compression, 0 to 9."}
	attributes = config.Key{Name: "attributes", Rule: config.ByName(config.Text, &config.Rule{Value: true}),
		Doc: "Attributes by name. They are written and read with the data."}
)

// fileRule is one file.
var fileRule = &config.Rule{Keys: []config.Key{
	{Name: "file", Rule: config.Only(config.Label), Required: true, Example: "out_${step:05d}.nc", Doc: "The file."},
	{Name: "on_event", Rule: config.OneOrMore(config.Event), Doc: "Do it when one of these events happens; when data is shared where it is missing."},
	config.When,
	{Name: "communicator", Rule: config.Only(config.Anything), Example: "$MPI_COMM_WORLD",
		Doc: "The MPI communicator whose processes write and read one file together, each its own part."},
	{Name: "timeout", Rule: config.Only(config.Number), Example: "60", Doc: "Seconds to wait for other processes of the communicator; without it there is no end."},
	{Name: "groups", Rule: config.ByName(config.Text, &config.Rule{Keys: []config.Key{attributes}}), Doc: "Groups by path, with their attributes."},
	{Name: "variables", Rule: config.ByName(config.Text, variableRule), Doc: "Variables by path, for those that differ from the datum or have names of dimensions or attributes."},
	deflate, declhdf5.AsyncKey,
	{Name: "write", Rule: transfer(writeRule), Doc: "What to write: names, or names with how."},
	{Name: "read", Rule: transfer(readRule), Doc: "What to read."},
	config.Log,
}}

// variableRule is what a variable has besides its type.
var variableRule = &config.Rule{Type: true, NoType: true, Keys: []config.Key{
	{Name: "dimensions", Rule: config.OneOrMore(config.Label), Example: "[time, height, width]",
		Doc: "The names of the dimensions, `NAME_0` and so on where it is missing. One whose size is 0 has no limit."},
	attributes, deflate,
	{Name: "chunking", Rule: numbers, Doc: "The size of a chunk, for each dimension."},
}}

// writeRule is how one datum is written.
var writeRule = &config.Rule{Keys: []config.Key{
	config.When,
	{Name: "variable", Rule: config.Only(config.Label), Doc: "The variable; the name of the datum where it is missing."},
	{Name: "variable_selection", Rule: selectionRule, Doc: "The part of the variable."},
}}

// readRule is how one datum is read.
var readRule = &config.Rule{Keys: append(writeRule.Keys[:len(writeRule.Keys):len(writeRule.Keys)],
	config.Key{Name: "size_of", Rule: config.Only(config.Label), Doc: "Read the size of this variable instead of its values."})}

var selectionRule = &config.Rule{Keys: []config.Key{
	{Name: "start", Rule: numbers, Doc: "The first element, for each dimension."},
	{Name: "subsize", Rule: numbers, Doc: "The number of elements, for each dimension."},
}}

// transfer is a list of names, or names with how they are written or read.
func transfer(how *config.Rule) *config.Rule {
	each := *how
	each.Scalar = config.Label
	return &config.Rule{Scalar: config.Reads, List: config.Only(config.Reads), Names: &each, NameIs: config.Reads}
}
