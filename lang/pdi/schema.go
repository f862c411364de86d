package pdi

import (
	"slices"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// rootRule is the tree itself.
var rootRule = &config.Rule{Open: true, Keys: []config.Key{
	{Name: typesSection, Rule: &config.Rule{Names: &config.Rule{Type: true}, NameIs: config.Text}, Doc: "Types by name, for the other sections to use."},
	{Name: metadataSection, Rule: &config.Rule{Names: &config.Rule{Type: true}, NameIs: config.Text}, Doc: "Small data that expressions read: a copy is kept, so it is there at any time."},
	{Name: dataSection, Rule: &config.Rule{Names: &config.Rule{Type: true}, NameIs: config.Text}, Doc: "Data that is shared by reference."},
	{Name: pluginsSection, Rule: &config.Rule{Names: &config.Rule{Value: true}, NameIs: config.Text}, Doc: "Plugins by name, with their configurations."},
	{Name: loggingSection, Rule: config.Logging, Doc: "The log: a level, or a mapping."},
	{Name: sealSection, Rule: &config.Rule{Scalar: config.Text, Words: []string{"true", "false"}}, Default: "false", Doc: "Whether files of HDF5 and netCDF say what made them, in the attribute `pentode_seal`; a run may ask for it too."},
	{Name: pathSection, Rule: config.OneOrMore(config.Path), Doc: "Where the original program looks for plugins. Nothing is loaded from there."},
	{Name: includeSection, Rule: &config.Rule{Scalar: config.Path, List: &config.Rule{Scalar: config.Path, Keys: includeKeys}, Keys: includeKeys}, Doc: "Other trees whose declarations come first.", Upstream: true},
}}

var includeKeys = []config.Key{
	{Name: "file", Rule: config.Only(config.Path), Doc: "The file, relative to this one or to the working directory.", Required: true, Upstream: true},
	{Name: "subtree", Rule: config.Only(config.Text), Doc: "The part of it, such as `.runs[2]`.", Required: true, Upstream: true},
}

// intList is a number, or one for each dimension.
var intList = config.OneOrMore(config.Number)

var datatype = &config.Rule{Type: true}

// typeRules are the keys of the types that have some, for the reference: the engine reads them. Every type
// takes `type` and `+attributes`.
var typeRules = map[string]*config.Rule{
	"array": {Keys: []config.Key{
		{Name: "size", Rule: intList, Doc: "The number of elements, one for each dimension, the slowest first.", Required: true, Example: "['$nx', '$ny']"},
		{Name: "subtype", Rule: datatype, Doc: "The type of an element.", Required: true},
		{Name: "subsize", Rule: intList, Doc: "How many elements carry data, in each dimension.", Example: "['$nx - 2', '$ny - 2']"},
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
		{Name: "buffersize", Rule: config.Only(config.Number), Doc: "The size in bytes; the least that fits where it is missing."},
	}},
	"pointer": {Keys: []config.Key{
		{Name: "subtype", Rule: datatype, Doc: "What it points to.", Required: true, Upstream: true},
	}},
	"integer": fortran, "real": fortran, "logical": fortran, "character": fortran,
}

var fortran = &config.Rule{Keys: []config.Key{
	{Name: "kind", Rule: config.Only(config.Number), Doc: "The Fortran kind: the size in bytes. The compiler's default where it is missing."},
}}

// member is what the place of a type adds to it in a record or a tuple.
var member = &config.Rule{Keys: []config.Key{{Name: "disp", Rule: config.Only(config.Number), Doc: "The offset from the begin, in bytes."}}}

// table is the schema for documentation and for editors.
func (l plugins) table() *schema.Schema {
	s := &schema.Schema{
		Title: "PDI specification tree",
		Doc:   "What data a simulation exposes, of which types, and which plugins do what with it.",
		Open:  true,
	}
	add := func(name, doc string, r *config.Rule, extension bool) {
		sec := schema.Section{Name: name, Doc: doc, Open: r.Open || r.Names != nil}
		for _, x := range r.Keys {
			if extension {
				x.Upstream = true
			}
			sec.Keys = append(sec.Keys, schemaKey(x))
		}
		s.Sections = append(s.Sections, sec)
	}
	add("root", "The tree. Other keys are ignored.", rootRule, false)
	for _, name := range []string{typesSection, metadataSection, dataSection, pluginsSection} {
		x := rootRule.Find(name)
		add(name, x.Doc, x.Rule, false)
	}
	for _, name := range []string{"array", "struct", "record", "tuple", "pointer", "integer", "real", "logical", "character"} {
		add("type: "+name, typeDocs[name], typeRules[name], name == "pointer")
	}
	add("member", "What a member of a record or an element of a tuple has besides its type.", member, false)
	add("logging", "The log of the tree or of a plugin.", config.Logging, false)
	add("logging.output", "Where the log goes.", config.Logging.Find("output").Rule, false)
	for i := range l {
		p := &l[i]
		add("plugins."+p.Name, pluginDoc(p), p.Config.Mapping(), true)
		for _, part := range p.Parts {
			add("plugins."+p.Name+"."+part.Name, part.Doc, part.Rule.Mapping(), true)
		}
	}
	return s
}

var typeDocs = map[string]string{
	"array":     "A potentially multi-dimensional array in C order.",
	"struct":    "A C struct with C's layout.",
	"record":    "Members at given offsets.",
	"tuple":     "Elements by position, which may have names too.",
	"pointer":   "The address of a value.",
	"integer":   "Fortran's integer.",
	"real":      "Fortran's real.",
	"logical":   "Fortran's logical.",
	"character": "Fortran's character.",
}

// sections are the keys of the root that mean something.
var sections = rootRule.KeyNames()

// mainOnly reports whether a section has no say in included files.
func mainOnly(name string) bool { return name == loggingSection || name == sealSection }

func isSection(name string) bool { return slices.Contains(sections, name) }

// schemaType is the type of a key in the reference and in JSON Schema.
func schemaType(r *config.Rule) schema.Type {
	switch {
	case len(r.Words) > 0:
		return schema.Enum
	case r.Scalar.Expression():
		return schema.Expr
	case r.Scalar == config.Path:
		return schema.Path
	case r.Scalar == config.Level:
		return schema.String
	case r.Type || r.Keys != nil || r.Names != nil:
		return schema.Map
	case r.List != nil:
		return schema.List
	}
	return schema.String
}

// schemaKey is a key as the reference, JSON Schema and editors show it.
func schemaKey(k config.Key) schema.Key {
	return schema.Key{Name: k.Name, Type: schemaType(k.Rule), Enum: k.Rule.Words, Default: k.Default, Required: k.Required, Doc: k.Doc, Example: k.Example, Extension: k.Upstream}
}

// describeKey is what editors say about a key.
func describeKey(k config.Key) string {
	x := schemaKey(k)
	return x.Describe()
}

func isBuiltin(name string) bool {
	_, ok := slices.BinarySearch(data.TypeNames(), name)
	return ok
}
