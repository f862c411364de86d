package schema

import (
	"encoding/json"
	"io"

	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
)

// JSON is a JSON Schema, or a part of one.
type JSON = map[string]any

// JSONSchema writes a draft-07 schema for the language's JSON form. That is its Form if there is one, else an object of
// sections, each an object of keys.
func (s *Schema) JSONSchema(w io.Writer) error {
	root := JSON{}
	if s.Form != nil {
		root = s.Form()
	} else {
		root["type"], root["additionalProperties"] = "object", s.Open
		object(root, len(s.Sections), func(i int) (string, string, bool, any) {
			sec := &s.Sections[i]
			return sec.Name, sec.Pattern, sec.Required, sec.JSONSchema()
		})
	}
	root["$schema"], root["title"], root["description"] = "http://json-schema.org/draft-07/schema#", s.Title, s.Doc
	return jsontext.Write(w, root)
}

// JSONSchema returns the schema of an object with the keys of a section.
func (s *Section) JSONSchema() JSON {
	o := JSON{"type": "object", "description": s.Doc, "additionalProperties": s.Open}
	object(o, len(s.Keys), func(i int) (string, string, bool, any) {
		k := &s.Keys[i]
		return k.Name, k.Pattern, k.Required, k.jsonSchema()
	})
	return o
}

// object fills in the properties of an object schema.
func object(o JSON, n int, property func(int) (name, pattern string, required bool, schema any)) {
	properties, patterns, required := JSON{}, JSON{}, []string{}
	for i := range n {
		name, pattern, must, schema := property(i)
		if pattern != "" {
			patterns["^(?:"+pattern+")$"] = schema
			continue
		}
		properties[name] = schema
		if must {
			required = append(required, name)
		}
	}
	if len(properties) > 0 {
		o["properties"] = properties
	}
	if len(patterns) > 0 {
		o["patternProperties"] = patterns
	}
	if len(required) > 0 {
		o["required"] = required
	}
}

func (k *Key) jsonSchema() JSON {
	o := JSON{}
	if k.Doc != "" {
		o["description"] = k.Doc
	}
	switch k.Type {
	case Int:
		o["type"] = "integer"
		if len(k.Enum) > 0 {
			o["enum"] = numbers(k.Enum)
		}
	case Float:
		o["type"] = "number"
	case Bool:
		o["type"] = "boolean"
	case List:
		items := JSON{"type": "string"}
		if len(k.Enum) > 0 {
			items["enum"] = k.Enum
		}
		if k.Format != "" {
			items["pattern"] = k.Format
		}
		o["type"], o["items"] = "array", items
	case Map:
		o["type"] = "object"
	case Expr:
		o["type"] = []string{"string", "number", "boolean"}
	default:
		o["type"] = "string"
		if k.Format != "" { // in addition to its words, the key takes other texts of that format
			o["pattern"] = k.Format
		} else if len(k.Enum) > 0 {
			o["enum"] = k.Enum
		}
	}
	if k.Min.Set {
		o["minimum"] = k.Min.Value
	}
	if k.Max.Set {
		o["maximum"] = k.Max.Value
	}
	if k.Default != "" {
		o["default"] = k.defaultJSON()
	}
	return o
}

// numbers returns words as JSON numbers.
func numbers(words []string) []json.Number {
	list := make([]json.Number, len(words))
	for i, w := range words {
		list[i] = json.Number(w)
	}
	return list
}

// defaultJSON returns the default as JSON. It stays a text if it is not a JSON value of the key's type.
func (k *Key) defaultJSON() any {
	switch k.Type {
	case Int, Float, Bool:
		var v any
		if json.Unmarshal([]byte(k.Default), &v) == nil {
			return v
		}
	}
	return k.Default
}
