// Package jsontext writes JSON that people read: `<` and `&` as they are.
package jsontext

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// Write writes a value over several lines.
func Write(w io.Writer, v any) error {
	e := encoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Line returns a value that has a JSON form, such as a text, on one line.
func Line(v any) string {
	var b strings.Builder
	_ = encoder(&b).Encode(v)
	return strings.TrimSuffix(b.String(), "\n")
}

// Append appends a value that has a JSON form on one line.
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
