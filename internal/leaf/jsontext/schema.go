package jsontext

import (
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// A Form is a type with a MarshalJSON method that writes other JSON than encoding/json would write for the fields.
type Form interface {
	// JSONForm returns a value of a plain type for which encoding/json writes the same JSON.
	JSONForm() any
}

// An Enum is a text that has one of a few values.
type Enum interface {
	// JSONValues returns all values.
	JSONValues() []string
}

// Shape is one of the objects that a schema describes.
type Shape struct {
	Title  string         // the condition under which this shape applies; empty if it always applies
	Value  any            // a value of the type that is written
	Schema map[string]any // its schema, instead of Value, if it describes a file
}

// WriteSchema writes the JSON Schema for the output of Write for values of some types. It makes the schema from the types and their `json` tags: a
// field is required unless it has `omitempty` or `omitzero`, other fields are not allowed, and a top-level field named version is 1.
func WriteSchema(w io.Writer, title string, shapes ...Shape) error {
	m := schemaMaker{names: map[string]reflect.Type{}, defs: map[string]*schema{}}
	all := &schema{}
	for _, s := range shapes {
		if s.Schema != nil {
			form := maps.Clone(s.Schema)
			delete(form, "$schema")
			all.AnyOf = append(all.AnyOf, form)
			continue
		}
		form := m.root(reflect.TypeOf(s.Value))
		form.Title = s.Title
		all.AnyOf = append(all.AnyOf, form)
		if len(shapes) == 1 {
			all = form
		}
	}
	all.Draft, all.Title, all.Defs = "https://json-schema.org/draft/2020-12/schema", title, m.defs
	return Write(w, all)
}

// schema is a JSON Schema. The zero value allows anything.
type schema struct {
	Draft      string             `json:"$schema,omitempty"`
	Title      string             `json:"title,omitempty"`
	Ref        string             `json:"$ref,omitempty"`
	Type       any                `json:"type,omitempty"` // a word, or a list of words
	Const      any                `json:"const,omitempty"`
	Enum       []string           `json:"enum,omitempty"`
	Format     string             `json:"format,omitempty"`
	Encoding   string             `json:"contentEncoding,omitempty"`
	Minimum    *int               `json:"minimum,omitempty"`
	AnyOf      []any              `json:"anyOf,omitempty"` // *schema or map[string]any
	Items      *schema            `json:"items,omitempty"`
	MinItems   int                `json:"minItems,omitempty"`
	MaxItems   int                `json:"maxItems,omitempty"`
	Required   []string           `json:"required,omitempty"`
	Properties properties         `json:"properties,omitempty"`
	Others     any                `json:"additionalProperties,omitempty"` // false, or the schema of all values
	Defs       map[string]*schema `json:"$defs,omitempty"`
}

// properties are the fields of an object in order.
type properties []property

type property struct {
	name   string
	schema *schema
}

func (p properties) MarshalJSON() ([]byte, error) {
	o := make(object, len(p))
	for i := range p {
		o[i] = member{p[i].name, p[i].schema}
	}
	return o.MarshalJSON()
}

// schemaMaker collects the structs that have a name.
type schemaMaker struct {
	names map[string]reflect.Type
	defs  map[string]*schema
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// root returns the schema of a top-level value. It is written out in place; other structs are references.
func (m *schemaMaker) root(t reflect.Type) *schema {
	if t.Kind() != reflect.Struct {
		return m.schema(t)
	}
	s := m.object(t)
	if i := slices.IndexFunc(s.Properties, func(p property) bool { return p.name == "version" }); i >= 0 {
		s.Properties[i].schema = &schema{Const: 1}
	}
	return s
}

func (m *schemaMaker) schema(t reflect.Type) *schema {
	zero := reflect.Zero(t)
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		switch x := zero.Interface().(type) {
		case time.Time:
			return &schema{Type: "string", Format: "date-time"}
		case json.RawMessage:
			return &schema{}
		case Form:
			return m.schema(reflect.TypeOf(x.JSONForm()))
		case Enum:
			return &schema{Type: "string", Enum: x.JSONValues()}
		}
		switch p := reflect.PointerTo(t); {
		case p.Implements(marshaler):
			panic(fmt.Sprintf("%s has a MarshalJSON, but no JSONForm", t))
		case p.Implements(textMarshaler):
			return &schema{Type: "string"}
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &schema{Type: "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &schema{Type: "integer", Minimum: new(int)}
	case reflect.Float32, reflect.Float64:
		return &schema{Type: []string{"number", "null"}} // null: see Write
	case reflect.Pointer:
		return orNull(m.schema(t.Elem()))
	case reflect.Interface:
		return &schema{}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return &schema{Type: "string", Encoding: "base64"}
		}
		return &schema{Type: "array", Items: m.schema(t.Elem())}
	case reflect.Array:
		return &schema{Type: "array", Items: m.schema(t.Elem()), MinItems: t.Len(), MaxItems: t.Len()}
	case reflect.Map:
		return &schema{Type: "object", Others: m.schema(t.Elem())}
	case reflect.Struct:
		return m.named(t)
	}
	panic(fmt.Sprintf("%s has no JSON", t))
}

// orNull returns a schema that also allows null.
func orNull(s *schema) *schema {
	if word, ok := s.Type.(string); ok {
		s.Type = []string{word, "null"}
		return s
	}
	return &schema{AnyOf: []any{s, &schema{Type: "null"}}}
}

// named returns a reference to the schema of a struct, or that schema if the struct has no name.
func (m *schemaMaker) named(t reflect.Type) *schema {
	if t.Name() == "" {
		return m.object(t)
	}
	// Names of types of the command line that are used only for JSON begin with json.
	name := []rune(strings.TrimPrefix(t.Name(), "json"))
	name[0] = unicode.ToLower(name[0])
	key := string(name)
	if other, taken := m.names[key]; taken && other != t {
		name[0] = unicode.ToUpper(name[0])
		key = t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:] + string(name)
	}
	if m.names[key] == nil {
		m.names[key] = t // stored before its fields are visited, because a field may have the same type
		m.defs[key] = m.object(t)
	}
	return &schema{Ref: "#/$defs/" + key}
}

func (m *schemaMaker) object(t reflect.Type) *schema {
	s := &schema{Type: "object", Others: false}
	for _, f := range fieldsOf(t) {
		typ := f.typ
		if f.omitEmpty && typ.Kind() == reflect.Pointer { // a nil pointer is left out, so the value is never null
			typ = typ.Elem()
		}
		s.Properties = append(s.Properties, property{f.name, m.schema(typ)})
		if !f.omitEmpty && !f.omitZero {
			s.Required = append(s.Required, f.name)
		}
	}
	return s
}
