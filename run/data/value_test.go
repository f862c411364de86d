package data_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// TestConditions checks that a condition is true if it is not zero.
func TestConditions(t *testing.T) {
	for text, want := range map[string]string{"1 > 2": "false", "1 < 2": "true", "0": "false", "-3": "true", "text": "error"} {
		v, err := (&data.Env{}).ParseValue(data.Text(text))
		must(t, err)
		is, err := v.True()
		got := fmt.Sprint(is)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// TestParseArgument checks that the original program accepts scalars only.
func TestParseArgument(t *testing.T) {
	list := data.List("1", "2")
	for _, c := range []struct {
		n       *data.Node
		dialect data.Dialect
		want    data.Status
	}{
		{data.Text("$x + 1"), data.Documented, data.StatusOK},
		{data.Text("$x + 1"), data.Upstream, data.StatusOK},
		{list, data.Documented, data.StatusOK},
		{list, data.Upstream, data.StatusSpecTree},
		{data.Text("$"), data.Documented, data.StatusValue},
		{data.List("$"), data.Documented, data.StatusValue},
		{data.Map("k", "$"), data.Documented, data.StatusValue},
		{data.Map(data.List("k"), "1"), data.Documented, data.StatusSpecTree},
	} {
		if _, err := (&data.Env{Dialect: c.dialect}).ParseArgument(c.n); data.StatusOf(err) != c.want {
			t.Errorf("%s as %v: %v, want %v", c.n.Flow(strings.Clone), c.dialect, err, c.want)
		}
	}
	if _, err := (&data.Env{}).ParseReference(nil, "x["); data.StatusOf(err) != data.StatusValue {
		t.Errorf("got %v", err)
	}
	deep := data.Text("1")
	for range 500 {
		deep = data.List(deep)
	}
	if _, err := (&data.Env{}).ParseValue(deep); err != nil {
		t.Error(err)
	}
	if _, err := (&data.Env{}).ParseValue(data.Map("k", data.List(deep))); err == nil || !strings.Contains(err.Error(), "values are nested more than 500 deep") {
		t.Errorf("got %v", err)
	}
}

// TestAssign checks that typed-in values can be assigned to any kind of number that can hold
// them, while a copy, which programs make, is stricter. Neither writes to memory that is too
// small.
func TestAssign(t *testing.T) {
	env := &data.Env{}
	m := data.X86_64()
	for _, c := range []struct{ value, typ, assigned, copied string }{
		{"3", "double", "3.0", "VALUE"},
		{"3", "int", "3", "3"},
		{"300", "int8", "VALUE", "44"},
		{"[1, 2]", "{type: array, subtype: float, size: 2}", "[1.0,2.0]", "VALUE"},
		{"$nosuch", "int", "VALUE", "VALUE"},
	} {
		v, err := env.ParseValue(datatest.Tree(t, c.value))
		must(t, err)
		typ, err := evaluate(t, c.typ, "{}")
		must(t, err)
		put := func(call func(data.Type, *data.Machine, []byte) error) string {
			memory := make([]byte, typ.Size())
			if err := call(typ, m, memory); err != nil {
				return data.StatusOf(err).String()
			}
			return string((&data.JSON{Machine: m}).Append(nil, typ, memory))
		}
		assigned, copied := put(v.AssignTo), put(v.CopyTo)
		if assigned != c.assigned || copied != c.copied {
			t.Errorf("%s as %s: assigned %s, want %s; copied %s, want %s", c.value, c.typ, assigned, c.assigned, copied, c.copied)
		}
		for what, call := range map[string]func(data.Type, *data.Machine, []byte) error{"assigned": v.AssignTo, "copied": v.CopyTo} {
			if err := call(typ, m, make([]byte, typ.Size()-1)); data.StatusOf(err) != data.StatusType {
				t.Errorf("%s is %s to memory that is too small: %v", c.value, what, err)
			}
		}
	}
	v, err := env.ParseValue(data.Text("258"))
	must(t, err)
	for _, m := range []*data.Machine{data.X86_64(), data.BigEndian()} {
		for _, call := range []func(data.Type, *data.Machine, []byte) error{v.AssignTo, v.CopyTo} {
			memory, s := make([]byte, 4), data.ScalarOf(m, "int", data.Signed, 4)
			must(t, call(s, m, memory))
			if got := m.Number(s, memory); got != int64(258) {
				t.Errorf("%s: 258 became %v, want %v", m.Name, got, int64(258))
			}
		}
	}
}

// TestNothing checks that without a scope no name has a value and no pointer leads anywhere.
func TestNothing(t *testing.T) {
	v, err := (&data.Env{}).ParseValue(data.Text("$x + 1"))
	must(t, err)
	if _, err := v.Long(); data.StatusOf(err) != data.StatusValue {
		t.Errorf("got %v", err)
	}
	if _, err := v.Double(); data.StatusOf(err) != data.StatusValue {
		t.Errorf("got %v", err)
	}
	if _, err := v.Text(); data.StatusOf(err) != data.StatusValue {
		t.Errorf("got %v", err)
	}
	if v.Constant() {
		t.Error("what depends on a name is constant")
	}
	for text, constant := range map[string]bool{"3": true, "plain": true, "$n": false, "a ${n}": false} {
		v, err := (&data.Env{}).ParseValue(data.Text(text))
		must(t, err)
		if v.Constant() != constant {
			t.Errorf("%s: constant %v, want %v", text, v.Constant(), constant)
		}
	}
}

// TestExpressionClasses checks the class and the node of errors in expressions.
func TestExpressionClasses(t *testing.T) {
	s := newStore(t, "{logging: off, data: {w: int, r: {type: struct, members: [{x: int}]}}}")
	d := int32(1)
	must(t, s.Share("w", &d, data.In), s.Share("r", &d, data.Out))
	for text, want := range map[string]data.Status{"$w": data.StatusPermission, "$r": data.StatusType, "$nosuch": data.StatusValue, "1 / 0": data.StatusValue} {
		n := data.Text(text)
		v, err := s.Env().ParseValue(n)
		must(t, err)
		_, err = v.Long()
		e, ok := err.(*data.Error)
		if !ok || e.Status != want || e.Node != n {
			t.Errorf("%s: %v %v at %v, want %v", text, data.StatusOf(err), err, e.Node, want)
		}
		if _, ok := e.Err.(*expr.Error); !ok {
			t.Errorf("%s: the error inside is %T", text, e.Err)
		}
	}
}

// TestTypeWords checks how messages name types.
func TestTypeWords(t *testing.T) {
	for text, want := range map[string]string{
		"{type: array, subtype: int, size: [2, 3]}":                                 "array int [2][3]",
		"{type: array, subtype: int, size: [5, 3], start: [1, 0], subsize: [2, 3]}": "array int [1..3 of 5][3]",
		"{type: struct, members: [{a: int}]}":                                       "struct",
		"{type: record, buffersize: 4, members: {a: {disp: 0, type: int}}}":         "record",
		"{type: tuple, elements: [int]}":                                            "tuple",
		"pair":                                                                      "tuple pair",
		"point":                                                                     "struct point",
		"{type: pointer, subtype: point}":                                           "pointer to struct point",
		"{type: array, subtype: {type: pointer, subtype: double}, size: 2, start: 0}": "array pointer to double [2]",
	} {
		typ, err := evaluate(t, text, "{pair: {type: tuple, elements: [int, int]}, point: {type: struct, members: [{x: int}]}}")
		must(t, err)
		if typ.String() != want {
			t.Errorf("%s is %s, want %s", text, typ, want)
		}
	}
	for k, want := range map[data.Kind]string{data.Opaque: "unknown", data.Signed: "signed", data.Unsigned: "unsigned", data.Float: "float"} {
		if k.String() != want {
			t.Errorf("kind %d is %s; want %v", k, k, want)
		}
	}
	for a, want := range map[data.Access]string{data.None: "NONE", data.In: "IN", data.Out: "OUT", data.InOut: "INOUT"} {
		if a.String() != want {
			t.Errorf("access %d is %s; want %v", a, a, want)
		}
	}
}

// TestEqual checks that Equal compares layout and meaning, but neither names nor attributes.
func TestEqual(t *testing.T) {
	same := [][]string{
		{"int", "int32", "{type: integer, kind: 4}", "{type: int, +unit: m}"},
		{"uint32", "{type: logical}"}, {"float", "real"}, {"int64"},
		{"{type: array, subtype: int, size: 4}"},
		{"{type: array, subtype: int, size: 5}"},
		{"{type: array, subtype: int, size: 4, subsize: 2}"},
		{"{type: array, subtype: int, size: 4, subsize: 2, start: 1}"},
		{"{type: array, subtype: float, size: 4}"},
		{"{type: struct, members: [{a: int}, {b: int}]}", "{type: record, buffersize: 8, members: {a: {disp: 0, type: int}, b: {disp: 4, type: int}}}"},
		{"{type: struct, members: [{a: int}, {c: int}]}"},
		{"{type: struct, members: [{a: int}, {b: float}]}"},
		{"{type: struct, members: [{a: int}]}"},
		{"{type: record, buffersize: 12, members: {a: {disp: 0, type: int}, b: {disp: 4, type: int}}}"},
		{"{type: record, buffersize: 12, members: {a: {disp: 0, type: int}, b: {disp: 8, type: int}}}"},
		{"{type: tuple, elements: [int, int]}", "{type: tuple, elements: [{x: int}, int]}"},
		{"{type: tuple, elements: [int, float]}"},
		{"{type: tuple, buffersize: 12, elements: [int, int]}"},
		{"{type: pointer, subtype: int}"},
		{"{type: pointer, subtype: float}"},
	}
	var types []data.Type
	var class []int
	var texts []string
	for i, list := range same {
		for _, text := range list {
			typ, err := evaluate(t, text, "{}")
			must(t, err)
			types, class, texts = append(types, typ), append(class, i), append(texts, text)
		}
	}
	for i := range types {
		for j := range types {
			if got := data.Equal(types[i], types[j]); got != (class[i] == class[j]) {
				t.Errorf("%s and %s: equal %v, want %v", texts[i], texts[j], got, (class[i] == class[j]))
			}
		}
	}
	if short := data.ScalarOf(data.I386(), "double", data.Float, 8); data.Equal(short, data.ScalarOf(data.X86_64(), "double", data.Float, 8)) {
		t.Error("numbers of two alignments are equal")
	}
	narrow, err := data.ParseType(data.Map("type", "pointer", "subtype", "int"), &data.Env{Machine: data.ILP32()})
	must(t, err)
	if typ, _ := narrow.Constant(); data.Equal(typ, types[len(types)-2]) {
		t.Error("pointers of two sizes are equal")
	}
	if !data.Equal(nil, nil) || data.Equal(types[0], nil) || data.Equal(nil, types[0]) {
		t.Error("no type is equal to none only")
	}
}

// TestAttributes checks that each use of a type can have its own attributes.
func TestAttributes(t *testing.T) {
	types := "{i: int, a: {type: array, subtype: int, size: 2}, s: {type: struct, members: [{x: int}]}, t: {type: tuple, elements: [int]}, p: {type: pointer, subtype: int}, r: {type: real, kind: 8, +own: 1}}"
	for _, c := range []struct{ name, want string }{{"i", "unit"}, {"a", "unit"}, {"s", "unit"}, {"t", "unit"}, {"p", "unit"}, {"r", "own unit"}} {
		typ, err := evaluate(t, "{type: "+c.name+", +unit: m}", types)
		must(t, err)
		plain, err := evaluate(t, c.name, types)
		must(t, err)
		var names []string
		for _, a := range typ.Attributes() {
			names = append(names, a.Name)
		}
		if got := strings.Join(names, " "); got != c.want || !data.Equal(typ, plain) || len(plain.Attributes()) != len(names)-1 {
			t.Errorf("`%s` has the attributes %s, want %s", c.name, got, c.want)
		}
	}
}

// TestUpstreamKinds checks that upstream reads a `kind` as C reads an integer, and ignores
// anything else.
func TestUpstreamKinds(t *testing.T) {
	for kind, want := range map[string]int64{
		"8": 8, "0x8": 8, "'010'": 8, "' 8'": 8, "\"\\t8\"": 8, "0": 4, "''": 4, "[8]": 4, "8x": 4, "'0b1000'": 4, "'0o10'": 4, "'1_6'": 4,
		"'08'": 4, "$n": 4, "99999999999": 4, "'+8'": 8, "16": 16, "' '": 4, "\"\\x0e8\"": 4,
	} {
		template, err := data.ParseType(datatest.Tree(t, "{type: integer, kind: "+kind+"}"), &data.Env{Dialect: data.Upstream})
		must(t, err)
		if typ, ok := template.Constant(); !ok || typ.Size() != want {
			t.Errorf("the kind %s makes %d bytes, want %d", kind, typ.Size(), want)
		}
	}
}

// TestTypeKeys checks the keys of types, and that a caller may change the list.
func TestTypeKeys(t *testing.T) {
	keys := data.TypeKeys("array")
	slices.Sort(keys)
	if got := strings.Join(keys, " "); got != "size start subsize subtype" {
		t.Errorf("got %s; want %q", got, "size start subsize subtype")
	}
	keys[0] = "changed"
	if slices.Contains(data.TypeKeys("array"), "changed") || len(data.TypeKeys("int")) != 0 {
		t.Error("the table is the caller's")
	}
}

// TestDeclarationFindings checks what a checker reports on declarations: the text, the
// suggestion, and related places.
func TestDeclarationFindings(t *testing.T) {
	many := "type: int"
	for i := range 20 {
		many += fmt.Sprintf(", +k%d: 1", i)
	}
	for _, c := range []struct{ text, want string }{
		{"{tpye: int}", "1:1 error: the key `type` is missing; 1:2 did you mean `type`?"},
		{"{'type:int': }", "1:1 error: the key `type` is missing (write a blank after the colon: `type: int`)"},
		{"{<<: {type: int}}", "1:2 error: `<<` merges nothing: to PDI it is a key like any other (write the keys out, or use an alias for the whole value)"},
		{"{type: int, +a: 1, +a: 2}", "1:20 warning: the key `+a` is there twice (keep one of them; the original program takes the first); 1:13 first here"},
		{"{" + many + ", +k7: 2}", "1:183 warning: the key `+k7` is there twice (keep one of them; the original program takes the first); 1:69 first here"},
		{"{type: mine, size: 3}", "1:14 warning: `mine` has no key `size`, it is ignored (only an `array` has a size: `{type: array, subtype: mine, size: …}`)"},
		{"{type: mine, knd: 3}", "1:14 warning: `mine` has no key `knd`, it is ignored (write it where `mine` is declared; where it is used, only `+attributes` may be added)"},
		{"{type: real, knd: 3}", "1:14 warning: `real` has no key `knd`, it is ignored [kind]"},
		{"{type: pointer, subtyp: int}", "1:17 error: `pointer` has no key `subtyp`, it is ignored [subtype]"},
		{"{type: ' int'}", "1:8 error: ` int` is not a type: it is surrounded by blanks or a line break"},
		{"{type: ''}", "1:8 error: expected a type, found nothing"},
		{"{type: string}", "1:8 error: unknown type `string` (write `{type: array, subtype: char, size: N}`)"},
		{"{type: mien}", "1:8 error: unknown type `mien` [mine]"},
		{"{type: array, subtype: int, size: {a: 1}}", "1:35 error: expected a number, an expression or a list of them after `size`, found a mapping"},
		{"{type: array, subtype: int, size: 3, start: {a: 1}}", "1:45 warning: expected a number, an expression or a list of them after `start`, found a mapping"},
		{"{type: array, subtype: int, size: 2.5}", "1:35 error: expected a whole number after `size`, found `2.5` (write 2 or 3)"},
		{"{type: array, subtype: int, size: [[2]]}", "1:36 error: expected a number or an expression after `size`, found a sequence"},
		{"{type: struct, members: [{a: int}, {b: char}, {a: char}]}", "1:48 error: member `a` is declared twice (keep one of them); 1:27 first here"},
		{"{type: struct, members: [{[a]: int}]}", "1:27 error: expected the name of a member, found a sequence"},
		{"{type: struct, members: [{}]}", "1:26 error: expected one member, `name: type`, found a mapping"},
		{"{type: tuple, elements: {a: int}}", "1:25 error: expected the elements of a tuple as a list, found a mapping"},
		{"{type: record, buffersize: 8, members: [a]}", "1:40 error: expected the members of a record as a mapping `name: {disp: N, type: T}`, found a sequence"},
		{"{type: record, buffersize: 8, members: {a: {dips: 0, type: int}}}", "1:45 error: `int` has no key `dips`, it is ignored [disp]"},
		{"{type: record, buffersize: 8, members: {a: {disp: -1, type: int}}}", "1:44 error: member `a` is at offset -1, which is negative"},
		{"{type: struct, members: [{a: {type: array, subtype: char, size: 9223372036854775807}}, {b: char}]}", "1:92 error: member `b` ends outside any possible memory"},
		{"{type: struct, members: [{a: {type: array, subtype: char, size: 9223372036854775800}}, {b: char}, {c: double}]}", "1:103 error: member `c` ends outside any possible memory"},
		{"{type: array, subtype: int, size: 4, start: -1, subsize: 2}", "1:45 error: `start` is -1, which is negative"},
		{"{type: array, subtype: int, size: 4, subsize: -1}", "1:47 error: `subsize` is -1, which is negative"},
		{"{type: array, subtype: int, size: 4, start: 3, subsize: 2}", "1:45 error: elements 3 to 4 are outside an array of 4: `start` + `subsize` may be at most `size`"},
	} {
		env := &data.Env{Lint: true}
		must(t, env.Define("mine", data.Text("int")))
		_, problems := env.Read(datatest.Tree(t, c.text))
		var got []string
		for _, e := range problems {
			if e.Severity == problem.Info {
				continue
			}
			text := fmt.Sprintf("%s %s: %s", strings.TrimPrefix(e.Span.String(), "spec.yml:"), e.Severity, e.Message)
			if e.Expected != "" {
				text += " (" + e.Expected + ")"
			}
			if e.Suggestion != "" {
				text += " [" + e.Suggestion + "]"
			}
			for _, r := range e.Related {
				text += "; " + strings.TrimPrefix(r.Span.String(), "spec.yml:") + " " + r.Message
			}
			got = append(got, text)
		}
		if s := strings.Join(got, " | "); s != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, s, c.want)
		}
	}
}
