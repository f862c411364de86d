package data_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
)

const particle = `
type: struct
members:
  - id: int32
  - pos: {type: array, subtype: double, size: 3}
  - next: {type: pointer, subtype: double}
  - kind: char
`

func TestLayout(t *testing.T) {
	for _, c := range []struct {
		machine *data.Machine
		want    string
	}{
		{data.X86_64(), "id 0 4, hole 4 4, pos 8 24, next 32 8, kind 40 1, padding 41 7"},
		{data.ILP32(), "id 0 4, hole 4 4, pos 8 24, next 32 4, kind 36 1, padding 37 3"},
		{data.I386(), "id 0 4, pos 4 24, next 28 4, kind 32 1, padding 33 3"},
	} {
		template, err := data.ParseType(datatest.Tree(t, particle), &data.Env{Machine: c.machine})
		if err != nil {
			t.Fatal(err)
		}
		typ, _ := template.Constant()
		var rows []string
		for _, r := range data.Layout(typ) {
			name := r.Name
			if r.Type == nil {
				name = map[bool]string{false: "hole", true: "padding"}[r.Tail]
			}
			rows = append(rows, fmt.Sprintf("%s %d %d", name, r.Offset, r.Size))
		}
		if got := strings.Join(rows, ", "); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.machine.Name, got, c.want)
		}
	}
	nested, err := evaluate(t, "{type: struct, members: [{a: char}, {in: {type: tuple, elements: [char, {x: int}]}}]}", "{}")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, r := range data.Layout(nested) {
		rows = append(rows, fmt.Sprintf("%d%s@%d", r.Depth, r.Name, r.Offset))
	}
	if got, want := strings.Join(rows, " "), "0a@0 0@1 0in@4 1[0]@4 1@5 1x@8"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAdvise(t *testing.T) {
	for _, c := range []struct{ members, want string }{
		{"[{id: int32}, {pos: double}, {kind: char}]", "move kind after id saves 8 [id kind pos]"},
		{"[{a: char}, {b: double}, {c: char}, {d: double}, {e: char}]", "move  after  saves 16 [b d a c e]"},
		{"[{a: char}, {b: int}, {c: short}]", "move c after a saves 4 [a c b]"},
		{"[{a: double}, {b: char}]", ""},
		{"[{a: char}]", ""},
	} {
		typ, err := evaluate(t, "{type: struct, members: "+c.members+"}", "{}")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if a, ok := data.Advise(typ.(*data.Record)); ok {
			got = fmt.Sprintf("move %s after %s saves %d %v", a.Move, a.After, a.Saves, a.Order)
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.members, got, c.want)
		}
	}
}

// TestAdviceHolds declares structs in the advised order: they must be smaller by the
// promised number of bytes.
func TestAdviceHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := []string{"char", "short", "int", "double", "float", "int64", "int8"}
		var list []string
		declare := map[string]string{}
		for i := range rapid.IntRange(1, 9).Draw(t, "members") {
			name := fmt.Sprintf("m%d", i)
			declare[name] = rapid.SampledFrom(words).Draw(t, "type")
			list = append(list, name)
		}
		size := func(order []string) (data.Type, int64) {
			members := data.List()
			for _, n := range order {
				members.Items = append(members.Items, data.Map(n, declare[n]))
			}
			template, err := data.ParseType(data.Map("type", "struct", "members", members), &data.Env{})
			if err != nil {
				t.Fatal(err)
			}
			typ, _ := template.Constant()
			return typ, typ.Size()
		}
		typ, before := size(list)
		advice, ok := data.Advise(typ.(*data.Record))
		if !ok {
			return
		}
		if _, after := size(advice.Order); before-after != advice.Saves || advice.Saves <= 0 {
			t.Fatalf("%v: %d bytes, advised %v: %d, promised %d; want before - after = %v and advice.Saves more than 0", list, before, advice.Order, after, advice.Saves, advice.Saves)
		}
		if got := slices.Clone(advice.Order); len(got) != len(list) {
			t.Fatalf("%v is no order of %v", got, list)
		}
	})
}

const everything = `
type: struct
members:
  - c: char
  - n: {type: array, subtype: int16, size: [3, 2], start: [1, 0], subsize: [2, 1]}
  - name: {type: array, subtype: char, size: 6}
  - p: {type: pointer, subtype: int}
  - t: {type: tuple, elements: [float, {d: double}]}
  - big: {type: integer, kind: 16}
  - half: {type: real, kind: 2}
  - quad: {type: real, kind: 16}
  - raw: byte
`

func TestDecode(t *testing.T) {
	for _, m := range []*data.Machine{data.X86_64(), data.BigEndian()} {
		template, err := data.ParseType(datatest.Tree(t, everything), &data.Env{Machine: m})
		if err != nil {
			t.Fatal(err)
		}
		typ, _ := template.Constant()
		memory := make([]byte, typ.Size())
		put := func(at int64, bytes ...byte) { // most significant first
			if !m.BigEndian {
				slices.Reverse(bytes)
			}
			copy(memory[at:], bytes)
		}
		r := typ.(*data.Record)
		at := func(name string) int64 {
			return r.Members[slices.IndexFunc(r.Members, func(m data.Member) bool { return m.Name == name })].Offset
		}
		memory[0] = 200
		put(at("n")+4, 0xff, 0xfe)
		put(at("n")+8, 0x01, 0x00)
		copy(memory[at("name"):], "heat\x00x")
		put(at("p"), 0, 0, 0, 0, 0, 0, 0x12, 0x34)
		put(at("t"), 0x3f, 0xc0, 0, 0)
		put(at("t")+8, 0xc0, 0, 0, 0, 0, 0, 0, 0)
		put(at("big"), slices.Repeat([]byte{0xff}, 16)...)
		put(at("half"), 0x3e, 0x00)
		put(at("quad"), append([]byte{0x3f, 0xff, 0x80}, make([]byte, 13)...)...)
		memory[at("raw")] = 7

		fields, err := data.Decode(typ, m, memory)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for f := range fields {
			got = append(got, fmt.Sprintf("%s=%v", f.Path, f.Value))
		}
		want := "c=200 n[0][0]=-2 n[1][0]=256 name=heat p=4660 t[0]=1.5 t.d=-2 big=-1 half=1.5 quad=1.5 raw=[7]"
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s\n got %s\nwant %s", m.Name, s, want)
		}
		j := data.JSON{Machine: m}
		text := j.Append(nil, typ, memory)
		wantJSON := `{"c":200,"n":[[-2],[256]],"name":"heat","p":null,"t":[1.5,-2.0],"big":-1,"half":1.5,"quad":1.5,"raw":null}`
		if string(text) != wantJSON {
			t.Errorf("%s\n got %s\nwant %s", m.Name, text, wantJSON)
		}
		j.Indent = "  "
		if text := j.Append(nil, typ, memory); !json.Valid(text) || !strings.Contains(string(text), "\n  \"name\": \"heat\",\n") {
			t.Errorf("indented:\n%s\nwant valid JSON, indented by 2", text)
		}
		if _, err := data.Decode(typ, m, memory[:10]); err == nil {
			t.Error("a short memory is decoded")
		}
	}
}

func TestNumber(t *testing.T) {
	m := data.X86_64()
	half := data.ScalarOf(m, "real", data.Float, 2)
	quad := data.ScalarOf(m, "real", data.Float, 16)
	for _, c := range []struct {
		s    *data.Scalar
		b    []byte
		want float64
	}{
		{half, []byte{0x00, 0x7c}, math.Inf(1)},
		{half, []byte{0x00, 0xfc}, math.Inf(-1)},
		{half, []byte{0x01, 0x00}, math.Ldexp(1, -24)},
		{half, []byte{0xff, 0x7b}, 65504},
		{quad, append(make([]byte, 14), 0xff, 0x7f), math.Inf(1)},
		{quad, append(make([]byte, 14), 0x00, 0xc0), -2},
		{quad, make([]byte, 16), 0},
	} {
		var got float64
		switch v := m.Number(c.s, c.b).(type) {
		case float32:
			got = float64(v)
		case float64:
			got = v
		}
		if got != c.want {
			t.Errorf("%x is %v, want %v", c.b, got, c.want)
		}
	}
	if v := m.Number(half, []byte{0x01, 0x7e}).(float32); v == v {
		t.Errorf("a NaN is %v, want other than %v", v, v)
	}
}
