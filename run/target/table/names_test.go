package table_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// with merges a table into the built-in ones.
func with(t *testing.T, text string) *table.Tables {
	t.Helper()
	tb, err := builtin.Tables().With(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

// features returns an architecture with n features, the last of which implies the first.
func features(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"key":"f%03d"}`, i)
	}
	list[n-1] = fmt.Sprintf(`{"key":"f%03d","implies":["f000"]}`, n-1)
	return `{"architectures":[{"pu":"CPU","name":"Many","isas":[{"modes":[{"bits":64,"endianness":["Little"]}],"features":[` + strings.Join(list, ",") + `]}]}]}`
}

// An instruction set may have MaxFeatures features, and one more is an error.
func TestMaxFeatures(t *testing.T) {
	a, _ := with(t, features(table.MaxFeatures)).Arch("CPU", "Many")
	s, _ := a.Mode(64)
	set, unknown := s.Meaning([]string{"F511", "F448"})
	if got := set.List(); len(unknown) > 0 || !slices.Equal(got, table.Features{0, 448, 511}) {
		t.Errorf("got %v, unknown %v", got, unknown)
	}
	for _, id := range []table.ID{0, 63, 64, 447, 448, 511} {
		if s := (table.Features{id}).Set(); !s.Has(id) || !slices.Equal(s.List(), table.Features{id}) {
			t.Errorf("the set of %d lists %v, want that alone", id, s.List())
		}
	}
	_, err := builtin.Tables().With(strings.NewReader(features(table.MaxFeatures + 1)))
	if want := "architecture `Many` of CPU: it has 513 features, at most 512 are possible"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A table may have 16 MB, and an unreadable table is an error.
func TestTableSize(t *testing.T) {
	largest := "{}" + strings.Repeat(" ", 16<<20-2)
	if _, err := builtin.Tables().With(strings.NewReader(largest)); err != nil {
		t.Error(err)
	}
	if _, err := builtin.Tables().With(strings.NewReader(largest + " ")); err == nil || err.Error() != "the table has more than 16 MB" {
		t.Errorf("got %v", err)
	}
	if _, err := builtin.Tables().With(iotest.ErrReader(errors.New("cut"))); err == nil || err.Error() != "cannot read the table: cut" {
		t.Errorf("got %v", err)
	}
}

// Names are equal regardless of case and punctuation, but not with other letters.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{"AZaz09+": "azaz09+", "a@b[c`d{e/f:g,h*i": "abcdefghi", "é": "é", "ÀZ": "Àz", "Z": "z", "A": "a"} {
		if got := table.Normal(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	tb := with(t, `{"architectures":[{"pu":"CPU","name":"Q","isas":[{"modes":[{"bits":64,"endianness":["Little"]},{"bits":32,"endianness":["Little"]}],
	  "features":[{"key":"zed.9","aliases":["Zulu"],"doubtful":["zz top"]},{"key":"cafe"},{"key":"café"}]},
	  {"modes":[{"bits":16,"endianness":["Little"]}],"features":[{"key":"zed9"}]}]}]}`)
	a, _ := tb.Arch("CPU", "q")
	s, _ := a.Mode(64)
	for name, want := range map[string]struct {
		how table.How
		key string
	}{
		"ZED.9": {table.Canonical, "zed.9"}, "zed.9": {table.Respelt, "zed.9"}, "Z-E-D_9": {table.Respelt, "zed.9"}, "{zed9}": {table.Respelt, "zed.9"}, "zulu": {table.Aliased, "zed.9"},
		"ZZ-TOP": {table.Doubtful, "zed.9"}, "No-Zed9": {table.Prefixed, "zed.9"}, "zed": {table.Unknown, ""}, "zed.99": {table.Unknown, ""}, "": {table.Unknown, ""},
		"CAFÉ": {table.Canonical, "café"}, "CAFE": {table.Canonical, "cafe"},
	} {
		m := s.Feature(name)
		key := ""
		if m.Feature != nil {
			key = m.Key
		}
		if m.How != want.how || key != want.key {
			t.Errorf("%q: %d %q, want %d %q", name, m.How, key, want.how, want.key)
		}
	}
	if got, want := s.FeatureNames(), []string{"CAFE", "CAFÉ", "ZED.9"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := strings.Join(tb.Owners("zed-9"), "; "), "CPU Q 16; CPU Q 32, 64"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := tb.Owners("zz top"); len(got) > 0 {
		t.Errorf("a doubtful word has owners: %v, want at most 0", got)
	}
	if got := tb.Owners("AVX2"); len(got) != 1 || got[0] != "CPU x86" {
		t.Errorf("got %v, want len(got) = 1 and got[0] = %q", got, "CPU x86")
	}
}

const machine = `{"architectures":[{"pu":"CPU","name":"Q","isas":[{
  "modes":[{"bits":64,"endianness":["Little"],"march":"rv64","base":["i"]},{"bits":32,"endianness":["Little"],"march":"rv32"}],
  "base":["b"],
  "features":[{"key":"i"},{"key":"e"},{"key":"b"},{"key":"m"},{"key":"a"},{"key":"c","implies":["a"]},{"key":"zba"},{"key":"all","implies":["m","c"],"group":true},{"key":"x","implies":["all"]}],
  "conflicts":[["i","e"]],
  "processors":{"q1":{"features":["m"],"gcc":{"flag":"march:q1"}},"q2":{"features":["c","m"],"gcc":{"flag":"march:q2","lacks":["m"]}},"x86-64-q":{"features":["c"],"level":true,"gcc":{"flag":"march:q","adds":["m"]}},"q0":{"features":["a","m"]}}}]}]}`

// Set operations work, and features bring the features they imply.
func TestSets(t *testing.T) {
	a, _ := with(t, machine).Arch("CPU", "Q")
	s, mode := a.Mode(64)
	named := func(set table.Set) string { return strings.Join(set.List().Names(s), " ") }
	meaning := func(names ...string) table.Set {
		set, unknown := s.Meaning(names)
		if len(unknown) > 0 {
			t.Fatalf("unknown: %v", unknown)
		}
		return set
	}
	ac, am := meaning("a", "c"), meaning("a", "m")
	for _, c := range []struct{ name, got, want string }{
		{"a union", named(ac.Union(am)), "A C M"},
		{"an intersection", named(ac.Intersect(am)), "A"},
		{"a difference", named(ac.Minus(am)), "C"},
		{"a closure", named(meaning("c")), "A C"},
		{"a group", named(meaning("all")), "A C M"},
		{"what implies a group", named(meaning("x")), "A C M X"},
		{"an ISA string", named(meaning("RV64imc_zba")), "A C I M ZBA"},
		{"what is left of a set", strings.Join(s.Reduce(meaning("x", "e")).Names(s), " "), "E X"},
		{"always", named(s.Always(mode, table.Set{})), "B I"},
		{"always, with what conflicts", named(s.Always(mode, meaning("e"))), "B"},
		{"always, with both", named(s.Always(mode, meaning("e", "i"))), "B I"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
	if !ac.Within(ac.Union(am)) || ac.Within(am) || !(table.Set{}).Within(am) {
		t.Error("a set is within another")
	}
	if set, unknown := s.Meaning([]string{"a", "nosuch", "-m", "+c"}); named(set) != "A" || !slices.Equal(unknown, []string{"nosuch", "-m", "+c"}) {
		t.Errorf("got %s, unknown %v", named(set), unknown)
	}
	for _, text := range []string{"rv64", "rv64q", "rv64i_zbb", "rv16i", "rx64i", "v64i"} {
		if m := s.Feature(text); m.Feature != nil {
			t.Errorf("%s is %+v, want none", text, m)
		}
	}
	if m := s.Feature("rv32ic"); m.How != table.Composed || m.Name != "RV32ic" || !slices.Equal(m.Modes, []int{32}) || !m.Group {
		t.Errorf("rv32ic is %+v, want a group of composed names, RV32ic, in 32 bits", m)
	}

	for name, want := range map[string]string{"q1": "M", "q2": "A C M", "q0": "A M"} {
		if set, ok := s.Processor(name); !ok || named(set) != want {
			t.Errorf("%s has %s, want %s", name, named(set), want)
		}
	}
	if _, ok := s.Processor("q3"); ok {
		t.Error("there is no q3")
	}
	all := func(*table.Processor) bool { return true }
	for _, c := range []struct {
		within table.Set
		known  func(*table.Processor) bool
		want   string
	}{
		{meaning("c", "m"), all, "q2"},
		{meaning("c"), all, "x86-64-q"},
		{meaning("a", "m"), all, "q0"},
		{meaning("m"), all, "q1"},
		{meaning("zba"), all, ""},
		{meaning("c", "m"), func(p *table.Processor) bool { return p.Name != "q2" }, "x86-64-q"},
	} {
		got := ""
		if p := s.Nearest(c.within, c.known); p != nil {
			got = p.Name
		}
		if got != c.want {
			t.Errorf("nearest to %s is %q, want %q", named(c.within), got, c.want)
		}
	}
	q2 := &s.Processors[slices.IndexFunc(s.Processors, func(p table.Processor) bool { return p.Name == "q2" })]
	if got := named(s.Brings(q2, q2.GCC)); got != "A C" {
		t.Errorf("the option of q2 brings %s; want %q", got, "A C")
	}
	level := &s.Processors[slices.IndexFunc(s.Processors, func(p table.Processor) bool { return p.Level })]
	if got := named(s.Brings(level, level.GCC)); got != "A C M" {
		t.Errorf("the option of %s brings %s; want %q", level.Name, got, "A C M")
	}
}

// An option exists in a range of compiler versions.
func TestOptionVersions(t *testing.T) {
	for _, c := range []struct {
		option table.Option
		in     []int
		not    []int
	}{
		{table.Option{}, nil, []int{0, 1}},
		{table.Option{Flag: "-m"}, []int{0, 1, 99}, nil},
		{table.Option{Flag: "-m", Since: 7}, []int{0, 7, 8}, []int{6}},
		{table.Option{Flag: "-m", Until: 7}, []int{1, 7}, []int{0, 8}},
		{table.Option{Flag: "-m", Since: 3, Until: 7}, []int{3, 7}, []int{0, 2, 8}},
	} {
		for _, v := range c.in {
			if !c.option.In(v) {
				t.Errorf("%+v is not in %d", c.option, v)
			}
		}
		for _, v := range c.not {
			if c.option.In(v) {
				t.Errorf("%+v is in %d, want it not", c.option, v)
			}
		}
	}
}

// If an ABI does not exist on a machine, the machines that have it are listed.
func TestABIHomes(t *testing.T) {
	tb := with(t, `{"abis":[{"name":"Call","aliases":["the-call"],"arch":"Q","modes":[32,64],"saved":["R8d..R10d"]},{"name":"Call","arch":"R","modes":[16]},{"name":"Everywhere","any":true}]}`)
	for _, c := range []struct {
		name, pu, arch string
		bits           int
		found          bool
		homes          string
	}{
		{"call", "CPU", "Q", 64, true, ""},
		{"THE CALL", "CPU", "Q", 32, true, ""},
		{"Call", "CPU", "Q", 16, false, "Q 32, 64; R 16"},
		{"Call", "CPU", "R", 16, true, ""},
		{"Call", "DSP", "Q", 64, false, "Q 32, 64; R 16"},
		{"the-call", "CPU", "R", 16, false, "Q 32, 64"},
		{"everywhere", "NPU", "Z", 8, true, ""},
		{"nosuch", "CPU", "Q", 64, false, ""},
	} {
		abi, homes := tb.ABI(c.name, c.pu, c.arch, c.bits)
		if (abi != nil) != c.found || strings.Join(homes, "; ") != c.homes {
			t.Errorf("%+v: %v, %v; want (abi != nil) = %v and strings.Join(homes, \"; \") = %v", c, abi, homes, c.found, c.homes)
		}
	}
	if got := tb.ABIsOn("CPU", "Q", 64); !slices.Contains(got, "Call") || !slices.Contains(got, "Everywhere") || slices.Contains(got, "SystemV") || !slices.IsSorted(got) {
		t.Errorf("got %v, want Call and Everywhere in order, and no SystemV", got)
	}
	if abi, _ := tb.ABI("everywhere", "CPU", "Q", 64); abi.Home() != "any" || abi.PU != "" {
		t.Errorf("%+v, want any home, and no processing unit", abi)
	}
	_, err := builtin.Tables().With(strings.NewReader(`{"abis":[{"name":"Call","returns":["r3..r1"]}]}`))
	if want := "ABI `Call`: `r3..r1` is neither a register nor a range such as r8..r15"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A range of registers is expanded, and a register is found in it in any case.
func TestRegisters(t *testing.T) {
	if got, want := table.Expand([]string{"rax", "r8d..r10d", "x0..x0"}), []string{"rax", "r8d", "r9d", "r10d", "x0"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	m := &table.Mode{Registers: []string{"rax", "r8d..r10d", "v2x0..v2x3"}}
	for name, want := range map[string]bool{"rax": true, "RAX": true, "r8d": true, "R10D": true, "r7d": false, "r11d": false, "r08d": false, "r9": false, "r9e": false, "d9d": false, "v2x3": true, "v2x4": false, "v3x1": false, "": false, "rd": false} {
		if m.HasRegister(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	if got := m.RegisterNames(); !slices.Equal(got, []string{"r10d", "r8d", "r9d", "rax", "v2x0", "v2x1", "v2x2", "v2x3"}) {
		t.Errorf("got %v, want %v", got, []string{"r10d", "r8d", "r9d", "rax", "v2x0", "v2x1", "v2x2", "v2x3"})
	}
	for text, ok := range map[string]bool{"r0..r1024": true, "r0..r1025": false, "r5..r4": false, "r..r4": false, "r4..": false, "a1..b2": false, "a1x..a2y": false, "r1..r99999999999999999999": false, "": false} {
		_, err := builtin.Tables().With(strings.NewReader(`{"architectures":[{"pu":"CPU","name":"Q","isas":[{"modes":[{"bits":64,"endianness":["Little"],"registers":["` + text + `"]}]}]}]}`))
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A table that describes a known instruction set adds to it, and its own values win.
func TestMerge(t *testing.T) {
	tb := with(t, machine)
	for _, more := range []string{
		`{"architectures":[{"pu":"CPU","name":"q","aliases":{"quick":32},"isas":[{"modes":[{"bits":64}],"features":[{"key":"m","name":"Mult","implies":["b"]},{"key":"new"}],
		  "base":["new"],"simd":["m"],"not_simd":["a"],"crypto":["zba"],"conflicts":[["m","new"]],"processors":{"q1":{"features":["b"]},"q9":{}},"open":true}]}]}`,
		`{"architectures":[{"pu":"CPU","name":"Q","isas":[{"modes":[{"bits":32,"endianness":["Big"],"alignment":1,"models":["Segmented"],"registers":["R0..R1"],"pointer":24,"stack":16}],"simt":true},{"modes":[{"bits":128,"endianness":["Big"]}]}]}]}`,
	} {
		var err error
		if tb, err = tb.With(strings.NewReader(more)); err != nil {
			t.Fatal(err)
		}
	}
	a, bits := tb.Arch("CPU", "Quick")
	if a == nil || bits != 32 || a.Name != "Q" || !slices.Equal(a.Bits(), []int{32, 64, 128}) {
		t.Fatalf("%+v, %d; want a not nil, bits = 32, a.Name = %q and a.Bits() = %v", a, bits, "Q", []int{32, 64, 128})
	}
	s, m := a.Mode(64)
	names := func(fs table.Features) string { return strings.Join(fs.Names(s), " ") }
	for _, c := range []struct{ name, got, want string }{
		{"features", strings.Join(s.FeatureNames(), " "), "A ALL B C E I Mult NEW X ZBA"},
		{"what a feature implies", names(s.Feature("mult").Implies), "B"},
		{"base", names(s.Base), "B NEW"}, {"simd", names(s.SIMD), "Mult"}, {"not simd", names(s.NotSIMD), "A"}, {"crypto", names(s.Crypto), "ZBA"},
		{"conflicts", fmt.Sprint(len(s.Conflicts)), "2"},
		{"processors", fmt.Sprint(len(s.Processors)), "5"},
		{"flags", fmt.Sprint(s.Open, s.SIMT), "true true"},
		{"a mode that was named only", fmt.Sprint(m.Endianness, m.Alignment, m.Stack, m.Pointer, m.Models, " ", m.March, " ", names(m.Base)), "[Little] 8 8 64 [Protected Flat] rv64 I"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
	if set, _ := s.Processor("q1"); names(set.List()) != "B" {
		t.Errorf("q1 has %s; want %q", names(set.List()), "B")
	}
	_, m = a.Mode(32)
	if got, want := fmt.Sprint(m.Endianness, m.Alignment, m.Stack, m.Pointer, m.Models, m.Registers), "[Big] 1 16 24 [Segmented] [r0..r1]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if s, _ := a.Mode(128); s.Open || s.SIMT || len(s.Features) > 0 {
		t.Error("an instruction set beside the others has their features")
	}
}

// Two descriptions of one instruction set in a table are merged.
func TestMergeInTable(t *testing.T) {
	a, _ := with(t, `{"architectures":[{"pu":"CPU","name":"Q","isas":[{"modes":[{"bits":64,"endianness":["Little"]}],"features":[{"key":"a"}]},{"modes":[{"bits":64}],"processors":{"p":{"features":["a"]}}}]}]}`).Arch("CPU", "Q")
	s, _ := a.Mode(64)
	if set, ok := s.Processor("p"); len(a.ISAs) != 1 || !ok || len(set.List()) != 1 {
		t.Errorf("%+v, want one instruction set, and p with one feature", a)
	}
}

// TestMoreWithErrors checks that the error of a wrong table names the part at fault.
func TestMoreWithErrors(t *testing.T) {
	isa := func(more string) string {
		return `{"architectures":[{"pu":"CPU","name":"Q","isas":[{"modes":[{"bits":32,"endianness":["Little"]}],"features":[{"key":"a"},{"key":"b"}],` + more + `}]}]}`
	}
	mode := func(more string) string {
		return `{"architectures":[{"pu":"CPU","name":"Q","isas":[{"modes":[{"bits":32,"endianness":["Little"],` + more + `}]}]}]}`
	}
	for _, c := range []struct{ in, want string }{
		{isa(`"conflicts":[["a","z"]]`), "architecture `Q` of CPU: `conflicts`: `a` and `z` must be two features of it"},
		{isa(`"conflicts":[["a","a"]]`), "architecture `Q` of CPU: `conflicts`: `a` and `a` must be two features of it"},
		{isa(`"processors":{"p":{"features":["z"]}}`), "architecture `Q` of CPU: processor `p`: `z` is not one of its features"},
		{isa(`"base":["z"]`), "architecture `Q` of CPU: `base`: `z` is not one of its features"},
		{isa(`"not_simd":["z"]`), "architecture `Q` of CPU: `not_simd`: `z` is not one of its features"},
		{isa(`"crypto":["z"]`), "architecture `Q` of CPU: `crypto`: `z` is not one of its features"},
		{mode(`"base":["z"]`), "architecture `Q` of CPU: mode 32: `base`: `z` is not one of its features"},
		{mode(`"stack":-8`), "architecture `Q` of CPU: mode 32: `stack` must be a power of 2, not -8"},
		{mode(`"stack":12`), "architecture `Q` of CPU: mode 32: `stack` must be a power of 2, not 12"},
		{mode(`"rare":["Middle"]`), "architecture `Q` of CPU: mode 32: endianness must be Little or Big, not `Middle`"},
		{`{"architectures":[{"pu":"CPU","name":"Q","isas":[{"modes":[{"bits":129,"endianness":["Little"]}]}]}]}`, "architecture `Q` of CPU: mode 129: `bits` must be between 8 and 128"},
		{`{"architectures":[{"pu":"CPU","name":"Q","isas":[{"modes":[{"bits":32,"endianness":["Little"]},{"bits":32,"endianness":["Big"]}]}]}]}`, "architecture `Q` of CPU: two of its instruction sets have the same mode"},
		{`{"architectures":[{"pu":"CPU","name":"Q","isas":[{"modes":[{"bits":32,"endianness":["Little"]}],"features":[{"key":"--"}]}]}]}`, "architecture `Q` of CPU: a feature needs a `key`"},
		{`{"architectures":[{"pu":"CPU","name":"Q","isas":[{"modes":[{"bits":32,"endianness":["Little"]}],"features":[{"key":"a","implies":["b"]},{"key":"b","implies":["c"]},{"key":"c","implies":["b"]}]}]}]}`, "architecture `Q` of CPU: `C` and `B` imply each other"},
		{`[]`, "line 1: `the table` must be an object, found array"},
		{"{\"origin\":\n\n7}", "line 3: `origin` must be a text, found number"},
		{`{"architectures":[{"extra":1}]}`, "line 1: `architectures.extra` must be true or false, found number"},
		{`{"architectures":[{"aliases":[]}]}`, "line 1: `architectures.aliases` must be an object, found array"},
		{`{"abis":[{"stack":"8"}]}`, "line 1: `abis.stack` must be a whole number, found string"},
		{"{\"abis\":\n[", "line 2: the table ends too early"},
		{"{\n\"origin\": \"a\nb\"}", "line 2: this is not JSON: the text at the end of the line is not closed"},
		{"{\n\x80}", "line 2: this is not JSON: `?}`"},
	} {
		if _, err := builtin.Tables().With(strings.NewReader(c.in)); err == nil || err.Error() != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.in, err, c.want)
		}
	}
}

// TestLists checks the lists of processing units, byte orders and compilers.
func TestLists(t *testing.T) {
	tb := with(t, `{"architectures":[{"pu":"NPU","name":"Z9","isas":[{"modes":[{"bits":8,"endianness":["Little"],"rare":["Big"],"triples":{"Little":"z9le"}}],
	  "features":[{"key":"f","gcc":{"flag":"-mf","macro":"__F|__F__"},"clang":{"flag":"-mclangf"}}],"processors":{"p":{"gcc":{"flag":"gp"},"gcc_tune":{"flag":"gt","since":3},"clang":{"flag":"cp"}}}}]}]}`)
	pus := tb.PUs()
	if !slices.IsSorted(pus) || !slices.Contains(pus, "CPU") || !slices.Contains(pus, "NPU") || len(slices.Compact(slices.Clone(pus))) != len(pus) {
		t.Errorf("got %v, want CPU, NPU and the others, each once and in order", pus)
	}
	count := 0
	for _, pu := range pus {
		for _, a := range tb.Of(pu) {
			if a.PU != pu {
				t.Errorf("%s is a %s; want %v", a.Name, a.PU, pu)
			}
			count++
		}
	}
	if count != len(tb.Archs) {
		t.Errorf("%d architectures of %d, want %v", count, len(tb.Archs), len(tb.Archs))
	}
	if a, _ := tb.Arch("CPU", "Z9"); a != nil {
		t.Error("Z9 is a CPU")
	}
	a, bits := tb.Arch("NPU", "z9")
	if s, m := a.Mode(16); s != nil || m != nil || bits != 0 {
		t.Error("there is a mode of 16 bits")
	}
	s, m := a.Mode(8)
	for endian, want := range map[string][2]bool{"Little": {true, true}, "Big": {false, true}, "Middle": {false, false}} {
		if usual, possible := m.Allows(endian); usual != want[0] || possible != want[1] {
			t.Errorf("%s: usual %v, possible %v; want %v and %v", endian, usual, possible, want[0], want[1])
		}
	}
	if m.Triple("Little") != "z9le" || m.Triple("Big") != "" || m.Layout(0, "Little", "", "") != "" {
		t.Error("a triple for the wrong byte order")
	}
	f, p := s.Feature("F"), &s.Processors[0]
	if f.For(false).Flag != "-mf" || f.For(true).Flag != "-mclangf" || p.For(false).Flag != "gp" || p.For(true).Flag != "cp" {
		t.Error("an option of the other compiler")
	}
	if p.Tune(false).Flag != "gt" || p.Tune(false).Since != 3 || p.Tune(true).Flag != p.CPU().Flag {
		t.Errorf("tuned by %+v and %+v, want gt since 3, and %s", p.Tune(false), p.Tune(true), p.CPU().Flag)
	}
	if !slices.Equal(f.GCC.Macros(), []string{"__F", "__F__"}) || f.Clang.Macros() != nil {
		t.Errorf("macros %q and %q, want %q and none", f.GCC.Macros(), f.Clang.Macros(), []string{"__F", "__F__"})
	}
}
