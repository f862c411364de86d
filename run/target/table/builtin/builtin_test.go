package builtin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/run/target/table"
)

// The generated literals match the data; this test fails if data/*.json changed without `go generate`.
func TestGenerated(t *testing.T) {
	paths, err := filepath.Glob("data/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no data")
	}
	want := &table.Tables{}
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			t.Fatal(err)
		}
		want, err = want.With(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
	}
	if d := cmp.Diff(want, Tables()); d != "" {
		t.Errorf("run go generate (-data +generated):\n%s\nwant nothing", d)
	}
}

func isa(t *testing.T, pu, arch string, mode int) (*table.ISA, *table.Mode) {
	t.Helper()
	a, _ := Tables().Arch(pu, arch)
	if a == nil {
		t.Fatalf("no %s %s", pu, arch)
	}
	s, m := a.Mode(mode)
	if s == nil {
		t.Fatalf("no mode %d of %s", mode, arch)
	}
	return s, m
}

func TestSpellings(t *testing.T) {
	for _, c := range []struct {
		pu, arch string
		mode     int
		name     string
		key      string
		how      table.How
	}{
		{"CPU", "x86", 64, "SSE4.2", "sse4.2", table.Canonical},
		{"CPU", "x86", 64, "AVX2", "avx2", table.Canonical},
		{"CPU", "x86", 64, "FMA", "fma", table.Canonical},
		{"CPU", "x86", 64, "AVX512", "avx512f", table.Aliased},
		{"CPU", "x86", 64, "AVX-512", "avx512f", table.Aliased},
		{"CPU", "x86", 64, "AES", "aes", table.Canonical},
		{"CPU", "x86", 64, "SHA", "sha", table.Canonical},
		{"CPU", "x86", 64, "sse4_1", "sse4.1", table.Respelt},
		{"CPU", "x86", 64, "SSE4", "sse4.1", table.Doubtful},
		{"CPU", "x86", 64, "avx512_vnni", "avx512vnni", table.Respelt},
		{"CPU", "x86", 64, "AESNI", "aes", table.Aliased},
		{"CPU", "x86", 64, "BMI1", "bmi", table.Aliased},
		{"CPU", "x86", 64, "CLMUL", "pclmul", table.Aliased},
		{"CPU", "x86", 64, "PNI", "sse3", table.Aliased},
		{"CPU", "x86", 64, "ABM", "abm", table.Canonical},
		{"CPU", "x86", 64, "RDRAND", "rdrnd", table.Aliased},
		{"CPU", "x86", 64, "AMD3DNOWEXT", "3dnowa", table.Aliased},
		{"CPU", "x86", 64, "lahf_lm", "sahf", table.Aliased},
		{"CPU", "x86", 64, "AVX10_512", "avx10.1-512", table.Aliased},
		{"CPU", "x86", 64, "+AVX2", "avx2", table.Prefixed},
		{"CPU", "x86", 64, "-AVX2", "avx2", table.Prefixed},
		{"CPU", "x86", 64, "noAVX2", "avx2", table.Prefixed},
		{"CPU", "x86", 64, "NEON", "", table.Unknown},
		{"CPU", "x86", 64, "", "", table.Unknown},
		{"CPU", "x86", 64, "+", "", table.Unknown},
		{"CPU", "x86", 64, "АVX2", "", table.Unknown}, // a Cyrillic letter
		{"CPU", "ARM", 32, "NEON", "neon", table.Canonical},
		{"CPU", "ARM", 32, "VFPv4", "vfpv4", table.Canonical},
		{"CPU", "ARM", 32, "VFP", "vfpv2", table.Aliased},
		{"CPU", "ARM", 32, "edsp", "dsp", table.Aliased},
		{"CPU", "ARM", 64, "NEON", "simd", table.Canonical},
		{"CPU", "ARM", 64, "ASIMD", "simd", table.Aliased},
		{"CPU", "ARM", 64, "FEAT_LSE", "lse", table.Aliased},
		{"CPU", "ARM", 64, "PMULL", "aes", table.Aliased},
		{"CPU", "RISC-V", 64, "Zba", "zba", table.Canonical},
		{"CPU", "RISC-V", 64, "RV64GC", "rv64gc", table.Composed},
		{"CPU", "RISC-V", 64, "rv64imac_zba", "rv64imac_zba", table.Composed},
		{"CPU", "RISC-V", 64, "rv64gq9", "", table.Unknown},
		{"CPU", "RISC-V", 64, "rva22u64", "rva22u64", table.Respelt},
		{"CPU", "WASM", 32, "nontrapping-fptoint", "nontrapping-fptoint", table.Respelt},
		{"GPU", "NVIDIA", 64, "SM_70", "sm_70", table.Canonical},
		{"GPU", "NVIDIA", 64, "sm_101a", "sm_110a", table.Aliased},
		{"GPU", "AMD", 64, "gfx90a", "gfx90a", table.Canonical},
		{"GPU", "AMD", 64, "fiji", "gfx803", table.Aliased},
		{"GPU", "Intel", 64, "intel_gpu_pvc", "pvc", table.Aliased},
		{"NPU", "TPU", 8, "INT8", "int8", table.Canonical},
		{"DSP", "C6000", 32, "c64x+", "c64x+", table.Respelt},
	} {
		s, _ := isa(t, c.pu, c.arch, c.mode)
		m := s.Feature(c.name)
		key := ""
		if m.Feature != nil {
			key = m.Key
		}
		if key != c.key || m.How != c.how {
			t.Errorf("%s %s: `%s` is `%s` (%d), want `%s` (%d)", c.arch, c.pu, c.name, key, m.How, c.key, c.how)
		}
	}
}

func TestArchNames(t *testing.T) {
	for _, c := range []struct {
		pu, name, want string
		mode           int
	}{{"CPU", "x86", "x86", 0}, {"CPU", "X86", "x86", 0}, {"CPU", "amd64", "x86", 64}, {"CPU", "x86_64", "x86", 64}, {"CPU", "AArch64", "ARM", 64}, {"CPU", "Thumb", "ARM", 32},
		{"CPU", "riscv", "RISC-V", 0}, {"GPU", "CUDA", "NVIDIA", 0}, {"GPU", "x86", "", 0}, {"CPU", "", "", 0}, {"NPU", "XDNA", "AMD", 0}, {"DSP", "C6X", "C6000", 32}} {
		a, mode := Tables().Arch(c.pu, c.name)
		got := ""
		if a != nil {
			got = a.Name
		}
		if got != c.want || mode != c.mode {
			t.Errorf("%s %s is %s %d, want %s %d", c.pu, c.name, got, mode, c.want, c.mode)
		}
	}
}

func TestClosures(t *testing.T) {
	for _, c := range []struct {
		pu, arch string
		mode     int
		name     string
		has      string
		lacks    string
	}{
		{"CPU", "x86", 64, "FMA", "AVX SSE4.2 XSAVE", "AVX2 X87"},
		{"CPU", "x86", 64, "ABM", "LZCNT POPCNT", "ABM"},
		{"CPU", "ARM", 32, "NEON-VFPv4", "NEON VFPv4 VFPv3-D16 VFPv2", "FP-ARMv8"},
		{"CPU", "ARM", 32, "CRYPTO-NEON-FP-ARMv8", "CRYPTO AES SHA2 NEON-FP-ARMv8", "CRC"},
		{"CPU", "ARM", 64, "SVE2-AES", "SVE2 SVE FP16 AES", "FP NEON"},
		{"CPU", "RISC-V", 64, "RV64GC", "I M A F D C Zicsr Zifencei Zmmul", "V G"},
		{"CPU", "RISC-V", 64, "Zvksc", "Zvks Zvbc Zve64x Zvl64b Zicsr", "Zvkg"},
		{"CPU", "RISC-V", 64, "Zvl256b", "Zvl128b Zvl64b Zvl32b", "Zvl512b"},
		{"GPU", "NVIDIA", 64, "SM_90a", "SM_90 SM_20", "SM_100"},
		{"GPU", "NVIDIA", 64, "SM_103a", "SM_103f SM_100f SM_103", "SM_100a SM_120"},
		{"GPU", "AMD", 64, "gfx906", "gfx9-generic", "gfx900"},
	} {
		s, _ := isa(t, c.pu, c.arch, c.mode)
		set, unknown := s.Meaning([]string{c.name})
		if len(unknown) > 0 {
			t.Errorf("%s is unknown", c.name)
		}
		got := set.List().Names(s)
		for _, n := range strings.Fields(c.has) {
			if !slices.Contains(got, n) {
				t.Errorf("closure of %s lacks %s: %v", c.name, n, got)
			}
		}
		for _, n := range strings.Fields(c.lacks) {
			if slices.Contains(got, n) {
				t.Errorf("closure of %s has %s; want no %v in it", c.name, n, n)
			}
		}
	}
}

// Every table must be usable: lists are sorted, the ABIs' registers exist, sets consist of
// features, and every closure is closed.
func TestConsistent(t *testing.T) {
	tb := Tables()
	if got := tb.PUs(); !slices.Equal(got, []string{"CPU", "DSP", "GPU", "NPU"}) {
		t.Errorf("PUs %v, want %v", got, []string{"CPU", "DSP", "GPU", "NPU"})
	}
	for _, a := range tb.Archs {
		if !slices.IsSorted(a.Bits()) || len(a.Bits()) == 0 {
			t.Errorf("%s: modes %v, want at least one, in order", a.Name, a.Bits())
		}
		for i := range a.ISAs {
			s := &a.ISAs[i]
			for id := range s.Features {
				set := s.Closure(table.ID(id))
				for _, d := range set.List() {
					if !s.Closure(d).Within(set) {
						t.Errorf("%s: closure of %s is not closed at %s", a.Name, s.Features[id].Name, s.Features[d].Name)
					}
				}
				if m := s.Feature(s.Features[id].Name); m.Feature != &s.Features[id] || m.How != table.Canonical {
					t.Errorf("%s: `%s` does not find itself", a.Name, s.Features[id].Name)
				}
			}
			for _, m := range s.Modes {
				if len(m.Registers) == 0 && !m.NoRegisters {
					t.Errorf("%s %d has no registers", a.Name, m.Bits)
				}
				if !slices.IsSorted(m.RegisterNames()) {
					t.Errorf("%s %d: registers unsorted, want them in order", a.Name, m.Bits)
				}
			}
		}
	}
	for _, abi := range tb.ABIs {
		if abi.Any {
			continue
		}
		a, _ := tb.Arch(abi.PU, abi.Arch)
		if a == nil {
			t.Errorf("ABI %s: no %s %s", abi.Name, abi.PU, abi.Arch)
			continue
		}
		for _, bits := range abi.Modes {
			_, m := a.Mode(bits)
			if m == nil {
				t.Errorf("ABI %s: %s has no mode %d", abi.Name, abi.Arch, bits)
				continue
			}
			for _, r := range slices.Concat(abi.Parameters, abi.Returns, abi.FloatParameters, abi.FloatReturns, abi.Saved) {
				if !m.HasRegister(r) {
					t.Errorf("ABI %s: %s %d has no register `%s`", abi.Name, abi.Arch, bits, r)
				}
			}
		}
	}
}

func TestABI(t *testing.T) {
	abi, _ := Tables().ABI("x86_64_sysv", "CPU", "x86", 64)
	if abi == nil || abi.Name != "SystemV" || strings.Join(abi.Parameters, ",") != "rdi,rsi,rdx,rcx,r8,r9" || strings.Join(abi.Returns, ",") != "rax,rdx" || abi.RedZone != 128 {
		t.Errorf("SystemV: %+v, want 6 parameters from rdi to r9, rax and rdx for results, and a red zone of 128", abi)
	}
	if abi, homes := Tables().ABI("AAPCS", "CPU", "x86", 64); abi != nil || !slices.Equal(homes, []string{"ARM 32"}) {
		t.Errorf("AAPCS on x86: %v %v, want none here, and %q", abi, homes, "ARM 32")
	}
	if abi, homes := Tables().ABI("MyOwn", "CPU", "x86", 64); abi != nil || homes != nil {
		t.Errorf("custom: %v %v, want abi nil and homes nil", abi, homes)
	}
	if abi, _ := Tables().ABI("native", "GPU", "Intel", 64); abi == nil || !abi.Any {
		t.Errorf("Native: %v, want an ABI for any machine", abi)
	}
	if got := Tables().ABIsOn("CPU", "x86", 64); !slices.Equal(got, []string{"COIL_Standard", "Native", "SystemV", "Win64", "platform_default", "x32"}) {
		t.Errorf("x86 64: %v, want %v", got, []string{"COIL_Standard", "Native", "SystemV", "Win64", "platform_default", "x32"})
	}
}

func TestRegisters(t *testing.T) {
	for _, c := range []struct {
		arch string
		mode int
		yes  string
		no   string
	}{
		{"x86", 16, "ax AL cs", "eax rax xmm0 r8"},
		{"x86", 32, "eax xmm7 st0 cr4 dr7", "rax xmm8 r8 cr8 cr1"},
		{"x86", 64, "rax eax R15 r15d r31 xmm31 sil tmm7", "r32 xmm32 r08 r8-r15 tmm8 rip"},
		{"ARM", 32, "r0 r15 sp lr pc d31 cpsr", "r16 x0"},
		{"ARM", 64, "x0 x30 w0 v31 sp_el3 xzr", "r0 x32 sp_el4"},
	} {
		_, m := isa(t, "CPU", c.arch, c.mode)
		for _, r := range strings.Fields(c.yes) {
			if !m.HasRegister(r) {
				t.Errorf("%s %d: no `%s`", c.arch, c.mode, r)
			}
		}
		for _, r := range strings.Fields(c.no) {
			if m.HasRegister(r) {
				t.Errorf("%s %d: has `%s`, want none", c.arch, c.mode, r)
			}
		}
	}
}

func TestExtensions(t *testing.T) {
	for _, c := range []struct {
		arch         string
		mode         int
		simd, crypto string
	}{{"x86", 64, "AVX512 AVX2 AMX-INT8 3DNow", "AES SHA VAES"}, {"ARM", 32, "NEON MVE.FP IWMMXT VFPv4", "CRYPTO AES SHA1 PMULL"}, {"ARM", 64, "NEON ASIMD SVE2", "SHA512 SM3 SVE2-AES"},
		{"RISC-V", 64, "V Zvl128b", "Zkn Zvksg"}, {"PowerPC", 64, "VMX VSX MMA", "CRYPTO"}, {"MIPS", 32, "MSA PAIRED-SINGLE", ""}, {"SPARC", 64, "VIS3", "AES CAMELLIA"}, {"WASM", 32, "SIMD128", ""}} {
		s, _ := isa(t, "CPU", c.arch, c.mode)
		for _, l := range []struct {
			names string
			set   table.Features
		}{{c.simd, s.SIMD}, {c.crypto, s.Crypto}} {
			for _, n := range strings.Fields(l.names) {
				m := s.Feature(n)
				if m.Feature == nil || !slices.Contains(l.set.Names(s), m.Name) {
					t.Errorf("%s: `%s` is not in its set", c.arch, n)
				}
			}
		}
	}
}

func TestOwners(t *testing.T) {
	if got := Tables().Owners("NEON"); !slices.Equal(got, []string{"CPU ARM 32", "CPU ARM 64"}) {
		t.Errorf("owners of NEON: %v, want %v", got, []string{"CPU ARM 32", "CPU ARM 64"})
	}
}

func BenchmarkTables(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		a, _ := Tables().Arch("CPU", "x86")
		if s, _ := a.Mode(64); s.Feature("AVX2").Feature == nil {
			b.Fatal("no AVX2")
		}
	}
}

func BenchmarkClosure(b *testing.B) {
	a, _ := Tables().Arch("CPU", "x86")
	s, _ := a.Mode(64)
	names := []string{"SSE4.2", "AVX2", "FMA"}
	b.ReportAllocs()
	for b.Loop() {
		s.Meaning(names)
	}
}

func BenchmarkDecode(b *testing.B) {
	text, err := os.ReadFile("data/x86.json")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := new(table.Tables).With(strings.NewReader(string(text))); err != nil {
			b.Fatal(err)
		}
	}
}
