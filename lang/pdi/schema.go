package pdi

import (
	"slices"

	"github.com/pentode-dev/pentode/core/schema"
)

var levels = []string{"trace", "debug", "info", "warn", "error", "off"}

const defaultPattern = "[%T][%n] *** %^%l%$: %v"

// loggingRule is `logging`, of the tree and of every plugin.
var loggingRule = &rule{scalar: level, lax: true, keys: []key{
	k("level", schema.Enum, &rule{scalar: level, words: levels}, "How much is logged; `trace` is the most, `off` nothing.").dflt("info"),
	k("pattern", schema.String, only(logPattern), "What a line looks like, in spdlog's language; `%{NAME}` is the value of a datum that a plugin provides.").dflt(defaultPattern),
	k("output", schema.Map, &rule{lax: true, keys: []key{
		k("file", schema.Path, only(text), "The file to log to."),
		k("console", schema.Enum, &rule{scalar: text, words: []string{"on", "off"}, lax: true}, "Whether to log to the console too; `on`, or `off` where there is a `file`.").dflt("on"),
	}}, "Where to log to."),
}}

// rootRule is the tree itself.
var rootRule = &rule{open: true, keys: []key{
	k(typesSection, schema.Map, &rule{names: &rule{typ: true}, nameIs: text}, "Types by name, for the other sections to use."),
	k(metadataSection, schema.Map, &rule{names: &rule{typ: true}, nameIs: text}, "Small data that expressions read: a copy is kept, so it is there at any time."),
	k(dataSection, schema.Map, &rule{names: &rule{typ: true}, nameIs: text}, "Data that is shared by reference."),
	k(pluginsSection, schema.Map, &rule{names: &rule{value: true}, nameIs: text}, "Plugins by name, with their configurations."),
	k(loggingSection, schema.String, loggingRule, "The log: a level, or a mapping."),
	k(pathSection, schema.Path, oneOrMore(text), "Where the original program looks for plugins. Nothing is loaded from there."),
	k(includeSection, schema.Path, &rule{scalar: text, list: &rule{scalar: text, keys: includeKeys}, keys: includeKeys}, "Other trees whose declarations come first.").upstream(),
}}

var includeKeys = []key{
	k("file", schema.Path, only(text), "The file, relative to this one or to the working directory.").required().upstream(),
	k("subtree", schema.String, only(text), "The part of it, such as `.runs[2]`.").required().upstream(),
}

// intList is a number, or one for each dimension.
var intList = oneOrMore(number)

var datatype = &rule{typ: true}

// typeRules are the keys of the types that have some, for the reference: the engine reads them. Every type
// takes `type` and `+attributes`.
var typeRules = map[string]*rule{
	"array": {keys: []key{
		k("size", schema.Expr, intList, "The number of elements, one for each dimension, the slowest first.").required().sample("['$nx', '$ny']"),
		k("subtype", schema.Map, datatype, "The type of an element.").required(),
		k("subsize", schema.Expr, intList, "How many elements carry data, in each dimension.").sample("['$nx - 2', '$ny - 2']"),
		k("start", schema.Expr, intList, "The first element that carries data, in each dimension.").dflt("0"),
	}},
	"struct": {keys: []key{
		k("members", schema.List, datatype, "The members in order: a list of `name: type`, laid out as C does."),
	}},
	"record": {keys: []key{
		k("buffersize", schema.Expr, only(number), "The size in bytes, holes included.").required(),
		k("members", schema.Map, datatype, "The members by name, each with its `disp`."),
	}},
	"tuple": {keys: []key{
		k("elements", schema.List, datatype, "The elements: types, or `name: type`."),
		k("buffersize", schema.Expr, only(number), "The size in bytes; the least that fits where it is missing."),
	}},
	"pointer": {keys: []key{
		k("subtype", schema.Map, datatype, "What it points to.").required().upstream(),
	}},
	"integer": fortran, "real": fortran, "logical": fortran, "character": fortran,
}

var fortran = &rule{keys: []key{
	k("kind", schema.Expr, only(number), "The Fortran kind: the size in bytes. The compiler's default where it is missing."),
}}

// member is what the place of a type adds to it in a record or a tuple.
var member = &rule{keys: []key{k("disp", schema.Expr, only(number), "The offset from the begin, in bytes.")}}

// table is the schema for documentation and for editors.
func table() *schema.Schema {
	s := &schema.Schema{
		Title: "PDI specification tree",
		Doc:   "What data a simulation exposes, of which types, and which plugins do what with it.",
		Open:  true,
	}
	add := func(name, doc string, r *rule, extension bool) {
		sec := schema.Section{Name: name, Doc: doc, Open: r.open || r.names != nil}
		for _, x := range r.keys {
			if extension {
				x.Extension = true
			}
			sec.Keys = append(sec.Keys, x.Key)
		}
		s.Sections = append(s.Sections, sec)
	}
	add("root", "The tree. Other keys are ignored.", rootRule, false)
	for _, name := range []string{typesSection, metadataSection, dataSection, pluginsSection} {
		x := rootRule.find(name)
		add(name, x.Doc, x.rule, false)
	}
	for _, name := range []string{"array", "struct", "record", "tuple", "pointer", "integer", "real", "logical", "character"} {
		add("type: "+name, typeDocs[name], typeRules[name], name == "pointer")
	}
	add("member", "What a member of a record or an element of a tuple has besides its type.", member, false)
	add("logging", "The log of the tree or of a plugin.", loggingRule, false)
	add("logging.output", "Where the log goes.", loggingRule.find("output").rule, false)
	for _, p := range knownPlugins {
		add("plugins."+p.name, p.doc, p.rule.mapping(), true)
		for _, part := range p.parts {
			add("plugins."+p.name+"."+part.name, part.doc, part.rule.mapping(), true)
		}
	}
	return s
}

// mapping is the rule of the mapping, where a list of such is possible too.
func (r *rule) mapping() *rule {
	for r.keys == nil && r.names == nil && r.list != nil {
		r = r.list
	}
	return r
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
var sections = rootRule.keyNames()

func isSection(name string) bool { return slices.Contains(sections, name) }
