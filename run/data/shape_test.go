package data_test

import (
	"fmt"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
)

// TestExtents checks that each size of an array is known if its values are, and that the element type is known if it
// depends on no value.
func TestExtents(t *testing.T) {
	array := func(sub any, size ...any) *data.Node {
		return data.Map("type", "array", "subtype", sub, "size", data.List(size...))
	}
	s, err := data.New(data.Tree(data.Map(
		"logging", "off",
		"types", data.Map("row", array("double", "$n", "4")),
		"metadata", data.Map("n", "int", "m", "int"),
		"data", data.Map("plane", array("double", "$n", "$m"), "rows", array("row", "3"), "number", "int", "twice", array(array("int8", "5"), "$n * 2"), "below", array("int8", "$n - 9"),
			"odd", array(data.Map("type", "integer", "kind", "$n"), "3")),
	)), data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := int32(7)
	if err := s.Expose("n", &n, data.Out); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"plane": "[7 -1]", "rows": "[3 7 4]", "number": "[]", "twice": "[14 5]", "below": "[-1]"} {
		template, ok := s.Template(name)
		if !ok {
			t.Fatalf("%v; want ok", name)
		}
		if got := fmt.Sprint(template.Extents()); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"plane": "double", "rows": "double", "number": "int", "twice": "int8", "odd": ""} {
		template, _ := s.Template(name)
		got := ""
		if elem, known := template.Element(); known {
			got = elem.String()
		}
		if got != want {
			t.Errorf("elements of %s: %s, want %s", name, got, want)
		}
	}
}
