package schema_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var table = &schema.Schema{
	Title: "Sample",
	Doc:   "A sample language.",
	Sections: []schema.Section{
		{Name: "Target", Doc: "What is built for.", Required: true, Keys: []schema.Key{
			{Name: "PU", Type: schema.Enum, Enum: []string{"CPU", "GPU"}, Required: true, Doc: "The kind | of processor."},
			{Name: "Mode", Type: schema.Int, Min: schema.At(8), Max: schema.At(128), Default: "64"},
			{Name: "Features", Type: schema.List, Enum: []string{"a", "b"}},
			{Name: "Align", Type: schema.Int, Enum: []string{"1", "2", "4"}},
			{Name: "Entry", Type: schema.String, Format: "^[a-z]+$"},
			{Name: "Libs", Type: schema.List, Format: "^[a-z]+$"},
		}},
		{Name: "Vendor.NAME", Pattern: `Vendor\.\w+`, Open: true, Doc: "Anything."},
	},
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := table.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Sample\n", "## `Target`\n", "| `PU` | `CPU` `GPU` |  | The kind \\| of processor. Required. |",
		"| `Mode` | int, 8 to 128 | `64` |", "list of `a` `b`", "## `Vendor.NAME`",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, b.String())
		}
	}
}

func TestJSONSchemaJudges(t *testing.T) {
	var b bytes.Buffer
	if err := table.JSONSchema(&b); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///s.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///s.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		text string
		ok   bool
	}{
		{`{"Target": {"PU": "CPU", "Mode": 64, "Features": ["a"]}, "Vendor.X": {"any": 1}}`, true},
		{`{"Target": {"PU": "CPU", "Align": 4, "Entry": "main", "Libs": ["c", "m"]}}`, true},
		{`{"Target": {"PU": "CPU", "Align": 3}}`, false},
		{`{"Target": {"PU": "CPU", "Entry": "Main"}}`, false},
		{`{"Target": {"PU": "CPU", "Libs": ["c", "M"]}}`, false},
		{`{}`, false},
		{`{"Target": {}}`, false},
		{`{"Target": {"PU": "cpu"}}`, false},
		{`{"Target": {"PU": "CPU", "Mode": 4}}`, false},
		{`{"Target": {"PU": "CPU", "Features": ["c"]}}`, false},
		{`{"Target": {"PU": "CPU", "Other": 1}}`, false},
		{`{"Target": {"PU": "CPU"}, "Other": {}}`, false},
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(tc.text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); (err == nil) != tc.ok {
			t.Errorf("%s: %v", tc.text, err)
		}
	}
}

// TestMarkdownWhole writes the page of a table that uses every property of a
// key.
func TestMarkdownWhole(t *testing.T) {
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprint("w", i))
	}
	s := &schema.Schema{Title: "Title", Doc: "What it is.", Sections: []schema.Section{
		{Name: "Empty", Doc: "Nothing."},
		{Name: "Full", Doc: "Much.", Required: true, Keys: []schema.Key{
			{Name: "a", Type: schema.Int, Min: schema.At(1), Doc: "Some.", Required: true, Extension: true, Example: "x|y"},
			{Name: "b", Type: schema.Float, Max: schema.At(2.5), Default: "1", Doc: "Two\nlines."},
			{Name: "c", Type: schema.Bool, Resolved: true},
			{Name: "d", Type: schema.Enum, Enum: many[:24]},
			{Name: "e", Type: schema.List, Enum: many},
		}},
	}}
	var b bytes.Buffer
	if err := s.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	first := "`" + strings.Join(many[:24], "` `") + "`"
	want := "# Title\n\nWhat it is.\n\n## `Empty`\n\nNothing.\n\n## `Full`\n\nMuch.\n\nRequired.\n" +
		"\n| key | value | default | meaning |\n|---|---|---|---|\n" +
		"| `a` | int, at least 1 |  | Some. Required. (extension) Example: `x\\|y`. |\n" +
		"| `b` | float, at most 2.5 | `1` | Two lines. |\n" +
		"| `d` | " + first + " |  |  |\n" +
		"| `e` | list of " + first + " … (30 names) |  |  |\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if got, want := s.Sections[1].Keys[0].Describe(), "`a`: int, at least 1, required\n\nSome. Example: `x\\|y`."; got != want {
		t.Errorf("described as %q, want %q", got, want)
	}
	if got, want := s.Sections[1].Keys[1].Describe(), "`b`: float, at most 2.5, default `1`\n\nTwo\nlines."; got != want {
		t.Errorf("described as %q, want %q", got, want)
	}
}

// TestNames: sections and keys are found by their names. Names with placeholders
// are not suggested.
func TestNames(t *testing.T) {
	target := table.Section("Target")
	if target == nil || table.Section("target") != nil || table.Section("Vendor.NAME") == nil {
		t.Fatal("sections are not found by their names")
	}
	if got := strings.Join(table.SectionNames(), " "); got != "Target" {
		t.Errorf("sections %s; want %q", got, "Target")
	}
	if k := target.Key("Mode"); k == nil || k.Default != "64" || target.Key("mode") != nil {
		t.Errorf("the key Mode is %v, want k not nil, k.Default = %q and target.Key(\"mode\") nil", k, "64")
	}
	s := schema.Section{Keys: []schema.Key{{Name: "a"}, {Name: "EVENT", Pattern: `\w+`}, {Name: "b"}}}
	if got := strings.Join(s.KeyNames(), " "); got != "a b" {
		t.Errorf("keys %s; want %q", got, "a b")
	}
}

// TestJSONTypes: a value of each type, and values that do not match it.
func TestJSONTypes(t *testing.T) {
	for _, c := range []struct {
		key     schema.Key
		yes, no string
		wrote   string // in the schema
	}{
		{schema.Key{Type: schema.Int, Default: "3"}, `3`, `3.5`, `"default":3`},
		{schema.Key{Type: schema.Float, Default: "2.5", Min: schema.At(1)}, `1`, `0.5`, `"default":2.5`},
		{schema.Key{Type: schema.Bool, Default: "true"}, `false`, `"true"`, `"default":true`},
		{schema.Key{Type: schema.Bool, Default: "on"}, `false`, `1`, `"default":"on"`},
		{schema.Key{Type: schema.String, Default: "7"}, `"7"`, `7`, `"default":"7"`},
		{schema.Key{Type: schema.Map}, `{"a":1}`, `[]`, `"object"`},
		{schema.Key{Type: schema.Expr}, `"$n + 1"`, `[]`, `"string"`},
		{schema.Key{Type: schema.Expr, Doc: "What <it> is."}, `3`, `{}`, `"description":"What <it> is."`},
		{schema.Key{Type: schema.Set}, `"0-3"`, `3`, `"string"`},
		{schema.Key{Type: schema.Path}, `"/tmp"`, `null`, `"string"`},
		{schema.Key{Type: schema.Enum, Enum: []string{"a"}, Format: "^[ab]$"}, `"b"`, `"c"`, `"pattern"`},
		{schema.Key{Type: schema.Float, Max: schema.At(2)}, `2`, `2.5`, `"maximum":2`},
	} {
		c.key.Name = "k"
		s := &schema.Schema{Sections: []schema.Section{{Name: "s", Keys: []schema.Key{c.key}}}}
		var b bytes.Buffer
		if err := s.JSONSchema(&b); err != nil {
			t.Fatal(err)
		}
		if text := strings.ReplaceAll(b.String(), `": `, `":`); !strings.Contains(text, c.wrote) {
			t.Errorf("the schema of %s lacks %s:\n%s", c.key.Type, c.wrote, text)
		}
		doc, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("mem:///s.json", doc); err != nil {
			t.Fatal(err)
		}
		compiled, err := compiler.Compile("mem:///s.json")
		if err != nil {
			t.Fatal(err)
		}
		for value, want := range map[string]bool{c.yes: true, c.no: false} {
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"s": {"k": ` + value + `}}`))
			if err != nil {
				t.Fatal(err)
			}
			if err := compiled.Validate(v); (err == nil) != want {
				t.Errorf("%s as %s: %v", value, c.key.Type, err)
			}
		}
	}
}
