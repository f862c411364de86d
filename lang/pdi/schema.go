package pdi

import (
	"slices"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// table returns the schema for the reference and for editors.
func (l plugins) table() *schema.Schema {
	s := &schema.Schema{
		Title: "PDI specification tree",
		Doc:   "The data that a simulation exposes, their types, and what plugins do with them.",
		Open:  true,
		Form:  l.jsonSchema,
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
	add("member", "Keys of a member of a record or of an element of a tuple, besides the keys of its type.", member, false)
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

// mainOnly reports whether a section is ignored in included files.
func mainOnly(name string) bool { return name == loggingSection || name == sealSection }

func isSection(name string) bool { return slices.Contains(sections, name) }

// schemaType returns the type of a key, for the reference and for JSON
// Schema.
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

// schemaKey converts a key of a rule to a key of the schema.
func schemaKey(k config.Key) schema.Key {
	return schema.Key{Name: k.Name, Type: schemaType(k.Rule), Enum: k.Rule.Words, Default: k.Default, Required: k.Required, Doc: k.Doc, Example: k.Example, Extension: k.Upstream}
}

// describeKey returns the description of a key in editors.
func describeKey(k config.Key) string {
	x := schemaKey(k)
	return x.Describe()
}

func isBuiltin(name string) bool {
	_, ok := slices.BinarySearch(data.TypeNames(), name)
	return ok
}
