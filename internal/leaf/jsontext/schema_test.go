package jsontext_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
)

type colour string

func (colour) JSONValues() []string { return []string{"red", "blue"} }

type point struct{ x, y int }

func (p point) MarshalJSON() ([]byte, error) { return json.Marshal(p.JSONForm()) }

func (p point) JSONForm() any { return [2]int{p.x, p.y} }

type base struct {
	Name   string `json:"name"`
	hidden int
	Left   string `json:"-"`
}

type tree struct {
	Value    *float64 `json:"value"`
	Children []tree   `json:"children,omitempty"`
}

type everything struct {
	Version int `json:"version"`
	base
	*extra
	Colour   colour            `json:"colour"`
	At       point             `json:"at"`
	Time     time.Time         `json:"time,omitzero"`
	Counts   map[string]uint16 `json:"counts"`
	Share    float64           `json:"share"`
	Bytes    []byte            `json:"bytes,omitempty"`
	Raw      json.RawMessage   `json:"raw,omitempty"`
	Any      any               `json:"any,omitempty"`
	Tree     tree              `json:"tree"`
	Maybe    *tree             `json:"maybe,omitempty"`
	Pair     [2]bool           `json:"pair"`
	Untagged int
}

type extra struct {
	Extra int8 `json:"extra"`
}

func sample() everything {
	half := 0.5
	return everything{
		Version: 1, base: base{"<a>", 1, "left"}, extra: &extra{3}, Colour: "red", At: point{1, 2}, Time: time.Unix(0, 0).UTC(), Counts: map[string]uint16{"b": 2, "a": 1}, Share: 0.25,
		Bytes: []byte("x"), Raw: json.RawMessage(`{"y":1}`), Any: []int{1}, Tree: tree{Value: &half, Children: []tree{{}}}, Maybe: &tree{}, Untagged: 7,
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	if err := jsontext.Write(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestInfinite: a number that JSON cannot represent is null, and affects nothing else.
func TestInfinite(t *testing.T) {
	want := strings.Replace(text(t, sample()), `"share": 0.25`, `"share": null`, 1)
	for _, share := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		v := sample()
		v.Share = share
		if diff := cmp.Diff(want, text(t, v)); diff != "" {
			t.Errorf("with %v, - expected, + written:\n%s", share, diff)
		}
		if diff := cmp.Diff(want, text(t, &v)); diff != "" {
			t.Errorf("of a pointer, with %v, - expected, + written:\n%s", share, diff)
		}
	}
	if have, want := text(t, everything{Share: math.NaN(), Any: map[int]any{3: math.Inf(1)}}), text(t, everything{Any: map[int]any{3: nil}}); have != strings.Replace(want, `"share": 0`, `"share": null`, 1) {
		t.Errorf("empty fields: written\n%s\nexpected\n%s", have, want)
	}
}

// TestSchema: the schema accepts what is written, and nothing else.
func TestSchema(t *testing.T) {
	var b strings.Builder
	if err := jsontext.WriteSchema(&b, "all", jsontext.Shape{Value: everything{}}); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:///all.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///all.json")
	if err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	valid := func(text string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return s.Validate(v)
	}
	good := text(t, sample())
	if err := valid(good); err != nil {
		t.Errorf("%v\n%s\nof\n%s", err, good, &b)
	}
	if err := valid(text(t, everything{Version: 1, extra: &extra{}, Colour: "blue", Counts: map[string]uint16{}})); err != nil {
		t.Errorf("empty fields: %v", err)
	}
	for was, is := range map[string]string{
		`"version": 1`:            `"version": 2`,
		`"name": "<a>",`:          ``,
		`"name"`:                  `"other": 1, "name"`,
		`"extra": 3`:              `"extra": 3.5`,
		`"colour": "red"`:         `"colour": "green"`,
		`"1970-01-01T00:00:00Z"`:  `"yesterday"`,
		`"a": 1`:                  `"a": -1`,
		`"share": 0.25`:           `"share": "0.25"`,
		`"value": 0.5`:            `"value": true`,
		`"value": null`:           `"valeu": null`,
		"\"at\": [\n    1,":       "\"at\": [\n",
		"\"pair\": [\n    false,": "\"pair\": [\n    false, false,",
	} {
		if bad := strings.Replace(good, was, is, 1); bad == good {
			t.Errorf("%s is not in\n%s", was, good)
		} else if valid(bad) == nil {
			t.Errorf("%s is taken for %s", is, was)
		}
	}
}

// TestShapes checks that several shapes become alternatives, and that types with equal names get
// different names.
func TestShapes(t *testing.T) {
	type row struct {
		A int `json:"a"`
	}
	first := []row{}
	second := func() any {
		type row struct {
			B int `json:"b"`
		}
		return []row{}
	}()
	var b strings.Builder
	if err := jsontext.WriteSchema(&b, "two", jsontext.Shape{Title: "one", Value: first}, jsontext.Shape{Title: "other", Value: second}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"anyOf": [`, `"title": "one"`, `"$ref": "#/$defs/row"`, `"title": "other"`, `"$ref": "#/$defs/jsontext_testRow"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the schema lacks %s:\n%s", want, &b)
		}
	}
}

// BenchmarkWrite writes a long list, as in a report.
func BenchmarkWrite(b *testing.B) {
	list := make([]everything, 1000)
	for i := range list {
		list[i] = sample()
	}
	for b.Loop() {
		var text strings.Builder
		if err := jsontext.Write(&text, list); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(text.Len()))
	}
}
