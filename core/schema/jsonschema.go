package schema

import (
	"encoding/json"
	"io"

	"github.com/pentode-dev/pentode/core/jsontext"
)

// JSONSchema writes a draft-07 schema of the resolved form: an object of
// sections, each an object of keys.
func (s *Schema) JSONSchema(w io.Writer) error {
	root := map[string]any{
		"$schema":              "http://json-schema.org/draft-07/schema#",
		"title":                s.Title,
		"description":          s.Doc,
		"type":                 "object",
		"additionalProperties": s.Open,
	}
	object(root, len(s.Sections), func(i int) (string, string, bool, any) {
		sec := &s.Sections[i]
		o := map[string]any{"type": "object", "description": sec.Doc, "additionalProperties": sec.Open}
		object(o, len(sec.Keys), func(j int) (string, string, bool, any) {
			k := &sec.Keys[j]
			return k.Name, k.Pattern, k.Required, k.jsonSchema()
		})
		return sec.Name, sec.Pattern, sec.Required, o
	})
	return jsontext.Write(w, root)
}

// object fills in the properties of an object schema.
func object(o map[string]any, n int, property func(int) (name, pattern string, required bool, schema any)) {
	properties, patterns, required := map[string]any{}, map[string]any{}, []string{}
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

func (k *Key) jsonSchema() map[string]any {
	o := map[string]any{}
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
		items := map[string]any{"type": "string"}
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
		if k.Format != "" { // where there are words too, it allows more than these
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

// numbers are words that are numbers, as JSON writes them.
func numbers(words []string) []json.Number {
	list := make([]json.Number, len(words))
	for i, w := range words {
		list[i] = json.Number(w)
	}
	return list
}

// defaultJSON is the default as JSON has it; text stays text where it is no
// JSON value of the type.
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
