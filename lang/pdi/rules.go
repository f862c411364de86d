package pdi

import "github.com/pentode-dev/pentode/run/data/config"

// treeKey is the key that contains the tree in a larger document.
const treeKey = "pdi"

// rootRule is the rule of the whole tree.
var rootRule = &config.Rule{Open: true, Keys: []config.Key{
	{Name: typesSection, Rule: &config.Rule{Names: &config.Rule{Type: true}, NameIs: config.Text}, Doc: "Types by name, for the other sections to use."},
	{Name: metadataSection, Rule: &config.Rule{Names: &config.Rule{Type: true}, NameIs: config.Text}, Doc: "Small data that expressions read: it is copied, so it can be read at any time."},
	{Name: dataSection, Rule: &config.Rule{Names: &config.Rule{Type: true}, NameIs: config.Text}, Doc: "Data that is shared by reference."},
	{Name: pluginsSection, Rule: &config.Rule{Names: &config.Rule{Value: true}, NameIs: config.Text}, Doc: "Plugins by name, with their configurations."},
	{Name: loggingSection, Rule: config.Logging, Doc: "The log: a level, or a mapping."},
	{Name: sealSection, Rule: &config.Rule{Scalar: config.Text, Words: []string{"true", "false"}}, Default: "false", Doc: "Whether HDF5 and netCDF files record what made them, in the attribute `pentode_seal`; a run can request this too."},
	{Name: pathSection, Rule: config.OneOrMore(config.Path), Doc: "The folders in which the original program looks for plugins. Nothing is loaded from there."},
	{Name: includeSection, Rule: &config.Rule{Scalar: config.Path, List: &config.Rule{Scalar: config.Path, Keys: includeKeys}, Keys: includeKeys}, Doc: "Other trees whose declarations come first.", Upstream: true},
}}

var includeKeys = []config.Key{
	{Name: "file", Rule: config.Only(config.Path), Doc: "The file, relative to this one or to the working directory.", Required: true, Upstream: true},
	{Name: "subtree", Rule: config.Only(config.Text), Doc: "The part of the file, such as `.runs[2]`.", Required: true, Upstream: true},
}

// intList is a number, or a list of one number for each dimension.
var intList = config.OneOrMore(config.Number)

var datatype = &config.Rule{Type: true}

// typeRules are the keys that each type takes, for the reference; the engine reads these keys itself. Every type also takes `type` and `+attributes`.
var typeRules = map[string]*config.Rule{
	"array": {Keys: []config.Key{
		{Name: "size", Rule: intList, Doc: "The number of elements, one for each dimension, the slowest first.", Required: true, Example: "['$nx', '$ny']"},
		{Name: "subtype", Rule: datatype, Doc: "The type of an element.", Required: true},
		{Name: "subsize", Rule: intList, Doc: "The number of elements that carry data, in each dimension.", Example: "['$nx - 2', '$ny - 2']"},
		{Name: "start", Rule: intList, Doc: "The first element that carries data, in each dimension.", Default: "0"},
	}},
	"struct": {Keys: []config.Key{
		{Name: "members", Rule: &config.Rule{List: datatype}, Doc: "The members in order: a list of `name: type`, laid out as C does."},
	}},
	"record": {Keys: []config.Key{
		{Name: "buffersize", Rule: config.Only(config.Number), Doc: "The size in bytes, holes included.", Required: true},
		{Name: "members", Rule: datatype, Doc: "The members by name, each with its `disp`."},
	}},
	"tuple": {Keys: []config.Key{
		{Name: "elements", Rule: &config.Rule{List: datatype}, Doc: "The elements: types, or `name: type`."},
		{Name: "buffersize", Rule: config.Only(config.Number), Doc: "The size in bytes; by default the smallest that fits."},
	}},
	"pointer": {Keys: []config.Key{
		{Name: "subtype", Rule: datatype, Doc: "The type of the value that it points to.", Required: true, Upstream: true},
	}},
	"integer": fortran, "real": fortran, "logical": fortran, "character": fortran,
}

var fortran = &config.Rule{Keys: []config.Key{
	{Name: "kind", Rule: config.Only(config.Number), Doc: "The Fortran kind: the size in bytes. By default the compiler's."},
}}

// member has the keys that a type may have in addition in a record or a tuple.
var member = &config.Rule{Keys: []config.Key{{Name: "disp", Rule: config.Only(config.Number), Doc: "The offset from the beginning, in bytes."}}}

// sections are the keys of the root that the language defines.
var sections = rootRule.KeyNames()
