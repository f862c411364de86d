package origin

import (
	"bytes"
	"encoding/json"
)

// MarshalJSON writes a setting as `show --format json` and the page show it.
func (e Entry) MarshalJSON() ([]byte, error) {
	out := struct {
		Key    string   `json:"key"`
		Value  string   `json:"value"`
		Type   string   `json:"type"`
		Flags  []string `json:"flags"`
		Origin []Step   `json:"origin"`
	}{e.Key, e.Value, e.Type, append([]string{}, e.Flags...), append([]Step{}, e.Steps...)}
	return plain(out)
}

// MarshalJSON writes a step with its place as path, line and column.
func (s Step) MarshalJSON() ([]byte, error) {
	out := struct {
		What   What   `json:"what"`
		Text   string `json:"text"`
		Path   string `json:"path,omitempty"`
		Line   int    `json:"line,omitempty"`
		Column int    `json:"column,omitempty"`
		Note   string `json:"note,omitempty"`
	}{What: s.What, Text: s.Text, Note: s.Note}
	if !s.Span.IsZero() {
		p := s.Span.Position()
		out.Path, out.Line, out.Column = s.Span.File.Path(), p.Line, p.Column
	}
	return plain(out)
}

// plain leaves it to the encoder outside whether `<` is escaped.
func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
