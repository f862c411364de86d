package origin_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
)

type step struct {
	What   origin.What `json:"what"`
	Text   string      `json:"text"`
	Path   string      `json:"path,omitempty"`
	Line   int         `json:"line,omitempty"`
	Column int         `json:"column,omitempty"`
	Note   string      `json:"note,omitempty"`
}

type entry struct {
	Key    string   `json:"key"`
	Value  string   `json:"value"`
	Type   string   `json:"type"`
	Flags  []string `json:"flags"`
	Origin []step   `json:"origin"`
}

// TestJSON: what is written by hand is what the standard library writes of the
// same values.
func TestJSON(t *testing.T) {
	file := source.NewFile("a \"b\".pipe", "one\ntwo\nthree\n")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "<a>&", "a\\b", "\u2028", "\xff", "\x7f", "\x1b[0m", "plain"}))
		e := origin.Entry{Key: text.Draw(t, "key"), Value: text.Draw(t, "value"), Type: text.Draw(t, "type"),
			Flags: rapid.SliceOfN(text, 0, 3).Draw(t, "flags")}
		want := entry{Key: e.Key, Value: e.Value, Type: e.Type, Flags: append([]string{}, e.Flags...), Origin: []step{}}
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			s := origin.Step{What: origin.Set, Text: text.Draw(t, "text"), Note: text.Draw(t, "note")}
			w := step{What: s.What, Text: s.Text, Note: s.Note}
			if rapid.Bool().Draw(t, "placed") {
				s.Span = source.Span{File: file, Start: 4, End: 7}
				w.Path, w.Line, w.Column = file.Path(), 2, 1
			}
			e.Steps, want.Origin = append(e.Steps, s), append(want.Origin, w)
		}
		if have, want := string(e.AppendJSON(nil, "    ")), encoded(t, want, "    "); have != want {
			t.Fatalf("written\n%s\nexpected\n%s", have, want)
		}
		if have, want := encoded(t, e, ""), encoded(t, want, ""); have != want {
			t.Fatalf("an encoder writes\n%s\nexpected\n%s", have, want)
		}
		for i := range e.Steps {
			if have, want := encoded(t, e.Steps[i], ""), encoded(t, want.Origin[i], ""); have != want {
				t.Fatalf("of a step an encoder writes\n%s\nexpected\n%s", have, want)
			}
		}
	})
}

func encoded(t *rapid.T, v any, prefix string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
