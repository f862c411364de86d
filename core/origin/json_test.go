package origin_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
)

// TestJSON checks that AppendJSON writes the same JSON for a setting as the
// standard library does for its JSONForm.
func TestJSON(t *testing.T) {
	file := source.NewFile("a \"b\".pipe", "one\ntwo\nthree\n")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "<a>&", "a\\b", "\u2028", "\xff", "\x7f", "\x1b[0m", "plain"}))
		e := origin.Entry{Key: text.Draw(t, "key"), Value: text.Draw(t, "value"), Type: text.Draw(t, "type"),
			Flags: rapid.SliceOfN(text, 0, 3).Draw(t, "flags")}
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			s := origin.Step{What: origin.Set, Text: text.Draw(t, "text"), Note: text.Draw(t, "note")}
			if rapid.Bool().Draw(t, "placed") {
				s.Span = source.Span{File: file, Start: 4, End: 7}
			}
			e.Steps = append(e.Steps, s)
		}
		if have, want := string(e.AppendJSON(nil, "    ")), encoded(t, e.JSONForm(), "    "); have != want {
			t.Fatalf("written\n%s\nexpected\n%s", have, want)
		}
		if have, want := encoded(t, e, ""), encoded(t, e.JSONForm(), ""); have != want {
			t.Fatalf("an encoder writes\n%s\nexpected\n%s", have, want)
		}
		for _, s := range e.Steps {
			if have, want := encoded(t, s, ""), encoded(t, s.JSONForm(), ""); have != want {
				t.Fatalf("of a step an encoder writes\n%s\nexpected\n%s", have, want)
			}
		}
	})
	e := origin.Entry{Key: "k", Value: "<v>", Type: "string", Steps: []origin.Step{{What: origin.Set, Text: "<v>", Span: source.Span{File: file, Start: 4, End: 7}}, {What: origin.Trim, Note: "n"}}}
	want := `{"key":"k","value":"<v>","type":"string","flags":[],"origin":[{"what":"set","text":"<v>","path":"a \"b\".pipe","line":2,"column":1},{"what":"trim","text":"","note":"n"}]}`
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.AppendJSON(nil, "")); err != nil || compact.String() != want {
		t.Errorf("written: %s, %v\nexpected: %s", &compact, err, want)
	}
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
