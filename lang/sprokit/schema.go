package sprokit

import (
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// special is a key that the language itself defines.
type special struct {
	Name string // the whole key, with placeholders in capitals
	pipe.Key
	pattern string
}

var schedulers = flow.Schedulers()

const (
	schedulerType = "_scheduler:type"
	poolThreads   = "_scheduler:thread_pool:num_threads"
	edgeCapacity  = "_pipeline:_edge:capacity"
)

var specialKeys = []special{
	{Name: schedulerType, Key: pipe.Key{Kind: pipe.String, Default: flow.DefaultScheduler, Choices: schedulers, Doc: "How the processes are run; every scheduler gives the same result."}},
	{Name: poolThreads, Key: pipe.Key{Kind: pipe.Unsigned, Doc: "The number of workers of `thread_pool`; by default one for each processor."}},
	{Name: edgeCapacity, Key: pipe.Key{Kind: pipe.Unsigned, Default: "40", Doc: "How many data every edge holds before its producer waits; 0 means no limit."}},
	{Name: "_pipeline:_edge:blocking", Key: pipe.Key{Kind: pipe.Bool, Default: "true", Doc: "Whether a producer waits at a full edge; otherwise its data are dropped."}},
	{Name: "_pipeline:_edge_by_type:TYPE:capacity", pattern: `_pipeline:_edge_by_type:.+:(capacity|blocking)`, Key: pipe.Key{Kind: pipe.Unsigned, Doc: "The same for edges into ports of a type; `blocking` likewise."}},
	{Name: "_pipeline:_edge_by_conn:PROCESS:up:PORT:capacity", pattern: `_pipeline:_edge_by_conn:.+:up:.+:(capacity|blocking)`, Key: pipe.Key{Kind: pipe.Unsigned, Doc: "The same for edges from one output port."}},
	{Name: "_pipeline:_edge_by_conn:PROCESS:down:PORT:capacity", pattern: `_pipeline:_edge_by_conn:.+:down:.+:(capacity|blocking)`, Key: pipe.Key{Kind: pipe.Unsigned, Doc: "The same for the edge into one input port. It overrides all the others except `_non_blocking`."}},
}

// specialNames returns the special keys that have no placeholders.
func specialNames() []string {
	var names []string
	for i := range specialKeys {
		if specialKeys[i].pattern == "" {
			names = append(names, specialKeys[i].Name)
		}
	}
	return names
}

func specialKey(name string) *pipe.Key {
	for i := range specialKeys {
		if specialKeys[i].Name == name {
			return &specialKeys[i].Key
		}
	}
	return nil
}

// table returns the schema: the keys of the language and of every type.
func table(r *pipe.Registry) *schema.Schema {
	s := &schema.Schema{
		Title: "sprokit pipeline",
		Doc:   "The resolved configuration of a pipeline: `_pipeline` and `_scheduler`, and the keys of each process by its type. Keys are written `process:key`.",
		Form:  func() schema.JSON { return jsonSchema(r) },
	}
	own := schema.Section{Name: "pipeline", Doc: "Keys with a meaning for the whole pipeline."}
	for i := range specialKeys {
		k := schemaKey(&specialKeys[i].Key)
		k.Name, k.Pattern = specialKeys[i].Name, specialKeys[i].pattern
		own.Keys = append(own.Keys, k)
	}
	every := schema.Section{Name: "every process", Doc: "Keys that a process of any type has."}
	for _, k := range pipe.ProcessKeys() {
		every.Keys = append(every.Keys, schemaKey(&k))
	}
	every.Keys = append(every.Keys, schema.Key{Name: "static/PORT", Pattern: `static/.+`, Doc: "The value of a static input port that is not connected."})
	s.Sections = []schema.Section{own, every}
	for t := range r.All() {
		sec := schema.Section{Name: t.Name, Doc: t.Doc}
		for i := range t.Keys {
			sec.Keys = append(sec.Keys, schemaKey(&t.Keys[i]))
		}
		s.Sections = append(s.Sections, sec)
	}
	return s
}

func schemaKey(k *pipe.Key) schema.Key {
	key := schema.Key{Name: k.Name, Default: k.Default, Required: k.Required, Doc: k.Doc}
	switch k.Kind {
	case pipe.Int:
		key.Type = schema.Int
	case pipe.Unsigned:
		key.Type, key.Min = schema.Int, schema.At(0)
	case pipe.Double, pipe.Float:
		key.Type = schema.Float
	case pipe.Bool:
		key.Type = schema.Bool
	case pipe.Algo:
		key.Name, key.Type = k.Name+":type", schema.String
	case pipe.Any:
		key.Type = schema.Map
		if k.Name == "" {
			key.Name, key.Pattern = "KEY", `.+`
		}
	}
	if len(k.Choices) > 0 {
		key.Type, key.Enum = schema.Enum, k.Choices
	}
	return key
}

// jsonSchema returns the JSON Schema of the output of `convert --to json`. All values are strings, and a process may have settings that are not
// used.
func jsonSchema(r *pipe.Registry) schema.JSON {
	text := schema.JSON{"type": "string"}
	object := func(required []string, properties schema.JSON) schema.JSON {
		return schema.JSON{"type": "object", "required": required, "properties": properties, "additionalProperties": false}
	}
	list := func(of schema.JSON) schema.JSON { return schema.JSON{"type": "array", "items": of} }
	pipeline := schema.JSON{"$ref": "#/definitions/pipeline"}
	settings := func(keys []pipe.Key) schema.JSON {
		properties := schema.JSON{}
		for i := range keys {
			k := schemaKey(&keys[i])
			if k.Pattern != "" || k.Type == schema.Map {
				continue
			}
			value := schema.JSON{"type": "string"}
			if k.Doc != "" {
				value["description"] = k.Doc
			}
			if k.Default != "" {
				value["default"] = k.Default
			}
			properties[k.Name] = value
		}
		return schema.JSON{"type": "object", "properties": properties, "additionalProperties": text}
	}
	types := []any{}
	for t := range r.All() {
		types = append(types, schema.JSON{
			"if":   schema.JSON{"properties": schema.JSON{"type": schema.JSON{"const": t.Name}}},
			"then": schema.JSON{"description": t.Doc, "properties": schema.JSON{"config": settings(t.Keys)}},
		})
	}
	process := object([]string{"name", "type", "config"}, schema.JSON{"name": text, "type": text, "config": settings(pipe.ProcessKeys()), "inside": pipeline})
	process["allOf"] = types
	part := object([]string{"name", "doc"}, schema.JSON{"name": text, "doc": text, "value": text, "inner": list(text)})
	cluster := object([]string{"name", "doc", "keys", "inputs", "outputs"}, schema.JSON{"name": text, "doc": text, "keys": list(part), "inputs": list(part), "outputs": list(part)})
	whole := object([]string{"processes", "connections", "config"}, schema.JSON{
		"cluster": cluster, "processes": list(process), "config": schema.JSON{"type": "object", "additionalProperties": text},
		"connections": list(object([]string{"from", "to"}, schema.JSON{"from": text, "to": text})),
	})
	return schema.JSON{"allOf": []any{pipeline}, "definitions": schema.JSON{"pipeline": whole}}
}
