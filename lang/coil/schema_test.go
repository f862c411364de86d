package coil_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil/preset"
)

// compiled is the published schema, compiled by another program's validator.
var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	var b bytes.Buffer
	if err := language.Schema().JSONSchema(&b); err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///coil.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("mem:///coil.json")
})

// schemaCodes are the errors that a JSON Schema of the resolved form can find.
var schemaCodes = map[string]bool{
	"coil/missing-section": true, "coil/missing-key": true, "coil/type": true, "coil/range": true, "coil/power-of-two": true, "coil/enum": true,
	"coil/empty-element": true, "coil/empty-text": true, "coil/define": true, "coil/library": true, "coil/symbol": true, "coil/abi-name": true,
}

// tableCodes are errors that only the tables of processors can find. The schema accepts a
// file that has no other errors.
var tableCodes = map[string]bool{
	"coil/arch-pu": true, "coil/mode-arch": true, "coil/feature-unknown": true, "coil/feature-arch": true, "coil/feature-prefix": true,
	"coil/abi-arch": true, "coil/register": true, "coil/extension": true,
}

// judgedAlike compares our checker's verdict with the schema's, for every file whose
// values could be read.
func judgedAlike(t *testing.T, c *lang.Config) {
	t.Helper()
	wrong := false
	for _, d := range c.Diagnostics() {
		switch {
		case d.Severity != diag.Error || tableCodes[d.Code.ID]:
		case schemaCodes[d.Code.ID]:
			wrong = true
		default:
			return // without a valid form there is no resolved form to check
		}
	}
	s, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := c.Convert("json", &b); err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(b.String()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if err := s.Validate(v); (err != nil) != wrong {
		t.Errorf("the checker finds mistakes: %v; the schema reports: %v\n%s", wrong, err, b.String())
	}
}

func TestSchemaJudgesAlike(t *testing.T) {
	for _, c := range golden.Cases(t, "testdata") {
		t.Run(c.Name, func(t *testing.T) { judgedAlike(t, c.Config(language)) })
	}
	for _, name := range preset.Names() {
		t.Run("preset "+name, func(t *testing.T) {
			f, _ := preset.File(name)
			judgedAlike(t, language.Parse(f).Resolve(&load.Env{Opener: source.Map{}, Dir: "."}))
		})
	}
}

// TestSchemaOfTheDocument: our schema contains the fragment of a schema in the document.
func TestSchemaOfTheDocument(t *testing.T) {
	var b bytes.Buffer
	if err := language.Schema().JSONSchema(&b); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		`"$schema": "http://json-schema.org/draft-07/schema#"`,
		`"required": [ "Target", "Optimization", "Memory" ]`,
		`"required": [ "PU", "Architecture", "Mode" ]`,
		`"enum": [ "CPU", "GPU", "NPU", "DSP" ]`,
		`"maximum": 128, "minimum": 8, "type": "integer"`,
		`"maximum": 3, "minimum": 0, "type": "integer"`,
		`"required": [ "Model", "Alignment", "StackGrowth", "Endianness" ]`,
		`"enum": [ "Protected", "Flat", "Segmented" ]`,
		`"enum": [ "Little", "Big" ]`,
		`"enum": [ "ELF", "PE", "Mach-O", "Raw" ]`,
		`"additionalProperties": true`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the schema lacks %s", want)
		}
	}
}
