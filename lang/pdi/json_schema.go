package pdi

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/logging"
)

// jsonSchema returns the JSON Schema of a tree, made from the rules that the checker applies. It describes a file as a YAML or JSON parser sees it,
// so numbers and booleans are allowed wherever PDI reads a text.
func (l plugins) jsonSchema() schema.JSON {
	tree := mappingSchema(rootRule)
	tree["propertyNames"] = notNear(sections) // a program may keep sections of its own in its tree, also hidden ones
	plugins := schema.JSON{}
	for i := range l {
		p := &l[i]
		plugins[p.Name] = described(ruleSchema(p.Config), pluginDoc(p), "")
	}
	tree["properties"].(schema.JSON)[pluginsSection] = schema.JSON{
		"description": rootRule.Find(pluginsSection).Doc, "type": []string{"object", "null"}, "properties": plugins, "propertyNames": notNear(slices.Sorted(maps.Keys(plugins))),
	}
	return schema.JSON{
		"definitions": schema.JSON{
			"tree":    tree,
			"type":    schema.JSON{"anyOf": []any{scalarType(), typeMapping(nil, false)}},
			"member":  schema.JSON{"anyOf": []any{scalarType(), typeMapping(member.Keys, false)}},
			"logging": ruleSchema(config.Logging),
		},
		"type": "object",
		"if":   schema.JSON{"required": []string{treeKey}},
		"then": schema.JSON{"properties": schema.JSON{treeKey: reference("tree")}},
		"else": reference("tree"),
	}
}

func reference(name string) schema.JSON { return schema.JSON{"$ref": "#/definitions/" + name} }

// scalarType returns the schema of a scalar: it allows all types as which a parser may read a scalar, and the given ones.
func scalarType(more ...string) schema.JSON {
	return schema.JSON{"type": append([]string{"string", "number", "boolean"}, more...)}
}

// ruleSchema returns the schema of the values that a rule allows.
func ruleSchema(r *config.Rule) schema.JSON {
	switch {
	case r.Value:
		return schema.JSON{}
	case r.Type && len(r.Keys) == 0:
		return reference("type")
	case r.Type && r.NoType:
		return schema.JSON{"anyOf": []any{scalarType("null"), typeMapping(r.Keys, true)}}
	case r.Type:
		return schema.JSON{"anyOf": []any{scalarType(), typeMapping(r.Keys, false)}}
	}
	mapping := r.Keys != nil || r.Names != nil || r.Open
	var shapes []any
	if r.Scalar != config.Nothing {
		shapes = append(shapes, scalarSchema(r))
	}
	if mapping || r.List != nil || r.Scalar == config.Text || r.Scalar == config.Path || r.Scalar == config.Script {
		shapes = append(shapes, schema.JSON{"type": "null"})
	}
	if r.List != nil {
		shapes = append(shapes, schema.JSON{"type": "array", "items": ruleSchema(r.List)})
	}
	if mapping {
		shapes = append(shapes, mappingSchema(r))
	}
	if len(shapes) == 1 {
		return shapes[0].(schema.JSON)
	}
	return schema.JSON{"anyOf": shapes}
}

// scalarSchema returns the schema of a scalar: one of the rule's words, or an expression, whose result may be one.
func scalarSchema(r *config.Rule) schema.JSON {
	words := r.Words
	if r.Scalar == config.Level {
		words = logging.Levels[:]
	}
	if len(words) == 0 {
		return scalarType()
	}
	enum := make([]any, 0, len(words))
	for _, w := range words {
		enum = append(enum, w)
		switch w {
		case "true", "on":
			enum = append(enum, true)
		case "false", "off":
			enum = append(enum, false)
		}
	}
	shapes := []any{schema.JSON{"enum": enum}, schema.JSON{"type": "string", "pattern": `\$`}}
	if r.Fold {
		folded := make([]string, len(words))
		for i, w := range words {
			folded[i] = anyCase(w)
		}
		shapes = append(shapes, schema.JSON{"type": "string", "pattern": "^(?:" + strings.Join(folded, "|") + ")$"})
	}
	return schema.JSON{"anyOf": shapes}
}

// mappingSchema returns the schema of a mapping.
func mappingSchema(r *config.Rule) schema.JSON {
	o := keysSchema(r.Keys)
	switch {
	case r.Names != nil:
		o["additionalProperties"] = ruleSchema(r.Names)
	case r.Open:
		o["additionalProperties"] = true
	}
	return o
}

// keysSchema returns the schema of a mapping with these keys and no others.
func keysSchema(keys []config.Key) schema.JSON {
	properties := schema.JSON{}
	var required []string
	for _, k := range keys {
		value := ruleSchema(k.Rule)
		if k.Rule == config.Logging {
			value = reference("logging")
		}
		properties[k.Name] = described(value, k.Doc, k.Default)
		if k.Required {
			required = append(required, k.Name)
		}
	}
	o := schema.JSON{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		o["required"] = required
	}
	return o
}

// described adds the description that editors show. Draft 7 ignores keys next to a reference, so the reference moves into an allOf.
func described(s schema.JSON, doc, otherwise string) schema.JSON {
	if s["$ref"] != nil {
		s = schema.JSON{"allOf": []any{s}}
	}
	if doc != "" {
		s["description"] = doc
	}
	if otherwise != "" {
		s["default"] = otherwise
	}
	return s
}

// typeMapping returns the schema of a type with keys, or of a place that adds keys to a type. Which keys are allowed depends on the type; a
// reference to a declared type allows none.
func typeMapping(extra []config.Key, optional bool) schema.JSON {
	names := slices.Sorted(maps.Keys(typeRules))
	with := func(keys []config.Key) schema.JSON {
		o := keysSchema(slices.Concat(keys, extra))
		o["properties"].(schema.JSON)["type"] = schema.JSON{"type": "string", "description": "The type."}
		o["patternProperties"] = schema.JSON{`^\+`: schema.JSON{}}
		return o
	}
	is := func(s schema.JSON) schema.JSON {
		return schema.JSON{"properties": schema.JSON{"type": s}, "required": []string{"type"}}
	}
	cases := make([]any, 0, len(names)+1)
	for _, name := range names {
		o := with(typeRules[name].Keys)
		switch name {
		case "struct":
			o["properties"].(schema.JSON)["members"] = described(schema.JSON{"type": []string{"array", "null"}, "items": named("type")}, typeRules[name].Find("members").Doc, "")
		case "record":
			o["properties"].(schema.JSON)["members"] = described(schema.JSON{"type": []string{"object", "null"}, "additionalProperties": placedMember()}, typeRules[name].Find("members").Doc, "")
		case "tuple":
			elements := schema.JSON{"type": []string{"array", "null"}, "items": schema.JSON{"anyOf": []any{reference("member"), named("member")}}}
			o["properties"].(schema.JSON)["elements"] = described(elements, typeRules[name].Find("elements").Doc, "")
		}
		cases = append(cases, schema.JSON{"if": is(schema.JSON{"const": name}), "then": o})
	}
	others := schema.JSON{"not": schema.JSON{"enum": names}}
	if optional {
		cases = append(cases, schema.JSON{"if": schema.JSON{"properties": schema.JSON{"type": others}}, "then": with(nil)})
		return schema.JSON{"type": "object", "allOf": cases}
	}
	cases = append(cases, schema.JSON{"if": is(others), "then": with(nil)})
	return schema.JSON{"type": "object", "required": []string{"type"}, "allOf": cases}
}

// named returns the schema of one member with its name.
func named(of string) schema.JSON {
	return schema.JSON{"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": reference(of)}
}

// placedMember returns the schema of a member of a record, which has an offset.
func placedMember() schema.JSON {
	return schema.JSON{"allOf": []any{reference("member"), schema.JSON{"type": "object", "required": []string{"disp"}}}}
}

// notNear rejects keys that are misspellings of these words: one letter is changed, missing or extra, two are swapped, or the case differs.
func notNear(words []string) schema.JSON {
	var near []string
	for _, w := range words {
		for i := range w {
			before, after := anyCase(w[:i]), anyCase(w[i+1:])
			near = append(near, before+".?"+after, before+"."+anyCase(w[i:]))
			if i+1 < len(w) {
				near = append(near, before+anyCase(w[i+1:i+2]+w[i:i+1]+w[i+2:]))
			}
		}
		near = append(near, anyCase(w)+".")
	}
	return schema.JSON{"anyOf": []any{schema.JSON{"enum": words}, schema.JSON{"pattern": `^\.`}, schema.JSON{"not": schema.JSON{"pattern": "^(?:" + strings.Join(near, "|") + ")$"}}}}
}

// anyCase matches a word in any case. JSON Schema's expressions have no flag for it.
func anyCase(word string) string {
	var b strings.Builder
	for _, r := range word {
		lower, upper := strings.ToLower(string(r)), strings.ToUpper(string(r))
		if lower == upper {
			b.WriteString(regexp.QuoteMeta(lower))
			continue
		}
		b.WriteString("[" + lower + upper + "]")
	}
	return b.String()
}
