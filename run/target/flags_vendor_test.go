package target

import (
	"strings"
	"testing"
)

// TestVendorFlags: vendors' compilers get documented flags for the machines they build for.
func TestVendorFlags(t *testing.T) {
	v3 := machine("x86", 64, "AVX2", "BMI", "BMI2", "CX16", "F16C", "FMA", "LZCNT", "MOVBE", "SAHF")
	two := 2
	vector := v3
	vector.Optimization = Optimization{Level: 3, Speed: true, Vectorization: &two, Inlining: &two}
	v3.Preprocessor.Includes, v3.Linker.Libraries = []string{"/x"}, []string{"libm"}
	for _, c := range []struct {
		t           Target
		c           Compiler
		stage       Stage
		want, notes string
	}{
		{v3, Compiler{Name: "icx", Major: 2024}, Compiling, "-march=x86-64-v3 -O1 -I/x", ""},
		{v3, Compiler{Name: "aocc", Major: 5}, Linking, "-march=x86-64-v3 -lm", ""},
		{v3, Compiler{Name: "aocc", Major: 9}, Linking, "-march=x86-64-v3 -lm", "which clang aocc 9 contains is not documented: the flags are for aocc 5, which contains clang 17"},
		{v3, Compiler{Name: "icx", Major: 2021}, Linking, "-march=x86-64-v3 -lm", "which clang icx 2021 contains is not documented: the flags are for icx 2023, which contains clang 16"},
		{machine("ARM", 64), Compiler{Name: "armclang", Major: 24}, Linking, "-march=armv8-a", "which clang armclang 24 contains is not documented: the flags are for armclang 23, which contains clang 16"},
		{machine("x86", 64, "SM3"), Compiler{Name: "aocc", Major: 4}, Compiling, "-march=x86-64 -O1", "clang 14 has no flag for `SM3`: it came with version 17"},
		{machine("ARM", 64), Compiler{Name: "icx"}, Compiling, "", "icx builds for x86 64, not for CPU ARM 64: no flags"},
		{machine("ARM", 64, "CRC", "LSE", "RDM"), Compiler{Name: "armclang", Major: 23}, Compiling, "-march=armv8.1-a -O1", ""},
		{machine("ARM", 32, "ARMv7E-M"), Compiler{Name: "armclang"}, Compiling, "--target=arm-arm-none-eabi -mthumb -mfloat-abi=soft -march=armv7e-m -O1", ""},

		{v3, Compiler{Name: "nvc", Major: 24}, Compiling, "-tp=px -mavx2 -mbmi -mbmi2 -mf16c -mfma -mlzcnt -O1 -I/x", "nvc has no flag for `CX16`, `MOVBE`, `SAHF`"},
		{vector, Compiler{Name: "nvc"}, Compiling, "-tp=px -mavx2 -mbmi -mbmi2 -mf16c -mfma -mlzcnt -O3 -Mvect -Minline", "nvc has no flag for `CX16`, `MOVBE`, `SAHF`"},
		{on(machine("ARM", 64), Platform{Position: "PIC"}), Compiler{Name: "nvc"}, Compiling, "-fPIC -O1", ""},
		{gpuExample(), Compiler{Name: "nvc"}, Compiling, "-gpu=cc70", "nvc has no flag for VectorizationLevel"},
		{machine("S390X", 64), Compiler{Name: "nvc"}, Compiling, "", "nvc has no target for CPU S390X 64: no flags"},

		{v3, Compiler{Name: "zig", Major: 13}, Compiling, "-target x86_64-linux-gnu -mcpu=x86_64_v3 -OReleaseFast -I/x", "zig has one level for speed: ReleaseFast"},
		{on(machine("x86", 64, "SSE4.2", "SHA"), Platform{Libc: "glibc", LibcVersion: "2.31", Position: "PIE"}), Compiler{Name: "zig"}, Linking, "-target x86_64-linux-gnu.2.31 -mcpu=x86_64+crc32+popcnt+sha+sse3+sse4_1+sse4_2+ssse3 -fPIE", ""},
		{on(machine("ARM", 64), Platform{OS: "macOS", OSVersion: "14.0"}), Compiler{Name: "zig"}, Linking, "-target aarch64-macos.14.0-none -mcpu=generic", ""},
		{machine("ARM", 32, "ARMv8-M.Main"), Compiler{Name: "zig"}, Linking, "-target thumb-freestanding-eabi -mcpu=generic+v8m_main+hwdiv", ""},
		{on(machine("x86", 32), Platform{OS: "Windows", Libc: "MinGW"}), Compiler{Name: "zig"}, Linking, "-target x86-windows-gnu -mcpu=i686", ""},
		{machine("RISC-V", 64, "RV64GC", "Zba"), Compiler{Name: "zig"}, Linking, "-target riscv64-linux-gnu -mcpu=generic_rv64+a+c+d+f+m+zba+zicsr+zifencei+zmmul", ""},
		{machine("x86", 64, "SM3"), Compiler{Name: "zig", Major: 11}, Linking, "-target x86_64-linux-gnu -mcpu=x86_64+avx+crc32+popcnt+sse3+sse4_1+sse4_2+ssse3+xsave", "LLVM 16 has no name for `SM3`: it came with version 17"},
		{machine("x86", 64, "SSE4.2"), Compiler{Name: "zig", Major: 13}, Linking, "-target x86_64-linux-gnu -mcpu=x86_64+crc32+popcnt+sse3+sse4_1+sse4_2+ssse3", ""},
		{machine("S390X", 64, "VECTOR"), Compiler{Name: "zig"}, Linking, "-target s390x-linux-gnu -mcpu=z10+vector", "zig builds for S390X without `VECTOR`"},
		{machine("Xtensa", 32), Compiler{Name: "zig"}, Linking, "-target xtensa-freestanding-none -mcpu=generic", "the data layout of this target is not in the tables"},
		{gpuExample(), Compiler{Name: "zig"}, Compiling, "", "zig has no target for GPU NVIDIA 64 like this: no flags"},
	} {
		flags, notes, err := builtIn.Flags(c.t, c.c, c.stage)
		if got := strings.Join(flags, " "); err != nil || got != c.want {
			t.Errorf("%s for %s: %v\n got %s\nwant %s", c.t.Architecture, c.c.Name, err, got, c.want)
		}
		if got := strings.Join(messages(notes), "; "); got != c.notes {
			t.Errorf("%s for %s: notes\n got %s\nwant %s", c.t.Architecture, c.c.Name, got, c.notes)
		}
	}
	for name, want := range map[string]string{"znver3": "zen3", "znver4": "zen4", "znver5": "zen4", "neoverse-v2": "neoverse-v2", "pwr9": "pwr9"} {
		arch := map[bool]string{true: "x86", false: either(name == "pwr9", "PowerPC", "ARM")}[strings.HasPrefix(name, "zn")]
		isa := builtIn.look(machine(arch, 64)).isa
		set, _ := isa.Processor(name)
		flags, _, err := builtIn.Flags(machine(arch, 64, set.List().Names(isa)...), Compiler{Name: "nvc", Major: 24}, Compiling)
		if err != nil || len(flags) == 0 || flags[0] != "-tp="+want {
			t.Errorf("%s: %v %v", name, flags, err)
		}
	}
}
