package data_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
)

// shape is a type as the oracle describes one.
type shape struct {
	Class                           string
	Datasize, Buffersize, Alignment json.Number
	Dense                           bool
	Kind                            string
	Size, Start, Subsize            json.Number
	Subtype                         *shape
	Members, Elements               []struct {
		Name string
		Disp json.Number
		Type *shape
	}
	Attributes map[string]any
}

type failure struct {
	Status, What string
	Crash        any
}

type typeCase struct {
	Group, Input, Context, Spec string
	Result                      *struct{ Type, Densified *shape }
	Error                       *failure
}

type context struct {
	Spec string
	Set  [][2]string
}

// TestOracleDatatypes declares every type of the oracle in upstream's dialect
// and compares sizes, alignments, offsets, density and attributes, or the class
// of the error. Crashes of upstream are errors here.
func TestOracleDatatypes(t *testing.T) {
	var cases []typeCase
	var contexts map[string]context
	readOracle(t, "datatypes.json", &cases)
	readOracle(t, "contexts_type.json", &contexts)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) {
			typ, err := evaluateIn(t, contexts[c.Context], c.Spec, c.Input, data.Upstream)
			if c.Result == nil {
				compareError(t, c.Input, err, c.Error)
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", c.Input, err)
			}
			compareShape(t, c.Input, typ, c.Result.Type)
			compareShape(t, c.Input+" densified", data.Densify(typ), c.Result.Densified)
		})
	}
}

// evaluateIn declares a type inside a store that holds the context's values.
func evaluateIn(t *testing.T, c context, spec, input string, d data.Dialect) (data.Type, error) {
	t.Helper()
	if spec == "" {
		spec = c.Spec
	}
	s, err := data.New(data.Tree(mustTree(t, spec)), data.Options{Dialect: d})
	if err != nil {
		return nil, err
	}
	for _, set := range c.Set {
		expose(t, s, set[0], set[1])
	}
	template, err := data.ParseType(mustTree(t, input), s.Env())
	if err != nil {
		return nil, err
	}
	return template.Evaluate()
}

// expose gives a declared name the value that a YAML text stands for.
func expose(t *testing.T, s *data.Store, name, value string) {
	t.Helper()
	template, ok := s.Template(name)
	if !ok {
		t.Fatalf("`%s` is not declared", name)
	}
	typ, err := template.Evaluate()
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Env().ParseValue(mustTree(t, value))
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, typ.Size())
	if err := v.CopyTo(typ, data.X86_64(), memory); err != nil {
		t.Fatalf("%s = %s: %v", name, value, err)
	}
	if err := s.Expose(name, memory, data.Out); err != nil {
		t.Fatal(err)
	}
}

func compareError(t *testing.T, input string, err error, want *failure) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%s: upstream fails (%s %s), we do not", input, want.Status, want.What)
	case want.Crash == nil && data.StatusOf(err).String() != want.Status:
		t.Errorf("%s\n got %s %v\nwant %s %s", input, data.StatusOf(err), err, want.Status, want.What)
	}
}

func compareShape(t *testing.T, what string, got data.Type, want *shape) {
	t.Helper()
	equal := func(field string, got int64, want json.Number) {
		if strconv.FormatUint(uint64(got), 10) != want.String() {
			t.Errorf("%s: %s is %d, upstream has %s", what, field, uint64(got), want)
		}
	}
	equal("size", got.Size(), want.Buffersize)
	equal("data size", got.DataSize(), want.Datasize)
	equal("alignment", got.Align(), want.Alignment)
	if got.Dense() != want.Dense {
		t.Errorf("%s: dense is %v, upstream has %v", what, got.Dense(), want.Dense)
	}
	compareAttributes(t, what, got.Attributes(), want.Attributes)
	switch got := got.(type) {
	case *data.Scalar:
		if want.Class != "scalar" || got.Kind.String() != want.Kind {
			t.Errorf("%s: a %s scalar, upstream has %s %s", what, got.Kind, want.Kind, want.Class)
		}
	case *data.Array:
		if want.Class != "array" {
			t.Fatalf("%s: an array, upstream has %s", what, want.Class)
		}
		equal("length", got.Length, want.Size)
		equal("start", got.Start, want.Start)
		equal("subsize", got.Used, want.Subsize)
		compareShape(t, what+"[]", got.Elem, want.Subtype)
	case *data.Record:
		if want.Class != "record" || len(got.Members) != len(want.Members) {
			t.Fatalf("%s: a record of %d, upstream has %s of %d", what, len(got.Members), want.Class, len(want.Members))
		}
		for i, m := range want.Members {
			if got.Members[i].Name != m.Name {
				t.Errorf("%s: member %d is %q, upstream has %q", what, i, got.Members[i].Name, m.Name)
			}
			equal("offset of "+m.Name, got.Members[i].Offset, m.Disp)
			compareShape(t, what+"."+m.Name, got.Members[i].Type, m.Type)
		}
	case *data.Tuple:
		if want.Class != "tuple" || len(got.Elements) != len(want.Elements) {
			t.Fatalf("%s: a tuple of %d, upstream has %s of %d", what, len(got.Elements), want.Class, len(want.Elements))
		}
		for i, m := range want.Elements {
			equal("offset", got.Elements[i].Offset, m.Disp)
			compareShape(t, fmt.Sprintf("%s.%d", what, i), got.Elements[i].Type, m.Type)
		}
	case *data.Pointer:
		if want.Class != "pointer" {
			t.Fatalf("%s: a pointer, upstream has %s", what, want.Class)
		}
		compareShape(t, what+"*", got.Elem, want.Subtype)
	}
}

func compareAttributes(t *testing.T, what string, got []data.Attribute, want map[string]any) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d attributes, upstream has %d", what, len(got), len(want))
	}
	for _, a := range got {
		text, err := a.Value.Text()
		switch want := want[a.Name].(type) {
		case string:
			if err != nil || text != want {
				t.Errorf("%s: +%s is %q, %v; upstream has %q", what, a.Name, text, err, want)
			}
		default:
			if err == nil {
				t.Errorf("%s: +%s is %q, upstream has %v", what, a.Name, text, want)
			}
		}
	}
}
