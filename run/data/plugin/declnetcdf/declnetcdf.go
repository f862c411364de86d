// Package declnetcdf declares the plugin `decl_netcdf`, which is not carried out:
// its configuration is checked.
package declnetcdf

import (
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// Plugin is the declaration.
func Plugin() data.Plugin {
	return data.Plugin{
		Name:   "decl_netcdf",
		Doc:    "Writes and reads NetCDF files: a file, or a list of files.",
		Config: &config.Rule{Keys: file.Keys, List: file},
		Parts:  []config.Part{{Name: "write.NAME", Doc: "How a datum is written.", Rule: file.Find("write").Rule.Names}},
	}
}

var (
	numbers    = config.OneOrMore(config.Number)
	deflate    = config.Key{Name: "deflate", Rule: config.Only(config.Number), Doc: "The level of compression, 0 to 9."}
	attributes = config.Key{Name: "attributes", Rule: config.ByName(config.Text, &config.Rule{Value: true}), Doc: "Attributes by name."}
)

var file = &config.Rule{Keys: []config.Key{
	{Name: "file", Rule: config.Only(config.Label), Required: true, Doc: "The file."},
	{Name: "communicator", Rule: config.Only(config.Anything), Doc: "The MPI communicator that writes together.", Example: "$MPI_COMM_WORLD"},
	{Name: "on_event", Rule: config.OneOrMore(config.Event), Doc: "Do it when one of these events happens; when data is shared where it is missing."},
	config.When,
	{Name: "groups", Rule: config.ByName(config.Text, &config.Rule{Keys: []config.Key{attributes}}), Doc: "Groups by path, with their attributes."},
	deflate,
	{Name: "variables", Doc: "Variables by path, with their types.", Rule: config.ByName(config.Text, &config.Rule{Type: true, Keys: []config.Key{
		{Name: "dimensions", Rule: config.OneOrMore(config.Text), Doc: "The names of the dimensions."},
		attributes, deflate,
		{Name: "chunking", Rule: numbers, Doc: "The size of a chunk, for each dimension."},
	}})},
	{Name: "write", Rule: transfer(), Doc: "What to write: names, or names with how."},
	{Name: "read", Doc: "What to read.", Rule: transfer(
		config.Key{Name: "size_of", Rule: config.Only(config.Label), Doc: "Read the size of this variable instead of its values."})},
	config.Log,
}}

// transfer is what is written or read.
func transfer(extra ...config.Key) *config.Rule {
	how := &config.Rule{Scalar: config.Label, Keys: append([]config.Key{
		config.When,
		{Name: "variable", Rule: config.Only(config.Label), Doc: "The variable; the name of the datum where it is missing."},
		{Name: "variable_selection", Doc: "The part of the variable.", Rule: &config.Rule{Keys: []config.Key{
			{Name: "start", Rule: numbers, Doc: "The first element, for each dimension."},
			{Name: "subsize", Rule: numbers, Doc: "The number of elements, for each dimension."},
		}}},
	}, extra...)}
	names := config.ByName(config.Reads, how)
	return &config.Rule{Scalar: config.Reads, List: &config.Rule{Scalar: config.Reads, Names: how, NameIs: config.Reads}, Names: names.Names, NameIs: names.NameIs}
}
