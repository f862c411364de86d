package golden

import (
	"bytes"
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
	if err := c.AddResource(l.Name+".json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(l.Name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}
