package jsontext

import (
	"reflect"
	"strings"
)

// field is a field of a struct as encoding/json sees it.
type field struct {
	name      string
	typ       reflect.Type
	index     []int
	omitEmpty bool
	omitZero  bool
}

// fieldsOf returns the fields of a struct that are written, including fields of embedded structs, in the order of writing.
func fieldsOf(t reflect.Type) []field {
	var list []field
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if tag == "-" || !f.IsExported() || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		list = append(list, field{
			name: name, typ: f.Type, index: f.Index,
			omitEmpty: strings.Contains(options, "omitempty"), omitZero: strings.Contains(options, "omitzero"),
		})
	}
	return list
}

// of returns the value of the field in a struct, and whether it is written.
func (f *field) of(v reflect.Value) (reflect.Value, bool) {
	x, err := v.FieldByIndexErr(f.index)
	switch {
	case err != nil: // in an embedded pointer that is nil
		return x, false
	case f.omitZero:
		if z, ok := x.Interface().(interface{ IsZero() bool }); ok {
			return x, !z.IsZero()
		}
		return x, !x.IsZero()
	case !f.omitEmpty:
		return x, true
	}
	switch x.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return x, x.Len() > 0
	case reflect.Struct:
		return x, true
	}
	return x, !x.IsZero()
}
