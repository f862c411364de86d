package origin

import (
	"strconv"

	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
)

// MarshalJSON writes a setting in the form of `show --format json` and of the page.
func (e Entry) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil, ""), nil }

// MarshalJSON writes a step in the same form as inside a setting.
func (s Step) MarshalJSON() ([]byte, error) { return s.appendJSON(nil, ""), nil }

// jsonEntry is the JSON form of a setting.
type jsonEntry struct {
	Key    string     `json:"key"`
	Value  string     `json:"value"`
	Type   string     `json:"type"`
	Flags  []string   `json:"flags"`
	Origin []jsonStep `json:"origin"`
}

type jsonStep struct {
	What   What   `json:"what"`
	Text   string `json:"text"`
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Note   string `json:"note,omitempty"`
}

// JSONForm returns a value that encoding/json writes like AppendJSON, for the schema of
// answers.
func (e Entry) JSONForm() any {
	form := jsonEntry{e.Key, e.Value, e.Type, append([]string{}, e.Flags...), make([]jsonStep, len(e.Steps))}
	for i := range e.Steps {
		form.Origin[i] = e.Steps[i].form()
	}
	return form
}

// JSONForm returns a value that encoding/json writes like MarshalJSON.
func (s Step) JSONForm() any { return s.form() }

func (s *Step) form() jsonStep {
	form := jsonStep{What: s.What, Text: s.Text, Note: s.Note}
	if !s.Span.IsZero() {
		at := s.Span.Position()
		form.Path, form.Line, form.Column = s.Span.File.Path(), at.Line, at.Column
	}
	return form
}

// AppendJSON appends a setting as indented JSON. It does not use encoding/json because a
// large file has millions of settings.
func (e *Entry) AppendJSON(b []byte, indent string) []byte {
	inner := indent + "  "
	b = append(b, '{')
	b = appendField(b, inner, "key", e.Key)
	b = appendField(append(b, ','), inner, "value", e.Value)
	b = appendField(append(b, ','), inner, "type", e.Type)
	b = append(appendName(append(b, ','), inner, "flags"), '[')
	for i, flag := range e.Flags {
		b = appendText(appendItem(b, i, inner), flag)
	}
	b = appendEnd(b, len(e.Flags), inner)
	b = append(appendName(append(b, ','), inner, "origin"), '[')
	for i := range e.Steps {
		b = e.Steps[i].appendJSON(appendItem(b, i, inner), inner+"  ")
	}
	b = appendEnd(b, len(e.Steps), inner)
	return append(appendLine(b, indent), '}')
}

// appendJSON writes a step with its place as path, line and column.
func (s *Step) appendJSON(b []byte, indent string) []byte {
	inner := indent + "  "
	b = append(b, '{')
	b = appendField(b, inner, "what", string(s.What))
	b = appendField(append(b, ','), inner, "text", s.Text)
	if !s.Span.IsZero() {
		p := s.Span.Position()
		b = appendField(append(b, ','), inner, "path", s.Span.File.Path())
		b = strconv.AppendInt(appendName(append(b, ','), inner, "line"), int64(p.Line), 10)
		b = strconv.AppendInt(appendName(append(b, ','), inner, "column"), int64(p.Column), 10)
	}
	if s.Note != "" {
		b = appendField(append(b, ','), inner, "note", s.Note)
	}
	return append(appendLine(b, indent), '}')
}

func appendLine(b []byte, indent string) []byte { return append(append(b, '\n'), indent...) }

func appendName(b []byte, indent, name string) []byte {
	b = append(appendLine(b, indent), '"')
	return append(append(b, name...), `": `...)
}

func appendField(b []byte, indent, name, text string) []byte {
	return appendText(appendName(b, indent, name), text)
}

// appendItem begins the i-th item of a list.
func appendItem(b []byte, i int, indent string) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return append(appendLine(b, indent), "  "...)
}

// appendEnd closes a list. An empty list stays on one line.
func appendEnd(b []byte, items int, indent string) []byte {
	if items > 0 {
		b = appendLine(b, indent)
	}
	return append(b, ']')
}

func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return jsontext.Append(b, text) // the outer encoder decides whether `<` is escaped
		}
	}
	return append(append(append(b, '"'), text...), '"')
}
