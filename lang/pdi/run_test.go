package pdi_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
)

func model(t testing.TB, text string) *pdi.Model {
	t.Helper()
	m, ok := lang.Model[*pdi.Model](language.Parse(source.NewFile("x.yml", text)).Resolve(&load.Env{}))
	if !ok {
		t.Fatal("not a model of this language")
	}
	return m
}

// TestPlaces checks the places in the engine's messages: columns count characters, and the place of a value that is used through an alias is its
// anchor.
func TestPlaces(t *testing.T) {
	spec := model(t, "# ü\nbase: &b {type: array,\r\n  size: [3, $n]}\nmetadata:\n  'ä ö': int\n  n: >-\n    int\ndata:\n  x: *b\n  y: {ü: z, type: int}\n").Spec()
	metadata, declared := spec.Sections[0].Metadata, spec.Sections[0].Data
	for _, c := range []struct {
		node *data.Node
		want string
	}{
		{metadata, "x.yml:5:3"},
		{metadata.Pairs[0].Key, "x.yml:5:3"},
		{metadata.Pairs[0].Value, "x.yml:5:10"},
		{metadata.Lookup("n"), "x.yml:6:6"},
		{declared.Lookup("x"), "x.yml:2:10"},
		{declared.Lookup("x").Lookup("size").Items[1], "x.yml:3:13"},
		{declared.Lookup("y").Lookup("type"), "x.yml:10:19"},
	} {
		if c.node.Span.String() != c.want {
			t.Errorf("%q is at %s, want %s", c.node.Text, c.node.Span, c.want)
		}
	}
}

// TestTupleOfTheDocument lays out the two tuple examples as documented.
func TestTupleOfTheDocument(t *testing.T) {
	m := model(t, `data:
  one:
    type: tuple
    buffersize: 16
    elements:
      - integer_value: {disp: 0, type: int32}
      - double_value: {disp: 8, type: double}
  two:
    type: tuple
    elements:
      - integer_value: int32
      - double_value: double
`)
	s, err := m.Values(nil, []pdi.Assignment{{Name: "two", Value: "[7, 1.5]"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"one", "two"} {
		typ, err := m.TypeOf(s, name)
		if err != nil {
			t.Fatal(err)
		}
		tuple := typ.(*data.Tuple)
		if typ.Size() != 16 || tuple.Elements[0].Offset != 0 || tuple.Elements[1].Offset != 8 {
			t.Errorf("%s: size %d, offsets %d and %d; want typ.Size() = 16, tuple.Elements[0].Offset = 0 and tuple.Elements[1].Offset = 8", name, typ.Size(), tuple.Elements[0].Offset, tuple.Elements[1].Offset)
		}
	}
	for text, want := range map[string]string{"${two.integer_value}": "7", "${two[1]}": "1.5", "$two.double_value": "1.5"} {
		v, err := s.Env().ParseValue(data.Text(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := v.Text(); got != want || err != nil {
			t.Errorf("%s is %q %v, want %s", text, got, err, want)
		}
	}
}

// TestComplaint adds places to errors of the engine, down to the bytes of an expression.
func TestComplaint(t *testing.T) {
	m := model(t, "metadata: {n: int}\ndata:\n  x: {type: array, subtype: int, size: \"$n + $m\"}\n")
	s, err := m.Values(nil, []pdi.Assignment{{Name: "n", Value: "3"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = m.TypeOf(s, "x")
	if got := m.Complaint(err).Error(); got != "x.yml:3:46: `m` has no value: it is not shared" {
		t.Errorf("got %q, want %q", got, "x.yml:3:46: `m` has no value: it is not shared")
	}
	if names := pdi.Needs(err); strings.Join(names, " ") != "n m" {
		t.Errorf("needs %v", names)
	}
}
