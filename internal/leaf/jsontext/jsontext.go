// Package jsontext writes readable JSON, with `<` and `&` unescaped, and the JSON Schema of what it writes.
package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
)

// Write writes a value on several lines. A number that JSON cannot represent, such as infinity, becomes null.
func Write(w io.Writer, v any) error {
	e := encoder(w)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	if unsupported := (*json.UnsupportedValueError)(nil); errors.As(err, &unsupported) {
		return e.Encode(finite(reflect.ValueOf(v)))
	}
	return err
}

// Line returns the JSON of a value, such as a text, on one line.
func Line(v any) string {
	var b strings.Builder
	_ = encoder(&b).Encode(v)
	return strings.TrimSuffix(b.String(), "\n")
}

// Append appends the JSON of a value on one line.
func Append(b []byte, v any) []byte {
	w := bytes.NewBuffer(b)
	_ = encoder(w).Encode(v)
	return bytes.TrimSuffix(w.Bytes(), []byte("\n"))
}

func encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}
