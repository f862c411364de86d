package data_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
)

// TestMachines compares the sizes and alignments of the presets with those of the ABIs.
func TestMachines(t *testing.T) {
	want := map[string]string{
		"x86-64":        "64 bit, little-endian: long 8 pointer 8 fast 8 8, int64@8 double@8 quad@16, char signed true",
		"lp64":          "64 bit, little-endian: long 8 pointer 8 fast 8 8, int64@8 double@8 quad@16, char signed false",
		"llp64":         "64 bit, little-endian: long 4 pointer 8 fast 4 4, int64@8 double@8 quad@16, char signed true",
		"ilp32":         "32 bit, little-endian: long 4 pointer 4 fast 4 4, int64@8 double@8 quad@8, char signed false",
		"i386":          "32 bit, little-endian: long 4 pointer 4 fast 4 4, int64@4 double@4 quad@16, char signed true",
		"big-endian":    "64 bit, big-endian: long 8 pointer 8 fast 8 8, int64@8 double@8 quad@16, char signed false",
		"big-endian-32": "32 bit, big-endian: long 4 pointer 4 fast 4 4, int64@8 double@8 quad@8, char signed false",
	}
	for _, m := range data.Machines() {
		align := func(text string) int64 {
			template, err := data.ParseType(datatest.Tree(t, text), &data.Env{Machine: m})
			must(t, err)
			typ, _ := template.Constant()
			return typ.Align()
		}
		size := func(text string) int64 {
			template, err := data.ParseType(datatest.Tree(t, text), &data.Env{Machine: m})
			must(t, err)
			typ, _ := template.Constant()
			return typ.Size()
		}
		got := fmt.Sprintf("%s: long %d pointer %d fast %d %d, int64@%d double@%d quad@%d, char signed %v", m,
			size("long"), size("{type: pointer, subtype: int}"), size("int_fast16_t"), size("uint_fast32_t"),
			align("int64"), align("double"), align("{type: real, kind: 16}"), m.CharSigned)
		if got != want[m.Name] {
			t.Errorf("%s\n got %s\nwant %s", m.Name, got, want[m.Name])
		}
		for word, bytes := range map[string]int64{"short": 2, "int": 4, "long long": 8, "size_t": m.Pointer, "ptrdiff_t": m.Pointer, "intptr_t": m.Pointer,
			"integer": 4, "real": 4, "logical": 4, "character": 1, "{type: integer, kind: 32}": 32} {
			if size(word) != bytes {
				t.Errorf("%s: `%s` has %d bytes, want %v", m.Name, word, size(word), bytes)
			}
		}
		if align("{type: integer, kind: 32}") != 32 {
			t.Errorf("%s: what no processor has is aligned to %d", m.Name, align("{type: integer, kind: 32}"))
		}
		delete(want, m.Name)
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
}

// TestPutInteger checks that Number reads back what PutInteger writes, on every machine
// and in every size.
func TestPutInteger(t *testing.T) {
	for _, m := range data.Machines() {
		for _, size := range []int64{1, 2, 4, 8} {
			for _, kind := range []data.Kind{data.Signed, data.Unsigned} {
				s := data.ScalarOf(m, "n", kind, size)
				b := []byte{9, 9, 9, 9, 9, 9, 9, 9, 9}
				for _, v := range []int64{0, 1, 100, -2, math.MinInt64 >> (64 - 8*size)} {
					m.PutInteger(s, b, uint64(v))
					want := fmt.Sprint(v)
					if kind == data.Unsigned {
						want = fmt.Sprint(uint64(v) << (64 - 8*size) >> (64 - 8*size))
					}
					if got := fmt.Sprint(m.Number(s, b)); got != want {
						t.Errorf("%s: %d in %d bytes is %s, want %s", m.Name, v, size, got, want)
					}
					if b[size] != 9 {
						t.Errorf("%s: the byte after %d bytes is written, want 9", m.Name, size)
					}
				}
			}
		}
	}
}

// TestWideNumbers reads integers that are too large for Go's integer types.
func TestWideNumbers(t *testing.T) {
	for _, m := range []*data.Machine{data.X86_64(), data.BigEndian()} {
		b := make([]byte, 16)
		for i := range b {
			b[i] = byte(i + 1)
		}
		high := len(b) - 1
		if m.BigEndian {
			high = 0
		}
		b[high] = 0x80
		value := func(kind data.Kind) *big.Int {
			return m.Number(data.ScalarOf(m, "n", kind, 16), b).(*big.Int)
		}
		u, s := value(data.Unsigned), value(data.Signed)
		if u.Sign() < 0 || u.BitLen() != 128 || s.Sign() >= 0 || new(big.Int).Sub(u, s).Cmp(new(big.Int).Lsh(big.NewInt(1), 128)) != 0 {
			t.Errorf("%s: unsigned %v, signed %v; want 128 bits, the signed value negative and less by 1<<128", m.Name, u, s)
		}
		b[high] = 0x7f
		if value(data.Unsigned).Cmp(value(data.Signed)) != 0 {
			t.Errorf("%s: a number without its highest bit has two values", m.Name)
		}
		text := (&data.JSON{Machine: m}).Append(nil, data.ScalarOf(m, "n", data.Signed, 16), b)
		if string(text) != value(data.Signed).String() {
			t.Errorf("%s: %s in JSON, want %v", m.Name, text, value(data.Signed))
		}
	}
}

// TestQuad checks that the upper bits of a 112-bit fraction are kept, and the sign.
func TestQuad(t *testing.T) {
	m := data.X86_64()
	s := data.ScalarOf(m, "real", data.Float, 16)
	word := func(hi, lo uint64) []byte {
		b := make([]byte, 16)
		for i := range 8 {
			b[i], b[8+i] = byte(lo>>(8*i)), byte(hi>>(8*i))
		}
		return b
	}
	for _, c := range []struct {
		hi, lo uint64
		want   float64
	}{
		{0x3fff_0000_0000_0001, 0xf000_0000_0000_0000, 1 + math.Ldexp(1, -48) + math.Ldexp(15, -52)},
		{0xbffe_8000_0000_0000, 0, -0.75},
		{0x7fff_0000_0000_0000, 0, math.Inf(1)},
		{0xffff_0000_0000_0000, 0, math.Inf(-1)},
		{0x7fff_0000_0000_0000, 1, math.NaN()},
		{0x7fff_0000_0000_0001, 0, math.NaN()},
		{0x0000_0000_0000_0001, 0, 0},
	} {
		if got := m.Number(s, word(c.hi, c.lo)).(float64); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%x %x is %v, want %v", c.hi, c.lo, got, c.want)
		}
	}
}

// TestJSON writes values in every form of JSON that plugins and users need.
func TestJSON(t *testing.T) {
	typ, err := evaluate(t, `
type: struct
members:
  - name: {type: array, subtype: char, size: 4}
  - c: char
  - b: {type: array, subtype: int8, size: [2, 2]}
  - p: {type: pointer, subtype: float}
  - a: {type: array, subtype: double, size: 3}
  - none: {type: array, subtype: int, size: 0}
  - empty: {type: array, subtype: {type: tuple}, size: 3}
`, "{}")
	must(t, err)
	memory := make([]byte, typ.Size())
	copy(memory, "heatx\x01\x02\x03\xff")
	for i, f := range []float64{1, math.Inf(1), 0.5} {
		for k := range 8 {
			memory[24+8*i+k] = byte(math.Float64bits(f) >> (8 * k))
		}
	}
	target := []byte{0, 0, 0x20, 0x40}
	deref := func(*data.Pointer, []byte) []byte { return target }
	for _, c := range []struct {
		name string
		json data.JSON
		want string
	}{
		{"plain", data.JSON{}, `{"name":"heat","c":120,"b":[[1,2],[3,-1]],"p":null,"a":[1.0,null,0.5],"none":[],"empty":[]}`},
		{"with pointers", data.JSON{Deref: deref}, `{"name":"heat","c":120,"b":[[1,2],[3,-1]],"p":2.5,"a":[1.0,null,0.5],"none":[],"empty":[]}`},
		{"with nothing there", data.JSON{Deref: func(*data.Pointer, []byte) []byte { return nil }}, `{"name":"heat","c":120,"b":[[1,2],[3,-1]],"p":null,"a":[1.0,null,0.5],"none":[],"empty":[]}`},
		{"indented", data.JSON{Indent: "  "}, `{
  "name": "heat",
  "c": 120,
  "b": [
    [1, 2],
    [3, -1]
  ],
  "p": null,
  "a": [1.0, null, 0.5],
  "none": [],
  "empty": []
}`},
		{"as upstream", data.JSON{Indent: " ", TextList: true, Spread: true}, `{
 "a": [
  1.0,
  null,
  0.5
 ],
 "b": [
  [
   1,
   2
  ],
  [
   3,
   -1
  ]
 ],
 "c": "x",
 "empty": [],
 "name": [
  "heat"
 ],
 "none": [],
 "p": null
}`},
	} {
		c.json.Machine = data.X86_64()
		if got := string(c.json.Append(nil, typ, memory)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	j := data.JSON{Machine: data.X86_64(), Indent: "  "}
	if got := string(j.AppendObject([]byte("> "), "it\"s", data.ScalarOf(j.Machine, "int", data.Signed, 4), []byte{3, 0, 0, 0})); got != "> {\n  \"it\\\"s\": 3\n}" {
		t.Errorf("an object: %s; want %q", got, "> {\n  \"it\\\"s\": 3\n}")
	}

	// A ring of pointers must end.
	list, err := evaluate(t, "list", "{list: {type: struct, members: [{next: {type: pointer, subtype: list}}]}}")
	must(t, err)
	ring := data.JSON{Machine: data.X86_64(), Deref: func(*data.Pointer, []byte) []byte { return make([]byte, 8) }}
	if got := string(ring.Append(nil, list, make([]byte, 8))); !strings.HasSuffix(got, "null"+strings.Repeat("}", strings.Count(got, "{"))) || strings.Count(got, "{") < 100 {
		t.Errorf("a ring is %.100s, want got = %q at the end and strings.Count(got, \"{\") at least 100", got, "null"+strings.Repeat("}", strings.Count(got, "{")))
	}
}
