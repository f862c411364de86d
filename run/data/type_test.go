package data_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
)

// evaluate declares a type in an environment with user types and returns it.
func evaluate(t testing.TB, text, types string) (data.Type, error) {
	t.Helper()
	env := &data.Env{}
	for _, p := range datatest.Tree(t, types).Pairs {
		if err := env.Define(p.Key.Text, p.Value); err != nil {
			return nil, err
		}
	}
	template, err := data.ParseType(datatest.Tree(t, text), env)
	if err != nil {
		return nil, err
	}
	return template.Evaluate()
}

// outline writes a type with every offset: "16/8{a@0:int b@8:double}".
func outline(t data.Type) string {
	size := fmt.Sprintf("%d/%d", t.Size(), t.Align())
	members := func(list []data.Member) string {
		var parts []string
		for _, m := range list {
			parts = append(parts, fmt.Sprintf("%s@%d:%s", m.Name, m.Offset, outline(m.Type)))
		}
		return size + "{" + strings.Join(parts, " ") + "}"
	}
	switch t := t.(type) {
	case *data.Record:
		return members(t.Members)
	case *data.Tuple:
		return members(t.Elements)
	}
	return size
}

// TestDocumentedTypes lays out every type declaration in the documentation's examples, and
// tuples by the rules of this package.
func TestDocumentedTypes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{type: array, subtype: double, size: 5}", "40/8"},
		{"{type: array, subtype: {type: character, kind: 4}, size: [3, 2]}", "24/4"},
		{"{type: byte}", "1/1"},
		{"{type: char}", "1/1"},
		{"{type: character}", "1/1"},
		{"{type: character, kind: 4}", "4/4"},
		{"{type: integer, kind: 2}", "2/2"},
		{"{type: logical, kind: 1}", "1/1"},
		{"{type: real, kind: 8}", "8/8"},
		{"{type: real, kind: 4 + 4}", "8/8"},
		{"{type: integer, kind: ''}", "4/4"},
		{"{type: ptrdiff_t}", "8/8"},
		{"{type: size_t}", "8/8"},
		{"{type: struct, members: [{my_char: char}]}", "1/1{my_char@0:1/1}"},
		{"{type: struct, members: [{my_long: int64}, {my_array: {type: array, subtype: int64, size: [10, 10]}}]}",
			"808/8{my_long@0:8/8 my_array@8:800/8}"},
		{"{type: struct, members: [{first_int: int32}, {seconf_int: int32}]}", "8/4{first_int@0:4/4 seconf_int@4:4/4}"},
		{"{type: record, buffersize: 8, members: {first_int: {disp: 0, type: int32}, seconf_int: {disp: 4, type: int32}}}",
			"8/4{first_int@0:4/4 seconf_int@4:4/4}"},
		{"{type: record, buffersize: 808, members: {my_long: {disp: 0, type: int64}, my_array: {disp: 8, type: array, subtype: int64, size: [10, 10]}}}",
			"808/8{my_long@0:8/8 my_array@8:800/8}"},
		{"{type: tuple, buffersize: 16, elements: [{integer_value: {disp: 0, type: int32}}, {double_value: {disp: 8, type: double}}]}",
			"16/8{integer_value@0:4/4 double_value@8:8/8}"},
		{"{type: tuple, elements: [{integer_value: int32}, {double_value: double}]}",
			"16/8{integer_value@0:4/4 double_value@8:8/8}"},

		{"{type: tuple, elements: [int, {type: double}, {disp: 24, type: char}, short]}", "32/8{@0:4/4 @8:8/8 @24:1/1 @26:2/2}"},
		{"{type: tuple, elements: [{disp: 8, type: int}, {disp: 0, type: int}]}", "12/4{@8:4/4 @0:4/4}"},
		{"{type: tuple, buffersize: 100, elements: [char, {x: int}]}", "100/4{@0:1/1 x@4:4/4}"},
		{"{type: tuple, elements: [{type: int}, {disp: 0, kind: 4}]}", "the key `type` is missing"},
		{"{type: tuple}", "0/1{}"},
		{"{type: struct}", "1/1{}"},
		{"{type: struct, members: }", "1/1{}"},
		{"{type: record, buffersize: 4}", "4/1{}"},
		{"{type: array, subtype: int, size: 4, start: 0}", "16/4"},
	} {
		typ, err := evaluate(t, c.text, "{}")
		got := fmt.Sprint(err)
		if err == nil {
			got = outline(typ)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestUpstreamTypes checks layouts of the original program that are unexpected:
// size/alignment, members, and whether it is dense.
func TestUpstreamTypes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// A part without bytes leaves one byte for its address, added after the rounding.
		{"{type: struct, members: [{e: {type: array, subtype: int, size: 0}}]}", "1/4{e@0:0/4} true"},
		{"{type: struct, members: [{e: {type: array, subtype: char, size: 0}}]}", "1/1{e@0:0/1} true"},
		{"{type: tuple, elements: [{type: array, subtype: int, size: 0}]}", "1/4{@0:0/4} true"},
		{"{type: record, buffersize: 1, members: {e: {disp: 0, type: array, subtype: char, size: 0}}}", "1/1{e@0:0/1} true"},
		{"{type: record, buffersize: 2, members: {e: {disp: 0, type: array, subtype: char, size: 0}}}", "2/1{e@0:0/1} false"},
		{"{type: record, buffersize: 4, members: []}", "4/1{} false"},
		{"{type: record, buffersize: 4, members: ''}", "4/1{} false"},
		{"{type: record, buffersize: 4, members: [a]}", "SPECTREE"},
		{"{type: struct, members: ''}", "SPECTREE"},
		{"{type: struct, members: }", "SPECTREE"},
		{"{type: struct, members: {}}", "SPECTREE"},
		{"{type: tuple, elements: ''}", "SPECTREE"},
		// An empty value counts as absent.
		{"{type: array, subtype: int, size: 3, subsize: }", "12/4 true"},
		{"{type: array, subtype: int, size: 3, subsize: []}", "12/4 true"},
		{"{type: array, subtype: int, size: 3, start: ''}", "12/4 true"},
		{"{type: array, subtype: int, size: 3, start: [], subsize: 2}", "12/4 false"},
		{"{type: array, subtype: int, size: 3, start: 1, subsize: {}}", "SPECTREE"},
		{"{type: array, subtype: int, size: [2, 3], subsize: [1]}", "SPECTREE"},
		{"{type: array, subtype: int, size: [[2]]}", "SPECTREE"},
		{"{type: array, subtype: int, size: 3, order: ''}", "12/4 true"},
		// Every key of a type is checked, and the parts of a type before its attributes.
		{"{type: int, [k]: 1}", "SPECTREE"},
		{"{type: struct, members: [{a: int}], [k]: 1}", "SPECTREE"},
		{"{type: pointer, subtype: nosuch, +a: $}", "SPECTREE"},
		{"{type: integer, kind: -1, +a: $}", "SPECTREE"},
		{"{type: integer, kind: 4, +a: $}", "VALUE"},
		{"{type: int, +a: {[k]: 1}}", "SPECTREE"},
	} {
		template, err := data.ParseType(datatest.Tree(t, c.text), &data.Env{Dialect: data.Upstream})
		var typ data.Type
		if err == nil {
			typ, err = template.Evaluate()
		}
		got := data.StatusOf(err).String()
		if err == nil {
			got = fmt.Sprint(outline(typ), " ", typ.Dense())
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestTypeErrors checks the text, the class and the node of every message.
func TestTypeErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		status data.Status
		want   string
	}{
		{"nosuch", data.StatusSpecTree, "spec.yml:1:1: unknown type `nosuch`"},
		{"bool", data.StatusSpecTree, "spec.yml:1:1: unknown type `bool`: write `uint8`"},
		{"[int]", data.StatusSpecTree, "spec.yml:1:1: expected a type: a name, or a mapping with the key `type`; found a sequence"},
		{"{type: [int]}", data.StatusSpecTree, "spec.yml:1:8: expected the name of a type after `type`, found a sequence"},
		{"{type: array, size: 3}", data.StatusSpecTree, "spec.yml:1:1: an array needs a `subtype`: the type of its elements: the documentation calls it optional, but without it the size is unknown"},
		{"{type: array, subtype: int, sizes: 3}", data.StatusSpecTree, "spec.yml:1:29: `array` has no key `sizes`, it is ignored: did you mean `size`?"},
		{"{type: array, subtype: int, size: 3, order: C}", data.StatusSpecTree, "spec.yml:1:45: `order` cannot be chosen: arrays are in C order, leave the key out"},
		{"{type: array, subtype: int, size: [3, 4], subsize: 2}", data.StatusSpecTree, "spec.yml:1:52: `subsize` has 1 dimensions, `size` has 2"},
		{"{type: array, subtype: int, size: -1}", data.StatusValue, "spec.yml:1:35: the size of an array is -1, which is negative"},
		{"{type: array, subtype: int, size: 4, start: 2}", data.StatusValue, "spec.yml:1:45: an array with a `start` needs a `subsize` too: without it all 4 elements carry data: from element 2 on, they lie outside the array"},
		{"{type: array, subtype: int, size: 4, subsize: 5}", data.StatusValue, "spec.yml:1:47: elements 0 to 4 are outside an array of 4: `start` + `subsize` may be at most `size`"},
		{"{type: array, subtype: int64, size: [4611686018427387904, 16]}", data.StatusValue, "spec.yml:1:38: an array of 4611686018427387904 elements of 128 bytes does not fit into any memory"},
		{"{type: integer, kind: 3}", data.StatusValue, "spec.yml:1:23: the kind of `integer` is 3: a kind is the size of the type in bytes, a power of two"},
		{"{type: real, kind: -4}", data.StatusSpecTree, "spec.yml:1:20: the kind of `real` is -4: a kind is the size of the type in bytes"},
		{"{type: struct, members: {a: int}}", data.StatusSpecTree, "spec.yml:1:25: expected the members of a struct as a list of `- name: type`, found a mapping: members of a C struct have an order, a mapping has none"},
		{"{type: struct, members: [{a: int, b: int}]}", data.StatusSpecTree, "spec.yml:1:26: expected one member, `name: type`, found several in one item"},
		{"{type: struct, members: [{a: int}, {a: int}]}", data.StatusSpecTree, "spec.yml:1:37: member `a` is declared twice"},
		{"{type: record, members: {}}", data.StatusSpecTree, "spec.yml:1:1: a record needs a `buffersize`: its size in bytes, holes included"},
		{"{type: record, buffersize: 8, members: {a: int}}", data.StatusSpecTree, "spec.yml:1:44: member `a` of a record needs a `disp`: its offset in bytes"},
		{"{type: record, buffersize: 8, members: {a: {disp: 6, type: int}}}", data.StatusValue, "spec.yml:1:44: member `a` takes the bytes 6 to 9 of a buffer of 8"},
		{"{type: record, buffersize: 8, members: {a: {disp: 2, type: int}, b: {disp: 0, type: int}}}", data.StatusValue, "spec.yml:1:44: member `a` begins at byte 2, inside member `b`, which ends at byte 4"},
		{"{type: record, buffersize: -8}", data.StatusValue, "spec.yml:1:28: `buffersize` is -8, which is negative"},
		{"{type: tuple, members: [int]}", data.StatusSpecTree, "spec.yml:1:24: a tuple has `elements`, not `members`"},
		{"{type: tuple, elements: [{disp: 0, type: int}, {disp: 2, type: int}]}", data.StatusValue, "spec.yml:1:48: member `[1]` begins at byte 2, inside member `[0]`, which ends at byte 4"},
		{"{type: pointer}", data.StatusSpecTree, "spec.yml:1:1: a pointer needs a `subtype`: what it points to"},
		{"{type: int, +a: $}", data.StatusValue, "spec.yml:1:17: attribute `+a`: "},
		{"{type: struct, members: [{outer: {type: struct, members: [{inner: {type: array, subtype: int, size: -1}}]}}]}", data.StatusValue, ": member `inner`: the size of an array is -1, which is negative"},
		{"loop", data.StatusSpecTree, "type `loop` contains itself: a type may lead back to itself through a pointer: `{type: pointer, subtype: loop}`"},
		{"a", data.StatusSpecTree, "type `a` contains itself through `b`: a type may lead back to itself through a pointer: `{type: pointer, subtype: a}`"},
	} {
		_, err := evaluate(t, c.text, "{loop: {type: struct, members: [{x: loop}]}, a: b, b: {type: array, size: 2, subtype: a}}")
		e, ok := errors.AsType[*data.Error](err)
		if !ok || e.Status != c.status || !strings.Contains(e.Error(), c.want) {
			t.Errorf("%s\n got %v %v\nwant %v %s", c.text, data.StatusOf(err), err, c.status, c.want)
		}
	}
}

// TestRecursiveTypes checks types that lead back to themselves through a pointer, directly
// and in a ring.
func TestRecursiveTypes(t *testing.T) {
	types := `
list: {type: struct, members: [{value: int}, {next: {type: pointer, subtype: list}}]}
ring: {type: struct, members: [{peer: {type: pointer, subtype: other}}]}
other: {type: struct, members: [{back: {type: pointer, subtype: ring}}, {n: char}]}
self: {type: array, size: 2, subtype: {type: pointer, subtype: self}}
`
	list, err := evaluate(t, "list", types)
	if err != nil {
		t.Fatal(err)
	}
	next := list.(*data.Record).Members[1].Type.(*data.Pointer)
	if next.Elem != list || next.String() != "pointer to list" {
		t.Errorf("next is a %s, leads to %p, not %p", next, next.Elem, list)
	}
	ring, err := evaluate(t, "ring", types)
	if err != nil {
		t.Fatal(err)
	}
	other := ring.(*data.Record).Members[0].Type.(*data.Pointer).Elem.(*data.Record)
	if back := other.Members[0].Type.(*data.Pointer).Elem; back != ring {
		t.Errorf("the ring does not close: %v", back)
	}
	self, err := evaluate(t, "self", types)
	if err != nil || self.String() != "array pointer to self [2]" {
		t.Errorf("got %v, %v", self, err)
	}
	again, _ := evaluate(t, "list", types)
	if !data.Equal(list, again) || data.Equal(list, ring) {
		t.Error("recursive types are not compared")
	}
	if outline(data.Densify(list)) != "16/8{value@0:4/4 next@8:8/8}" {
		t.Errorf("%v; want %q", outline(data.Densify(list)), "16/8{value@0:4/4 next@8:8/8}")
	}
}

// TestTypeBombs checks that declarations whose size explodes end in an error.
func TestTypeBombs(t *testing.T) {
	need.Slow(t)
	var types strings.Builder
	types.WriteString("t0: {type: struct, members: [{a: char}, {b: char}]}\n")
	for i := range 60 {
		fmt.Fprintf(&types, "t%d: {type: struct, members: [{a: t%d}, {b: t%d}]}\n", i+1, i, i)
	}
	if _, err := evaluate(t, "t60", types.String()); err == nil || !strings.Contains(err.Error(), "more than 1048576 parts") {
		t.Errorf("got %v", err)
	}
	deep := data.Text("int")
	for range 100_000 {
		deep = data.Map("type", "pointer", "subtype", deep)
	}
	if _, err := data.ParseType(deep, &data.Env{}); err == nil || !strings.Contains(err.Error(), "nested more than 500 deep") {
		t.Errorf("got %v", err)
	}
	shared := data.Text("int")
	for range 40 {
		shared = data.Map("type", "struct", "members", data.List(data.Map("a", shared), data.Map("b", shared)))
	}
	if _, err := data.ParseType(shared, &data.Env{}); err == nil {
		t.Error("a bomb of aliases is read")
	}
}

func TestUserTypes(t *testing.T) {
	types := "{vec: {type: array, subtype: double, size: 3, +unit: m}, p: {type: struct, members: [{v: vec}]}, q: p}"
	typ, err := evaluate(t, "{type: vec, +origin: here}", types)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range typ.Attributes() {
		names = append(names, a.Name)
	}
	if !slices.Equal(names, []string{"unit", "origin"}) {
		t.Errorf("attributes %v, want %v", names, []string{"unit", "origin"})
	}
	q, err := evaluate(t, "q", types)
	if err != nil || q.(*data.Record).Name != "p" {
		t.Errorf("got %v, %v", q, err)
	}
	var env data.Env
	for _, name := range []string{"int", "array", "int8_t", "real"} {
		if err := env.Define(name, data.Text("double")); data.StatusOf(err) != data.StatusType {
			t.Errorf("`%s` can be redefined: %v", name, err)
		}
	}
	if err := env.Provide("MPI_Comm", data.ScalarOf(data.X86_64(), "MPI_Comm", data.Opaque, 8)); err != nil {
		t.Error(err)
	}
	if template, err := data.ParseType(data.Text("MPI_Comm"), &env); err != nil {
		t.Error(err)
	} else if typ, ok := template.Constant(); !ok || typ.Size() != 8 {
		t.Errorf("got %v, want a constant type of 8 bytes", typ)
	}
}

func TestNames(t *testing.T) {
	names := data.TypeNames()
	for _, n := range []string{"int", "int_fast16_t", "size_t", "real", "tuple", "unsigned long long"} {
		if !slices.Contains(names, n) {
			t.Errorf("`%s` is missing", n)
		}
	}
	for _, n := range []string{"size", "int_t", "double_t", "uint", "size_t_t"} {
		if slices.Contains(names, n) {
			t.Errorf("`%s` does not exist", n)
		}
		if _, err := evaluate(t, n, "{}"); err == nil {
			t.Errorf("`%s` is accepted", n)
		}
	}
}

// TestValues lists the expressions of a type in written order.
func TestValues(t *testing.T) {
	env := &data.Env{}
	must(t, env.Define("list", datatest.Tree(t, "{type: struct, members: [{v: {type: array, subtype: int, size: $n}}, {next: {type: pointer, subtype: list}}]}")))
	template, err := data.ParseType(datatest.Tree(t, `
type: record
buffersize: $size
members:
  a: {disp: $at, type: array, subtype: {type: integer, kind: $k}, size: [$x, 4], subsize: [2, $y], start: [0, 1]}
  b: {disp: 8, type: list, +unit: $u}
  c: {disp: 99, type: list}
`), env)
	must(t, err)
	var got []string
	for v := range template.Values() {
		got = append(got, v.Program.Text())
	}
	if want := "$size $at $x $y $k $n $u"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	for range template.Values() {
		break
	}
}

// TestCopyClasses checks the class of the error for a number that does not fit a type.
func TestCopyClasses(t *testing.T) {
	for _, c := range []struct {
		value, typ string
		want       data.Status
	}{
		{"1", "{type: logical, kind: 4}", data.StatusOK},
		{"1", "{type: logical, kind: 16}", data.StatusType},
		{"1", "{type: character, kind: 16}", data.StatusType},
		{"1", "{type: integer, kind: 16}", data.StatusValue},
		{"1", "byte", data.StatusValue},
		{"1.5", "{type: real, kind: 16}", data.StatusValue},
		{"1.5", "{type: logical, kind: 16}", data.StatusValue},
		{"1 + 1", "{type: logical, kind: 16}", data.StatusType},
		{"1 + 1", "{type: real, kind: 2}", data.StatusType},
		{"1 + 1", "byte", data.StatusType},
		{"1 + 1", "{type: array, subtype: int, size: 1}", data.StatusValue},
	} {
		env := &data.Env{Dialect: data.Upstream}
		template, err := data.ParseType(datatest.Tree(t, c.typ), env)
		if err != nil {
			t.Fatal(err)
		}
		typ, _ := template.Constant()
		v, err := env.ParseValue(data.Text(c.value))
		if err != nil {
			t.Fatal(err)
		}
		err = v.CopyTo(typ, data.X86_64(), make([]byte, typ.Size()))
		if got := data.StatusOf(err); got != c.want {
			t.Errorf("%s as %s: %v %v, want %v", c.value, c.typ, got, err, c.want)
		}
	}
}
