package golden

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pentode-dev/pentode/lang"
)

// JSONSchema returns the JSON Schema of a language, compiled by a third-party validator.
func JSONSchema(t testing.TB, l *lang.Language) *jsonschema.Schema {
	t.Helper()
	var text bytes.Buffer
	if err := l.Schema().JSONSchema(&text); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(&text)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///"+l.Name+".json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///" + l.Name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Converted checks a language's JSON Schema: it must accept the JSON that `convert --to json` makes of every case
// without errors, and refuse the given texts.
func Converted(t *testing.T, l *lang.Language, dir string, refused ...string) {
	t.Helper()
	s := JSONSchema(t, l)
	accepted := 0
	for _, c := range Cases(t, dir) {
		config := c.Config(l)
		if config.Diagnostics().HasErrors() {
			continue
		}
		var text bytes.Buffer
		if _, err := config.Convert("json", &text); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		value, err := jsonschema.UnmarshalJSON(&text)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if err := s.Validate(value); err != nil {
			t.Errorf("%s is refused, want it accepted: %v", c.Name, err)
		}
		accepted++
	}
	if accepted == 0 {
		t.Errorf("%s has no case without errors", dir)
	}
	for _, text := range refused {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if s.Validate(value) == nil {
			t.Errorf("%s is accepted, want it refused", text)
		}
	}
}
