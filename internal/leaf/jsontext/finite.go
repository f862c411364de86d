package jsontext

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
)

// finite returns a value with the same JSON, but with null in place of each number that JSON cannot represent.
func finite(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	switch v.Interface().(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return v.Interface()
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
	case reflect.Pointer, reflect.Interface:
		return finite(v.Elem())
	case reflect.Array, reflect.Slice:
		if v.Kind() == reflect.Slice && (v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8) {
			break
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = finite(v.Index(i))
		}
		return list
	case reflect.Map:
		if v.IsNil() {
			break
		}
		all := make(map[string]any, v.Len())
		for key, value := range v.Seq2() {
			all[fmt.Sprint(key)] = finite(value)
		}
		return all
	case reflect.Struct:
		var o object
		for _, f := range fieldsOf(v.Type()) {
			if x, written := f.of(v); written {
				o = append(o, member{f.name, finite(x)})
			}
		}
		return o
	}
	return v.Interface()
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(Append(b, m.name), ':')
		b = Append(b, m.value)
	}
	return append(b, '}'), nil
}
