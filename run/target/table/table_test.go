package table_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

const own = `{
  "origin": "the machine in the cellar",
  "architectures": [
    {"pu": "CPU", "name": "Quad", "aliases": {"quad64": 64},
     "isas": [{"modes": [{"bits": 64, "endianness": ["Big"], "registers": ["g0..g3", "sp"]}],
       "features": [{"key": "mul"}, {"key": "vec", "name": "Vec", "implies": ["mul"], "aliases": ["vector"]}, {"key": "wide", "implies": ["vec"]}],
       "simd": ["vec"], "conflicts": [["mul", "wide"]], "processors": {"q1": {"features": ["vec"]}}}]},
    {"pu": "CPU", "name": "x86",
     "isas": [{"modes": [{"bits": 64}], "features": [{"key": "turbo", "implies": ["avx2"]}]}]}],
  "abis": [{"name": "QuadCall", "arch": "Quad", "modes": [64], "parameters": ["g0..g2"], "stack": 8}]
}`

func TestWith(t *testing.T) {
	before, _ := builtin.Tables().Arch("CPU", "x86")
	tb, err := builtin.Tables().With(strings.NewReader(own))
	if err != nil {
		t.Fatal(err)
	}
	q, mode := tb.Arch("CPU", "QUAD64")
	if q == nil || mode != 64 {
		t.Fatal("no Quad")
	}
	s, m := q.Mode(64)
	if set, _ := s.Meaning([]string{"wide"}); !slices.Equal(set.List().Names(s), []string{"MUL", "Vec", "WIDE"}) {
		t.Errorf("closure %v, want %v", set.List().Names(s), []string{"MUL", "Vec", "WIDE"})
	}
	if m.Alignment != 8 || m.Endianness[0] != "Big" || !m.HasRegister("G3") || m.HasRegister("g4") {
		t.Errorf("%+v, want Big first, alignment 8, and a register G3, but no g4", m)
	}
	if abi, _ := tb.ABI("quadcall", "CPU", "Quad", 64); abi == nil || !slices.Equal(abi.Parameters, []string{"g0", "g1", "g2"}) {
		t.Errorf("%+v, want an ABI with the parameters %v", abi, []string{"g0", "g1", "g2"})
	}
	x, _ := tb.Arch("CPU", "x86")
	s, _ = x.Mode(64)
	f := s.Feature("TURBO")
	if f.Feature == nil || !slices.Contains(f.Implies.Names(s), "SSE4.2") {
		t.Errorf("TURBO %+v, want f.Feature not nil and %q in f.Implies.Names(s)", f.Feature, "SSE4.2")
	}
	if s.Feature("AVX2").Feature == nil || len(x.Bits()) != 3 {
		t.Error("the built-in part of x86 is gone")
	}
	old, _ := before.Mode(64)
	if old.Feature("TURBO").Feature != nil {
		t.Error("the built-in tables changed")
	}
}

func TestWithErrors(t *testing.T) {
	arch := func(isa string) string {
		return `{"architectures":[{"pu":"CPU","name":"Q","isas":[` + isa + `]}]}`
	}
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", "line 1: the table ends too early"},
		{"not JSON", "{\n oops}", "line 2: this is not JSON: `oops}`"},
		{"unknown key", "{\n\"architecture\": []}", "line 2: a table has no key `architecture`"},
		{"type", "{\"architectures\":\n 7}", "line 2: `architectures` must be a list, found number"},
		{"after", "{}{}", "line 1: text after the end of the table"},
		{"pu", `{"architectures":[{"pu":"FPGA","name":"Q"}]}`, "architecture `Q` of FPGA: `pu` must be CPU, GPU, NPU or DSP, not `FPGA`"},
		{"no name", `{"architectures":[{"pu":"CPU"}]}`, "architecture `` of CPU: it needs a `name`"},
		{"no isa", `{"architectures":[{"pu":"CPU","name":"Q"}]}`, "architecture `Q` of CPU: it needs at least one entry in `isas`"},
		{"no mode", arch(`{}`), "architecture `Q` of CPU: an instruction set needs `modes`"},
		{"bits", arch(`{"modes":[{"bits":4}]}`), "architecture `Q` of CPU: mode 4: `bits` must be between 8 and 128"},
		{"no endianness", arch(`{"modes":[{"bits":32}]}`), "architecture `Q` of CPU: mode 32: it needs `endianness`"},
		{"a version", arch(`{"modes":[{"bits":32,"endianness":["Little"],"layouts":{"Little@new":"e"}}]}`), "architecture `Q` of CPU: mode 32: `layouts`: `@` must be followed by a version of LLVM, not `new`"},
		{"endianness", arch(`{"modes":[{"bits":32,"endianness":["little"]}]}`), "architecture `Q` of CPU: mode 32: endianness must be Little or Big, not `little`"},
		{"alignment", arch(`{"modes":[{"bits":32,"endianness":["Little"],"alignment":3}]}`), "architecture `Q` of CPU: mode 32: `alignment` must be a power of 2, not 3"},
		{"model", arch(`{"modes":[{"bits":32,"endianness":["Little"],"models":["flat"]}]}`), "architecture `Q` of CPU: mode 32: a memory model is Protected, Flat or Segmented, not `flat`"},
		{"register", arch(`{"modes":[{"bits":32,"endianness":["Little"],"registers":["r0..s9"]}]}`), "architecture `Q` of CPU: mode 32: `r0..s9` is neither a register nor a range such as r8..r15"},
		{"twice", arch(`{"modes":[{"bits":32,"endianness":["Little"]}],"features":[{"key":"a"},{"key":"a"}]}`), "architecture `Q` of CPU: feature `a` is defined twice"},
		{"collision", arch(`{"modes":[{"bits":32,"endianness":["Little"]}],"features":[{"key":"a.b"},{"key":"ab"}]}`), "architecture `Q` of CPU: `ab` would mean both `A.B` and `AB`"},
		{"implies", arch(`{"modes":[{"bits":32,"endianness":["Little"]}],"features":[{"key":"a","implies":["b"]}]}`), "architecture `Q` of CPU: `implies` of `a`: `b` is not one of its features"},
		{"cycle", arch(`{"modes":[{"bits":32,"endianness":["Little"]}],"features":[{"key":"a","implies":["b"]},{"key":"b","implies":["a"]}]}`), "architecture `Q` of CPU: `B` and `A` imply each other"},
		{"set", arch(`{"modes":[{"bits":32,"endianness":["Little"]}],"simd":["v"]}`), "architecture `Q` of CPU: `simd`: `v` is not one of its features"},
		{"alias taken", `{"architectures":[{"pu":"CPU","name":"Q","aliases":{"amd64":64},"isas":[{"modes":[{"bits":64,"endianness":["Little"]}]}]}]}`, "architecture `Q` of CPU: alias `amd64` already means `x86`"},
		{"abi", `{"abis":[{"arch":"x86"}]}`, "ABI ``: it needs a `name`"},
	} {
		_, err := builtin.Tables().With(strings.NewReader(c.in))
		var p *problem.Problem
		if !errors.As(err, &p) || p.Kind != table.Malformed || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// An ABI of a file replaces the one with the same name on the same architecture and modes, and no other.
func TestABIReplaced(t *testing.T) {
	tb, err := builtin.Tables().With(strings.NewReader(`{"abis":[{"name":"system-v","arch":"x86","modes":[64],"stack":64}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(tb.ABIs) != len(builtin.Tables().ABIs) {
		t.Errorf("%d ABIs became %d, want as many", len(builtin.Tables().ABIs), len(tb.ABIs))
	}
	if abi, _ := tb.ABI("SystemV", "CPU", "x86", 64); abi == nil || abi.Stack != 64 || abi.Parameters != nil {
		t.Errorf("%+v, want the ABI of the file: a stack of 64, and no parameters", abi)
	}
	for _, old := range builtin.Tables().ABIs {
		if old.Arch == "x86" && old.Name == "SystemV" {
			continue
		}
		if !slices.ContainsFunc(tb.ABIs, func(a table.ABI) bool { return reflect.DeepEqual(a, old) }) {
			t.Errorf("%s of %s is gone, want it as it was", old.Name, old.Arch)
		}
	}
}

const variants = `{"architectures":[{"pu":"CPU","name":"Q","isas":[{"modes":[
  {"bits":32,"endianness":["Little"],"layouts":{"Little":"e","Little/Soft":"e-soft","Little/PE":"e-pe","Little@15":"e-15","Little@13":"e-13","Little/Raw@18":"e-raw","Big":"E"}},
  {"bits":64,"endianness":["Little"]}],
  "features":[{"key":"all"},{"key":"wide","modes":[64]}]}]}]}`

// A layout depends on the byte order, the ABI and the output format; a feature may exist in some modes only.
func TestModes(t *testing.T) {
	tb, err := builtin.Tables().With(strings.NewReader(variants))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := tb.Arch("CPU", "Q")
	s, m := a.Mode(32)
	for _, c := range []struct {
		version                   int
		endian, abi, format, want string
	}{
		{0, "Little", "", "", "e"},
		{0, "Little", "", "ELF", "e"},
		{0, "Little", "", "Raw", "e"},
		{0, "Big", "", "ELF", "E"},
		{0, "Little", "Soft", "ELF", "e-soft"},
		{0, "Little", "Hard", "ELF", "e"},
		{0, "Little", "Soft", "PE", "e-pe"},
		{0, "Little", "", "Mach-O", ""},
		{0, "Big", "", "PE", ""},
		{12, "Little", "", "", "e-13"},
		{13, "Little", "", "", "e-13"},
		{14, "Little", "", "", "e-15"},
		{15, "Little", "Hard", "ELF", "e-15"},
		{16, "Little", "", "", "e"},
		{13, "Little", "Soft", "", "e-soft"},
		{18, "Little", "", "Raw", "e-raw"},
		{19, "Little", "", "Raw", "e"},
	} {
		if got := m.Layout(c.version, c.endian, c.abi, c.format); got != c.want {
			t.Errorf("%+v: %q, want %v", c, got, c.want)
		}
	}
	all, wide := s.Feature("ALL"), s.Feature("WIDE")
	if !all.Works(32) || !all.Works(64) || wide.Works(32) || !wide.Works(64) {
		t.Error("a feature works in the wrong modes")
	}
}

// A set holds exactly the added features, whatever their number.
func TestSet(t *testing.T) {
	a, _ := builtin.Tables().Arch("CPU", "x86")
	s, _ := a.Mode(64)
	for i := range s.Features {
		one := table.Features{table.ID(i)}
		set := one.Set()
		for k := range s.Features {
			if set.Has(table.ID(k)) != (k == i) {
				t.Fatalf("the set of feature %d: has %d is %v, want %v", i, k, set.Has(table.ID(k)), (k == i))
			}
		}
		if !slices.Equal(set.List(), one) {
			t.Fatalf("the set of feature %d lists %v, want %v", i, set.List(), one)
		}
	}
}

// A sign or `no` before a feature is not part of its name.
func TestPrefix(t *testing.T) {
	tb, err := builtin.Tables().With(strings.NewReader(own))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := tb.Arch("CPU", "Quad")
	s, _ := a.Mode(64)
	for name, how := range map[string]table.How{
		"Vec": table.Canonical, "VEC": table.Respelt, "vector": table.Aliased,
		"+vec": table.Prefixed, "-vec": table.Prefixed, "no-vec": table.Prefixed, "+": table.Unknown, "-vex": table.Unknown,
	} {
		if m := s.Feature(name); m.How != how || (m.Feature != nil) != (how != table.Unknown) {
			t.Errorf("%s: %d, want %d", name, m.How, how)
		}
	}
}

func TestNormal(t *testing.T) {
	for in, want := range map[string]string{"SSE4.2": "sse42", "a_b-c d": "abcd", "c64x+": "c64x+", "": "", "...": "", "Zba": "zba"} {
		if got := table.Normal(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestMarchOrder(t *testing.T) {
	keys := []string{"xtheadba", "zba", "c", "sstc", "v", "d", "i", "zicsr", "m", "f", "a"}
	table.MarchOrder(keys)
	if got := strings.Join(keys, " "); got != "i m a f d c v sstc zba zicsr xtheadba" {
		t.Errorf("%v; want %q", got, "i m a f d c v sstc zba zicsr xtheadba")
	}
}

// FuzzWith: merging a table never removes anything. Implied features are complete, and every listed register exists.
func FuzzWith(f *testing.F) {
	f.Add(own)
	f.Add(`{"architectures":[{"pu":"GPU","name":"A","isas":[{"modes":[{"bits":8,"endianness":["Big"]}],"open":true}]}]}`)
	f.Add(`{"abis":[{"name":"A","any":true}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		tb, err := builtin.Tables().With(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, old := range builtin.Tables().Archs {
			a, _ := tb.Arch(old.PU, old.Name)
			if a == nil {
				t.Fatalf("%s of %s is gone, want one", old.Name, old.PU)
			}
			for i := range old.ISAs {
				kept(t, &old.ISAs[i], a)
			}
		}
		for _, a := range tb.Archs {
			for i := range a.ISAs {
				closed(t, &a.ISAs[i])
			}
		}
	})
}

// kept checks that an architecture still has the modes and features of an instruction set.
func kept(t *testing.T, old *table.ISA, a *table.Arch) {
	for _, m := range old.Modes {
		s, _ := a.Mode(m.Bits)
		if s == nil {
			t.Fatalf("mode %d of %s is gone, want one", m.Bits, a.Name)
		}
		for _, f := range old.Features {
			if s.Feature(f.Name).Feature == nil {
				t.Fatalf("%s of %s is gone, want one", f.Name, a.Name)
			}
		}
	}
}

func closed(t *testing.T, s *table.ISA) {
	for id := range s.Features {
		all := s.Closure(table.ID(id))
		for _, implied := range all.List() {
			if !s.Closure(implied).Within(all) {
				t.Fatalf("%s implies more than is said of it", s.Features[id].Name)
			}
		}
	}
	for _, m := range s.Modes {
		for _, name := range m.RegisterNames() {
			if !m.HasRegister(name) {
				t.Fatalf("there is no register %q", name)
			}
		}
	}
}

func FuzzFeature(f *testing.F) {
	f.Add("RV64GC_zba")
	f.Add("-no+sse4.2")
	f.Fuzz(func(t *testing.T, name string) {
		for _, a := range builtin.Tables().Archs {
			for i := range a.ISAs {
				s := &a.ISAs[i]
				m := s.Feature(name)
				if (m.Feature == nil) != (m.How == table.Unknown) {
					t.Fatalf("%q: %v but how %d", name, m.Feature, m.How)
				}
				for _, mode := range s.Modes {
					mode.HasRegister(name)
				}
			}
		}
	})
}
