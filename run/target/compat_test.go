package target

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

func TestCompat(t *testing.T) {
	link := func(f func(*Target)) Target { x := x86Example(); f(&x); return x }
	for _, c := range []struct {
		name string
		a, b Target
		rel  Relation
		want string // the text of the verdict; "" for yes
	}{
		{"itself", x86Example(), x86Example(), Run, ""},
		{"less on more", machine("x86", 64, "SSE4.2"), machine("x86", 64, "AVX2"), Run, ""},
		{"shortest why", machine("x86", 64, "AVX512F"), machine("x86", 64, "AVX"), Run, "lacks `AVX512F`"},
		{"two causes", machine("x86", 64, "AVX2", "SHA"), machine("x86", 64), Run, "lacks `AVX2`, `SHA`"},
		{"base is there", machine("x86", 64, "SSE2", "CMOV"), machine("x86", 64), Run, ""},
		{"base is not in 32", machine("x86", 32, "SSE2"), machine("x86", 32), Run, "lacks `SSE2`"},
		{"other spelling", machine("amd64", 64, "sse4_2"), machine("x86", 64, "SSE42"), Run, ""},
		{"32 bits on 64", machine("x86", 32, "SSE2"), machine("x86", 64), Run, ""},
		{"32 bits on 64 that lack something", machine("x86", 32, "AVX2"), machine("x86", 64), Run, "lacks `AVX2`"},
		{"64 bits on 32", machine("x86", 64), machine("x86", 32), Run, "Mode is `64` here and `32` there"},
		{"16 bits on 64", machine("x86", 16), machine("x86", 64), Run, "Mode is `16` here and `64` there"},
		{"32 bits of ARM on 64", machine("ARM", 32), machine("ARM", 64), Run, "Mode is `32` here and `64` there"},
		{"32 bits of another order", machine("PowerPC", 32), func() Target { x := machine("PowerPC", 64); x.Memory.Endianness = "Little"; return x }(), Run, "Mode is `32` here and `64` there"},
		{"format", x86Example(), link(func(x *Target) { x.Linker.OutputFormat = "PE" }), Run, "OutputFormat is `ELF` here and `PE` there"},
		{"ABI of another system", link(func(x *Target) { x.Linker.OutputFormat = "" }), link(func(x *Target) { x.ABI = &ABI{Name: "Win64"}; x.Linker.OutputFormat = "" }), Run, "ABI is `SystemV` here and `Win64` there"},
		{"ABI against a format", x86Example(), link(func(x *Target) { x.ABI = &ABI{Name: "Win64"}; x.Linker.OutputFormat = "" }), Run, "ABI is `SystemV` here and `Win64` there"},
		{"no system", link(func(x *Target) { x.Linker.OutputFormat = "Raw" }), link(func(x *Target) { x.Linker.OutputFormat = "PE" }), Run, ""},
		{"nothing said of a system", x86Example(), machine("x86", 64, "AVX2", "FMA"), Run, ""},
		{"architecture", machine("x86", 64), machine("ARM", 64), Run, "Architecture is `x86` here and `ARM` there"},
		{"pu", gpuExample(), machine("x86", 64), Run, "PU is `GPU` here and `CPU` there"},
		{"unknown feature", machine("x86", 64, "Warp9"), machine("x86", 64), Run, "lacks `warp9`"},
		{"group", machine("RISC-V", 64, "G"), machine("RISC-V", 64, "RV64GC"), Run, ""},
		{"small base on base", machine("RISC-V", 32, "E", "M"), machine("RISC-V", 32, "M"), Run, ""},
		{"base on small base", machine("RISC-V", 32, "M"), machine("RISC-V", 32, "E", "M"), Run, "lacks `I`"},
		{"sm", gpuExample(), func() Target { x := gpuExample(); x.Features = []string{"SM_80"}; return x }(), Run, ""},
		{"link itself", x86Example(), x86Example(), Link, ""},
		{"link ignores features", x86Example(), link(func(x *Target) { x.Features = nil }), Link, ""},
		{"link written out", x86Example(), link(func(x *Target) { x.ABI = &ABI{Name: "SysV"} }), Link, ""},
		{"link other ABI", x86Example(), link(func(x *Target) { x.ABI = &ABI{Name: "Win64"} }), Link, "ABI is `SystemV` here and `Win64` there"},
		{"link registers", x86Example(), link(func(x *Target) { x.ABI.Returns = []string{"rax"} }), Link, "ReturnRegisters is `rax,rdx` here and `rax` there"},
		{"link stack", x86Example(), link(func(x *Target) { x.ABI.StackAlignment = num(32) }), Link, "StackAlignment is `16` here and `32` there"},
		{"link model", x86Example(), link(func(x *Target) { x.Memory.Model = "Flat" }), Link, "Model is `Protected` here and `Flat` there"},
		{"link no ABI", x86Example(), link(func(x *Target) { x.ABI = nil }), Link, "ABI is `SystemV` here and `none` there"},
		{"link mode", x86Example(), machine("x86", 32), Link, "Mode is `64` here and `32` there"},
	} {
		if got := builtIn.Compat(c.a, c.b, c.rel).String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSatisfies(t *testing.T) {
	host := machine("x86", 64, "AVX2", "FMA")
	if v := builtIn.Satisfies(host, x86Example()); !v.OK() {
		t.Errorf("the example does not run on %v: %s", host.Features, v)
	}
	want := x86Example()
	want.Extensions = Extensions{SIMD: []string{"AVX512"}, Crypto: []string{"AES", "SHA"}}
	if got := builtIn.Satisfies(host, want).String(); got != "lacks `AES`, `AVX512F`, `SHA`" {
		t.Errorf("%v; want %q", got, "lacks `AES`, `AVX512F`, `SHA`")
	}
}

// TestLevels checks which levels of x86-64 run each other's code.
func TestLevels(t *testing.T) {
	arch, _ := builtin.Tables().Arch("CPU", "x86")
	isa, _ := arch.Mode(64)
	var levels []Target
	for _, n := range []string{"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"} {
		set, ok := isa.Processor(n)
		if !ok {
			t.Fatalf("no processor %s", n)
		}
		levels = append(levels, machine("x86", 64, isa.Reduce(set).Names(isa)...))
	}
	for i := range levels {
		for j := range levels {
			if got := builtIn.Compat(levels[i], levels[j], Run).OK(); got != (i <= j) {
				t.Errorf("level %d on level %d: %v, want %v", i+1, j+1, got, (i <= j))
			}
		}
	}
}

func TestMeet(t *testing.T) {
	m, err := builtIn.Meet(machine("x86", 64, "AVX512F", "SHA"), machine("x86", 64, "AVX2", "FMA", "AES"))
	if err != nil || !slices.Equal(m.Features, []string{"AVX2", "FMA"}) {
		t.Errorf("%v %v", m.Features, err)
	}
	m, err = builtIn.Meet(machine("RISC-V", 32, "E", "M"), machine("RISC-V", 32, "RV32GC"))
	if err != nil || !slices.Equal(m.Features, []string{"E", "M"}) {
		t.Errorf("%v %v", m.Features, err)
	}
	calls := func(name string, zone *int) Target {
		x := machine("x86", 64)
		x.ABI = &ABI{Name: name, RedZone: zone}
		return x
	}
	for _, c := range []struct {
		a, b Target
		want string
	}{
		{calls("SystemV", num(128)), calls("sysv", num(128)), "SystemV"},
		{calls("SystemV", num(128)), calls("SystemV", num(0)), ""},
		{calls("SystemV", nil), calls("Win64", nil), ""},
		{calls("SystemV", nil), machine("x86", 64), ""},
		{machine("x86", 64), machine("x86", 64), ""},
	} {
		m, err := builtIn.Meet(c.a, c.b)
		if err != nil || m.ABI == nil && c.want != "" || m.ABI != nil && m.ABI.Name != c.want {
			t.Errorf("common ABI %+v of %+v and %+v, %v", m.ABI, c.a.ABI, c.b.ABI, err)
		}
	}
	_, err = builtIn.Meet(machine("x86", 64), machine("ARM", 64))
	if err == nil || err.Error() != "no code runs on both machine 1 and machine 2: Architecture is `x86` here and `ARM` there" {
		t.Error(err)
	}
	if _, err := builtIn.Meet(); err == nil {
		t.Error("nothing has no common target")
	}
}

// anyTarget draws a target of any known architecture and mode, with features under any of
// their names and sometimes an unknown feature.
func anyTarget() *rapid.Generator[Target] {
	return rapid.Custom(func(t *rapid.T) Target {
		// Few architectures, so that two random targets can often be compared.
		archs := slices.DeleteFunc(slices.Clone(builtin.Tables().Archs), func(a *table.Arch) bool {
			return !strings.Contains("x86 ARM RISC-V NVIDIA", a.Name)
		})
		a := rapid.SampledFrom(archs).Draw(t, "arch")
		x := builtIn.Default(a.PU, a.Name, rapid.SampledFrom(a.Bits()).Draw(t, "mode"))
		s, m := a.Mode(x.Mode)
		x.Memory.Endianness = rapid.SampledFrom(m.Endianness).Draw(t, "endian")
		x.Features = rapid.SliceOfN(rapid.SampledFrom(featureNames(s)), 0, 6).Draw(t, "features")
		return x
	})
}

func featureNames(s *table.ISA) []string {
	names := []string{"Warp9", "warp-9", "Flux"}
	for _, n := range s.Names {
		names = append(names, n.Text)
	}
	return names
}

// kin draws targets of one kind of machine. With unrelated machines, many laws would hold only
// because no two targets can be compared.
func kin(n int) *rapid.Generator[[]Target] {
	return rapid.Custom(func(t *rapid.T) []Target {
		out := []Target{anyTarget().Draw(t, "first")}
		arch, _ := builtin.Tables().Arch(out[0].PU, out[0].Architecture)
		s, _ := arch.Mode(out[0].Mode)
		for len(out) < n {
			x := out[0]
			x.Features = slices.Clone(out[len(out)-1].Features)
			for range rapid.IntRange(0, 3).Draw(t, "more") {
				x.Features = append(x.Features, rapid.SampledFrom(featureNames(s)).Draw(t, "feature"))
			}
			if len(x.Features) > 0 && rapid.Bool().Draw(t, "drop") {
				x.Features = x.Features[1:]
			}
			out = append(out, x)
		}
		return out
	})
}

// equal reports whether two targets are the same machine.
func equal(a, b Target) bool { return runs(a, b) && runs(b, a) }

func runs(a, b Target) bool { return builtIn.Compat(a, b, Run).OK() }

func TestPartialOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := anyTarget().Draw(t, "x")
		if !runs(x, x) {
			t.Fatalf("not reflexive: %+v", x)
		}
		ts := kin(3).Draw(t, "kin")
		a, b, c := ts[0], ts[1], ts[2]
		if runs(a, b) && runs(b, a) != equal(a, b) {
			t.Fatal("not antisymmetric")
		}
		if runs(a, b) && runs(b, a) {
			va, vb := builtIn.look(a), builtIn.look(b)
			if va.set != vb.set || !slices.Equal(va.open, vb.open) {
				t.Fatalf("both ways but not the same machine: %v, %v", a.Features, b.Features)
			}
		}
		if runs(a, b) && runs(b, c) && !runs(a, c) {
			t.Fatalf("not transitive: %v, %v, %v", a.Features, b.Features, c.Features)
		}
	})
}

func TestMeetLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ts := kin(3).Draw(t, "kin")
		a, b, other := ts[0], ts[1], ts[2]
		m, err := builtIn.Meet(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if !runs(m, a) || !runs(m, b) {
			t.Fatalf("%v is no lower bound of %v and %v", m.Features, a.Features, b.Features)
		}
		if runs(other, a) && runs(other, b) && !runs(other, m) {
			t.Fatalf("%v is a greater lower bound than %v", other.Features, m.Features)
		}
		back, err := builtIn.Meet(b, a)
		if err != nil || !equal(m, back) {
			t.Fatal("meet depends on the order")
		}
		if runs(a, b) && !equal(m, a) {
			t.Fatal("meet of a machine with a greater one is not itself")
		}
		// Unrelated machines have a common target exactly if they are of one kind.
		u := anyTarget().Draw(t, "unrelated")
		_, err = builtIn.Meet(a, u)
		va, vu := builtIn.look(a), builtIn.look(u)
		_, same := va.same(&vu)
		if (err == nil) != same {
			t.Fatalf("meet of %s %d and %s %d: %v", a.Architecture, a.Mode, u.Architecture, u.Mode, err)
		}
	})
}

func BenchmarkCompat(b *testing.B) {
	x, y := machine("x86", 64, "SSE4.2", "AVX2", "FMA"), machine("x86", 64, "AVX512F", "SHA")
	b.ReportAllocs()
	for b.Loop() {
		if !builtIn.Compat(x, y, Run).OK() {
			b.Fatal("no")
		}
	}
}
