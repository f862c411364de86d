package golden

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pentode-dev/pentode/lang"
)

// JSONSchema is the JSON Schema that a language publishes, read by a validator that is not ours.
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

// Converted checks that the schema accepts what `convert --to json` writes of every case in which no error is found, and that it
// refuses the texts of refused.
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
