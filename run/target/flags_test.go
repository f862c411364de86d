package target

import (
	"errors"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

func TestFlags(t *testing.T) {
	with := func(x Target, f func(*Target)) Target { f(&x); return x }
	none := func(*Target) {}
	for _, c := range []struct {
		name  string
		t     Target
		c     Compiler
		stage Stage
		want  string
		notes string // joined with "; "
	}{
		{"x86 gcc", x86Example(), Compiler{Name: "gcc"}, Compiling, "-m64 -march=x86-64 -msse4.2 -mavx2 -mfma -O2 -DLINUX=1 -DX86_64=1 -I/usr/include -I/usr/local/include", ""},
		{"x86 clang", x86Example(), Compiler{Name: "clang"}, Compiling, "--target=x86_64-unknown-linux-gnu -march=x86-64 -msse4.2 -mavx2 -mfma -O2 -DLINUX=1 -DX86_64=1 -I/usr/include -I/usr/local/include", ""},
		{"x86 gcc link", x86Example(), Compiler{Name: "gcc"}, Linking, "-m64 -march=x86-64 -msse4.2 -mavx2 -mfma -L/usr/lib -lc -lm", "`main` is what the C start-up code calls: no flag for the entry point"},
		{"x86 rustc", x86Example(), Compiler{Name: "rustc"}, Compiling, "--target=x86_64-unknown-linux-gnu -Ctarget-cpu=x86-64 -Ctarget-feature=+sse4.2,+avx2,+fma -Copt-level=2", "rustc has no preprocessor: Define and Include have no flags"},
		{"arm gcc", armExample(), Compiler{Name: "gcc"}, Compiling, "-mlittle-endian -mfloat-abi=softfp -march=armv7-a -mfpu=neon-vfpv4 -Os -DEMBEDDED=1", ""},
		{"arm clang link", armExample(), Compiler{Name: "clang"}, Linking, "--target=armv7a-none-eabi -mfloat-abi=softfp -march=armv7-a -mfpu=neon-vfpv4 -lc_s -Wl,-e,Reset_Handler -Wl,--oformat=binary", ""},
		{"arm rustc", with(armExample(), none), Compiler{Name: "rustc"}, Linking, "--target=armv7a-none-eabi -lc_s -Clink-arg=-Wl,-e,Reset_Handler -Clink-arg=-Wl,--oformat=binary", "rustc warns of `NEON`, `VFPv4` as unstable: left out unless asked for"},
		{"gpu clang", gpuExample(), Compiler{Name: "clang"}, Compiling, "--target=nvptx64-nvidia-cuda -march=sm_70 -O3 -fvectorize", "`SM_70` has a flag but no macro in clang"},
		{"gpu gcc", gpuExample(), Compiler{Name: "gcc"}, Compiling, "", "gcc has no target for GPU NVIDIA: no flags"},
		{"two devices", with(gpuExample(), func(x *Target) { x.Features = []string{"SM_80", "SM_70", "PTX70"} }), Compiler{Name: "clang"}, Linking, "--target=nvptx64-nvidia-cuda -march=sm_80 -Xclang -target-feature -Xclang +ptx70", "`SM_80` has a flag but no macro in clang; `SM_70` has a flag but no macro in clang; `PTX70` has a flag but no macro in clang"},
		{"amd", Target{PU: "GPU", Architecture: "AMD", Mode: 64, Features: []string{"gfx90a", "xnack"}}, Compiler{Name: "clang"}, Linking, "--target=amdgcn-amd-amdhsa -nogpulib -mcpu=gfx90a:xnack+", "`xnack` has a flag but no macro in clang"},
		{"amd unlike", Target{PU: "GPU", Architecture: "AMD", Mode: 64, Features: []string{"gfx90a", "gfx906"}}, Compiler{Name: "clang"}, Linking, "--target=amdgcn-amd-amdhsa -nogpulib -mcpu=gfx90a", "clang builds for one device: it gets no `gfx906` besides `gfx90a`"},
		{"riscv", with(machine("RISC-V", 64, "RV64GC", "Zba"), func(x *Target) { x.ABI = &ABI{Name: "LP64D"} }), Compiler{Name: "gcc"}, Linking, "-mabi=lp64d -march=rv64imafdc_zba_zicsr_zifencei_zmmul", ""},
		{"riscv old clang", machine("RISC-V", 64, "D", "Zba"), Compiler{Name: "clang", Major: 14}, Linking, "--target=riscv64-unknown-linux-gnu -march=rv64ifd_zba", ""},
		{"riscv abi", with(machine("RISC-V", 32, "M"), func(x *Target) { x.ABI = &ABI{Name: "ILP32D"} }), Compiler{Name: "gcc"}, Linking, "-mabi=ilp32d -march=rv32im_zmmul", "ABI `ILP32D` needs the feature `D`, which the target does not name"},
		{"riscv small base", machine("RISC-V", 32, "E", "C"), Compiler{Name: "gcc"}, Linking, "-mabi=ilp32e -march=rv32ec", "`E` has a flag but no macro in gcc"},
		{"riscv no small base", machine("RISC-V", 32, "E", "C"), Compiler{Name: "clang", Major: 14}, Linking, "--target=riscv32-unknown-linux-gnu", "clang 14 has no flag for `E`: it came with version 19"},
		{"riscv own ABI", machine("RISC-V", 64, "F"), Compiler{Name: "gcc"}, Linking, "-mabi=lp64f -march=rv64if_zicsr", ""},
		{"riscv wide small base", machine("RISC-V", 64, "E"), Compiler{Name: "gcc", Major: 12}, Linking, "", "`E` has a flag but no macro in gcc; gcc 12 has no 64 bit base `E`: it came with version 14"},
		{"riscv length alone", machine("RISC-V", 64, "Zvl64b"), Compiler{Name: "clang"}, Linking, "--target=riscv64-unknown-linux-gnu -march=rv64i", "clang takes a vector length (Zvl…) only beside `V` or a `Zve…`: no flag"},
		{"riscv supervisor", machine("RISC-V", 64, "D", "Zba", "Svinval"), Compiler{Name: "gcc"}, Linking, "-mabi=lp64d -march=rv64ifd_svinval_zba_zicsr", ""},
		{"riscv too wide", machine("RISC-V", 128), Compiler{Name: "gcc"}, Linking, "", "gcc has no target for CPU RISC-V: no flags"},
		{"arm without floats", machine("ARM", 32, "CRC"), Compiler{Name: "gcc"}, Linking, "-mlittle-endian -mfloat-abi=soft -march=armv8-a+crc", ""},
		{"young architecture", machine("LoongArch", 64), Compiler{Name: "clang", Major: 14}, Linking, "", "clang 14 has no target for CPU LoongArch: it came with version 16"},
		{"only in LLVM", machine("Xtensa", 32), Compiler{Name: "clang"}, Linking, "", "clang has no target for CPU Xtensa: no flags"},
		{"greatest of an option", Target{PU: "DSP", Architecture: "Hexagon", Mode: 32, Features: []string{"HVXV69", "HVXV60", "HVX-LENGTH128B"}}, Compiler{Name: "clang"}, Linking, "--target=hexagon-unknown-elf -mhvx=v69 -mhvx-length=128b", ""},
		{"not in this mode", machine("x86", 32, "AVX2", "UINTR"), Compiler{Name: "gcc"}, Linking, "-m32 -march=i686 -mavx2", "`UINTR` does not work in mode 32: no flag"},
		{"needs its processor", machine("PowerPC", 64, "MMA"), Compiler{Name: "gcc"}, Linking, "-m64 -mbig-endian -mcpu=power10", ""},
		{"libraries", with(machine("x86", 64), func(x *Target) { x.Linker.Libraries = []string{"libm.so.6", "libz.so", "lib/x.a", "gmp"} }), Compiler{Name: "gcc"}, Linking, "-m64 -march=x86-64 -l:libm.so.6 -lz lib/x.a -lgmp", ""},
		{"rust libraries", with(machine("WASM", 32), func(x *Target) { x.Linker.Libraries = []string{"libm.so.6", "lib/x.a", "gmp"} }), Compiler{Name: "rustc"}, Linking, "--target=wasm32-unknown-unknown -Clink-arg=-l:libm.so.6 -Clink-arg=lib/x.a -lgmp", ""},
		{"too new", machine("x86", 64, "AVX2", "SM3"), Compiler{Name: "gcc", Major: 12}, Linking, "-m64 -march=x86-64 -mavx2", "gcc 12 has no flag for `SM3`: it came with version 14"},
		{"too old", machine("x86", 64, "AVX512ER"), Compiler{Name: "gcc"}, Linking, "-m64 -march=x86-64", "gcc has no flag for `AVX512ER` after version 14"},
		{"no flag", machine("x86", 32, "INVPCID", "CMOV", "MMX"), Compiler{Name: "gcc"}, Linking, "-m32 -march=i686 -mmmx", "gcc has no flag for `INVPCID`"},
		{"no flag in 16", machine("x86", 16, "CMOV"), Compiler{Name: "gcc"}, Linking, "-m16 -march=i386", "gcc has no flag for `CMOV`"},
		{"base needs none", machine("x86", 64, "CMOV", "X87"), Compiler{Name: "clang"}, Linking, "--target=x86_64-unknown-linux-gnu -march=x86-64", ""},
		{"macro of another name", machine("x86", 64, "CX16", "SAHF"), Compiler{Name: "clang"}, Linking, "--target=x86_64-unknown-linux-gnu -march=x86-64 -mcx16 -msahf", ""},
		{"no macro", machine("ARM", 64, "RAS"), Compiler{Name: "clang"}, Linking, "--target=aarch64-unknown-linux-gnu -march=armv8-a+ras", "`RAS` has a flag but no macro in clang"},
		{"arm vectors without a unit", machine("ARM", 32, "MVE"), Compiler{Name: "clang"}, Linking, "--target=thumbv8.1m.main-none-eabi -mthumb -mfloat-abi=softfp -march=armv8.1-m.main+mve", ""},
		{"what gcc leaves out", machine("x86", 64, "AVX512F"), Compiler{Name: "gcc"}, Linking, "-m64 -march=x86-64 -mavx512f -mf16c -mfma", ""},
		{"unknown", machine("x86", 64, "Warp9"), Compiler{Name: "gcc"}, Linking, "-m64 -march=x86-64", "`Warp9` is not a known feature of x86: no flag"},
		{"arm64", machine("ARM", 64, "CRC", "RDM", "SVE2"), Compiler{Name: "gcc"}, Linking, "-mlittle-endian -march=armv8-a+crc+rdma+sve2", "`RDM` has a flag but no macro in gcc"},
		{"arm64 big", with(machine("ARM", 64), func(x *Target) { x.Memory.Endianness = "Big" }), Compiler{Name: "clang"}, Linking, "--target=aarch64_be-unknown-linux-gnu -march=armv8-a", ""},
		{"arm extension", machine("ARM", 32, "CRC", "NEON"), Compiler{Name: "gcc"}, Linking, "-mlittle-endian -mfloat-abi=softfp -march=armv8-a+crc -mfpu=neon", ""},
		{"ppc", with(machine("PowerPC", 64, "VSX"), func(x *Target) { x.Memory.Endianness = "Little"; x.ABI = &ABI{Name: "ELFv2"} }), Compiler{Name: "gcc"}, Linking, "-m64 -mlittle-endian -mabi=elfv2 -mvsx", ""},
		{"levels clang", with(machine("x86", 64), func(x *Target) {
			x.Optimization = Optimization{Level: 3, Size: true, Vectorization: num(0), Inlining: num(1)}
		}), Compiler{Name: "clang"}, Compiling, "--target=x86_64-unknown-linux-gnu -march=x86-64 -Oz -fno-vectorize -fno-slp-vectorize -finline-hint-functions", ""},
		{"levels gcc", with(machine("x86", 64), func(x *Target) {
			x.Optimization = Optimization{Level: 3, Size: true, Vectorization: num(0), Inlining: num(1)}
		}), Compiler{Name: "gcc", Major: 11}, Compiling, "-m64 -march=x86-64 -Os -fno-tree-vectorize", ""},
		{"both size and speed", with(machine("x86", 64), func(x *Target) {
			x.Optimization = Optimization{Level: 2, Size: true, Speed: true, Inlining: num(2)}
		}), Compiler{Name: "gcc"}, Compiling, "-m64 -march=x86-64 -O2 -finline-functions", "`SizeOptimization` and `SpeedOptimization` are both on: at level 2 speed wins"},
		{"no red zone", with(x86Example(), func(x *Target) {
			x.ABI = &ABI{Name: "SystemV", RedZone: num(0), StackAlignment: num(32)}
			x.Linker = Linker{}
		}), Compiler{Name: "gcc"}, Linking, "-m64 -mno-red-zone -mpreferred-stack-boundary=5 -march=x86-64 -msse4.2 -mavx2 -mfma", ""},
		{"s390x", machine("S390X", 64), Compiler{Name: "gcc"}, Linking, "-m64", ""},
		{"mips", machine("MIPS", 32), Compiler{Name: "gcc"}, Linking, "-EB", ""},
		{"sparc", machine("SPARC", 32), Compiler{Name: "gcc"}, Linking, "-m32", ""},
		{"x86 32 rustc", machine("x86", 32), Compiler{Name: "rustc"}, Linking, "--target=i686-unknown-linux-gnu", ""},
		{"arm64 rustc", machine("ARM", 64), Compiler{Name: "rustc"}, Linking, "--target=aarch64-unknown-linux-gnu", ""},
		{"windows", with(machine("x86", 64), func(x *Target) { x.ABI = &ABI{Name: "Win64"}; x.Linker.OutputFormat = "PE" }), Compiler{Name: "clang"}, Linking, "--target=x86_64-pc-windows-msvc -march=x86-64", ""},
		{"custom ABI", with(machine("x86", 64), func(x *Target) { x.ABI = &ABI{Name: "Ours"} }), Compiler{Name: "clang"}, Linking, "--target=x86_64-unknown-linux-gnu -march=x86-64", "`Ours` is a custom ABI: no flag for its registers"},
		{"custom ABI without a red zone", with(machine("x86", 64), func(x *Target) {
			x.ABI = &ABI{Name: "Ours", RedZone: num(0), StackAlignment: num(32)}
		}), Compiler{Name: "gcc"}, Linking, "-m64 -mno-red-zone -mpreferred-stack-boundary=5 -march=x86-64", "`Ours` is a custom ABI: no flag for its registers"},
		{"custom red zone", with(machine("ARM", 64), func(x *Target) {
			x.ABI = &ABI{Name: "Ours", RedZone: num(64), StackAlignment: num(16)}
		}), Compiler{Name: "gcc"}, Linking, "-mlittle-endian -march=armv8-a", "`Ours` is a custom ABI: no flag for its registers; gcc cannot set a red zone of 64 bytes"},
		{"stack alignment of clang", with(machine("x86", 64), func(x *Target) { x.ABI = &ABI{Name: "SystemV", StackAlignment: num(32)} }), Compiler{Name: "clang"}, Linking, "--target=x86_64-unknown-linux-gnu -mstack-alignment=32 -march=x86-64", ""},
		{"stack alignment too small", with(machine("x86", 64), func(x *Target) { x.ABI = &ABI{Name: "SystemV", StackAlignment: num(4)} }), Compiler{Name: "gcc"}, Linking, "-m64 -march=x86-64", "gcc aligns the stack to 8 to 4096 bytes in mode 64, not to 4"},
		{"stack alignment too large", with(machine("x86", 32), func(x *Target) { x.ABI = &ABI{Name: "cdecl", StackAlignment: num(8192)} }), Compiler{Name: "gcc"}, Linking, "-m32 -march=i686", "gcc aligns the stack to 4 to 4096 bytes in mode 32, not to 8192"},
		{"speed without a level", with(machine("x86", 64), func(x *Target) { x.Optimization = Optimization{Speed: true} }), Compiler{Name: "gcc"}, Compiling, "-m64 -march=x86-64 -O0", "level 0 optimises neither for speed nor for size: -O0"},
		{"speed at a level", with(machine("x86", 64), func(x *Target) { x.Optimization = Optimization{Level: 3, Speed: true} }), Compiler{Name: "gcc"}, Compiling, "-m64 -march=x86-64 -O3", ""},
		{"x32", with(machine("x86", 64), func(x *Target) { x.ABI = &ABI{Name: "x32"} }), Compiler{Name: "gcc"}, Linking, "-mx32 -march=x86-64", ""},
		{"impossible order", with(machine("x86", 64), func(x *Target) { x.Memory.Endianness = "Big" }), Compiler{Name: "gcc"}, Linking, "-m64 -march=x86-64", "x86 is never big-endian: no flag"},
		{"text define", with(machine("x86", 64), func(x *Target) {
			x.Preprocessor.Defines = []Define{{"PLATFORM", String, "x64"}, {"DEBUG", Flag, ""}, {"V", Float, "1.5"}}
		}), Compiler{Name: "gcc"}, Compiling, `-m64 -march=x86-64 -O1 -DPLATFORM="x64" -DDEBUG -DV=1.5`, ""},
		{"no red zone of Apple", with(machine("ARM", 64), func(x *Target) { x.ABI = &ABI{Name: "Apple", RedZone: num(0)} }), Compiler{Name: "clang"}, Linking, "--target=aarch64-unknown-linux-gnu -mno-red-zone -march=armv8-a", ""},
		{"no red zone of Apple in gcc", with(machine("ARM", 64), func(x *Target) { x.ABI = &ABI{Name: "Apple", RedZone: num(0)} }), Compiler{Name: "gcc"}, Linking, "-mlittle-endian -march=armv8-a", "gcc cannot set a red zone of 0 bytes"},
		{"own red zone of Apple", with(machine("ARM", 64), func(x *Target) { x.ABI = &ABI{Name: "Apple", RedZone: num(128)} }), Compiler{Name: "clang"}, Linking, "--target=aarch64-unknown-linux-gnu -march=armv8-a", ""},
		{"no red zone anyway", with(machine("x86", 32), func(x *Target) { x.ABI = &ABI{Name: "cdecl", RedZone: num(0)} }), Compiler{Name: "gcc"}, Linking, "-m32 -march=i686", ""},
		{"red zone in mode 32", with(machine("x86", 32), func(x *Target) { x.ABI = &ABI{Name: "cdecl", RedZone: num(128)} }), Compiler{Name: "gcc"}, Linking, "-m32 -march=i686", "gcc cannot set a red zone of 128 bytes"},
		{"smaller red zone", with(machine("x86", 64), func(x *Target) { x.ABI = &ABI{Name: "SystemV", RedZone: num(64)} }), Compiler{Name: "gcc"}, Linking, "-m64 -march=x86-64", "gcc cannot set a red zone of 64 bytes"},
		{"custom ABI of arm without a red zone", with(machine("ARM", 64), func(x *Target) { x.ABI = &ABI{Name: "Ours", RedZone: num(0)} }), Compiler{Name: "clang"}, Linking, "--target=aarch64-unknown-linux-gnu -march=armv8-a", "`Ours` is a custom ABI: no flag for its registers"},
		{"Win64 in gcc", with(machine("x86", 64), func(x *Target) { x.ABI = &ABI{Name: "Win64"} }), Compiler{Name: "gcc"}, Linking, "-m64 -mabi=ms -march=x86-64", ""},
		{"Win64 in clang", with(machine("x86", 64), func(x *Target) { x.ABI = &ABI{Name: "Win64"} }), Compiler{Name: "clang"}, Linking, "--target=x86_64-unknown-linux-gnu -march=x86-64", "clang takes the Win64 ABI from the output format: set OutputFormat = PE"},
		{"x32 in clang", with(machine("x86", 64), func(x *Target) { x.ABI = &ABI{Name: "x32"} }), Compiler{Name: "clang"}, Linking, "--target=x86_64-unknown-linux-gnux32 -march=x86-64", ""},
		{"PE in gcc", with(machine("x86", 64), func(x *Target) { x.Linker.OutputFormat = "PE" }), Compiler{Name: "gcc"}, Linking, "-m64 -march=x86-64", "a gcc links one output format: for PE use a gcc built for it"},
		{"Mach-O in clang", with(machine("ARM", 64), func(x *Target) { x.Linker.OutputFormat = "Mach-O" }), Compiler{Name: "clang"}, Linking, "--target=arm64-apple-macosx -mcpu=generic -march=armv8-a", ""},
		{"stack alignment of arm", with(machine("ARM", 64), func(x *Target) { x.ABI = &ABI{Name: "AAPCS64", StackAlignment: num(32)} }), Compiler{Name: "gcc"}, Linking, "-mlittle-endian -march=armv8-a", "gcc cannot set the stack alignment of ARM"},
		{"least stack alignment", with(machine("x86", 64), func(x *Target) { x.ABI = &ABI{Name: "SystemV", StackAlignment: num(8)} }), Compiler{Name: "gcc"}, Linking, "-m64 -mpreferred-stack-boundary=3 -march=x86-64", ""},
		{"largest stack alignment", with(machine("x86", 64), func(x *Target) { x.ABI = &ABI{Name: "SystemV", StackAlignment: num(4096)} }), Compiler{Name: "gcc"}, Linking, "-m64 -mpreferred-stack-boundary=12 -march=x86-64", ""},
		{"memory of its own", with(machine("x86", 64), func(x *Target) { x.Memory.Model, x.Memory.StackGrowth = "Segmented", "Up" }), Compiler{Name: "gcc"}, Linking, "-m64 -march=x86-64", "gcc has no flag for the Segmented memory model; gcc has no flag for a stack that grows up"},
		{"amd without a device", Target{PU: "GPU", Architecture: "AMD", Mode: 64, Features: []string{"xnack"}}, Compiler{Name: "clang"}, Linking, "--target=amdgcn-amd-amdhsa -nogpulib", "`xnack` has a flag but no macro in clang; clang needs a gfx name among the features"},
		{"arm units", machine("ARM", 32, "VFPv3", "NEON"), Compiler{Name: "gcc"}, Linking, "-mlittle-endian -mfloat-abi=softfp -march=armv7-a -mfpu=neon", ""},
		{"library names", with(machine("x86", 64), func(x *Target) { x.Linker.Libraries = []string{"lib", "libz.a", "x.dylib", "y.lib", `c:\z.lib`} }), Compiler{Name: "gcc"}, Linking, "-m64 -march=x86-64 -llib -lz -lx -ly c:\\z.lib", ""},
		{"rustc levels", with(machine("x86", 64), func(x *Target) {
			x.Optimization = Optimization{Level: 3, Size: true, Vectorization: num(0), Inlining: num(1)}
		}), Compiler{Name: "rustc"}, Compiling, "--target=x86_64-unknown-linux-gnu -Ctarget-cpu=x86-64 -Copt-level=z -Cno-vectorize-loops -Cno-vectorize-slp", "rustc has no flag for InliningLevel"},
		{"rustc small", with(machine("x86", 64), func(x *Target) { x.Optimization = Optimization{Level: 2, Size: true, Vectorization: num(1)} }), Compiler{Name: "rustc"}, Compiling, "--target=x86_64-unknown-linux-gnu -Ctarget-cpu=x86-64 -Copt-level=s", ""},
		{"rustc level 0", with(machine("x86", 64), func(x *Target) { x.Optimization = Optimization{Size: true} }), Compiler{Name: "rustc"}, Compiling, "--target=x86_64-unknown-linux-gnu -Ctarget-cpu=x86-64 -Copt-level=0", ""},
		{"rustc link", with(x86Example(), func(x *Target) { x.ABI.RedZone = num(0); x.Linker.Libraries = []string{"m"} }), Compiler{Name: "rustc"}, Linking, "--target=x86_64-unknown-linux-gnu -Ctarget-cpu=x86-64 -Ctarget-feature=+sse4.2,+avx2,+fma -Cno-redzone=yes -Lnative=/usr/lib -lm", ""},
		{"rustc raw", with(machine("x86", 64), func(x *Target) { x.Linker = Linker{EntryPoint: "main", OutputFormat: "Raw"} }), Compiler{Name: "rustc"}, Linking, "--target=x86_64-unknown-none -Ctarget-cpu=x86-64 -Clink-arg=-Wl,-e,main -Clink-arg=-Wl,--oformat=binary", ""},
		{"rustc without a target", machine("x86", 16), Compiler{Name: "rustc"}, Linking, "", "rustc has no target for CPU x86 16 like this: no flags"},
		{"rustc without a feature", machine("x86", 64, "MPX", "CMOV"), Compiler{Name: "rustc"}, Linking, "--target=x86_64-unknown-linux-gnu -Ctarget-cpu=x86-64", "rustc has no feature `MPX`"},
		{"rustc for a device", gpuExample(), Compiler{Name: "rustc"}, Linking, "--target=nvptx64-nvidia-cuda -Ctarget-cpu=sm_70", ""},
		{"rustc windows", with(machine("ARM", 64), func(x *Target) { x.Linker.OutputFormat = "PE" }), Compiler{Name: "rustc"}, Linking, "--target=aarch64-pc-windows-msvc", ""},
		{"rustc mac", with(machine("ARM", 64), func(x *Target) { x.Linker.OutputFormat = "Mach-O" }), Compiler{Name: "rustc"}, Linking, "--target=aarch64-apple-darwin", ""},
		{"rustc riscv raw", with(machine("RISC-V", 32), func(x *Target) { x.Linker.OutputFormat = "Raw" }), Compiler{Name: "rustc"}, Linking, "--target=riscv32i-unknown-none-elf -Clink-arg=-Wl,--oformat=binary", ""},
		{"rustc riscv", machine("RISC-V", 64), Compiler{Name: "rustc"}, Linking, "--target=riscv64gc-unknown-linux-gnu", ""},
		{"rustc arm", machine("ARM", 32), Compiler{Name: "rustc"}, Linking, "--target=armv7-unknown-linux-gnueabi", ""},
		{"rustc arm big", with(machine("ARM", 32), func(x *Target) { x.Memory.Endianness = "Big" }), Compiler{Name: "rustc"}, Linking, "--target=armeb-unknown-linux-gnueabi", ""},
		{"rustc ppc", machine("PowerPC", 64), Compiler{Name: "rustc"}, Linking, "--target=powerpc64-unknown-linux-gnu", ""},
		{"rustc arm64 raw", with(machine("ARM", 64), func(x *Target) { x.Linker.OutputFormat = "Raw" }), Compiler{Name: "rustc"}, Linking, "--target=aarch64-unknown-none -Clink-arg=-Wl,--oformat=binary", ""},
		{"c6000", Target{PU: "DSP", Architecture: "C6000", Mode: 32, Features: []string{"c64x+", "c62x"}, Memory: Memory{Endianness: "Big"}}, Compiler{Name: "gcc"}, Linking, "-mbig-endian -march=c64x+", "`C64x+` has a flag but no macro in gcc; `C62x` has a flag but no macro in gcc"},
	} {
		flags, notes, err := builtIn.Flags(c.t, c.c, c.stage)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := strings.Join(flags, " "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		if got := strings.Join(messages(notes), "; "); got != c.notes {
			t.Errorf("%s: notes\n got %s\nwant %s", c.name, got, c.notes)
		}
	}
}

// TestFlagsProblems: a problem has a kind, a key and a place in the target.
func TestFlagsProblems(t *testing.T) {
	at := source.NewFile("x.coilcfg", "PU = CPU").Span(0, 2)
	for _, c := range []struct {
		t    Target
		c    string
		want problem.Problem
	}{
		{x86Example(), "tcc", problem.Problem{
			Kind: UnknownCompiler, Subject: problem.Subject{Name: "tcc"}, Message: "there are no flags for `tcc`",
			Expected: "known are aocc, armclang, cargo, clang, cmake, gcc, go, hipcc, icx, meson, nvc, nvcc, rustc, zig", Suggestion: "gcc",
		}},
		{Target{Span: at, PU: "CPU", Architecture: "PDP", Mode: 16}, "gcc", problem.Problem{
			Kind: UnknownMachine, Span: at, Subject: problem.Subject{Key: "Architecture"},
			Message: "there are no flags for CPU `PDP` with mode 16: the tables do not have it",
		}},
		{Target{Span: at, PU: "GPU", Architecture: "NVIDIA", Mode: 64}, "gcc", problem.Problem{
			Kind: NoTarget, Severity: problem.Info, Span: at, Subject: problem.Subject{Key: "Architecture"},
			Message: "gcc has no target for GPU NVIDIA: no flags",
		}},
		{Target{Span: at, PU: "CPU", Architecture: "x86", Mode: 64, Memory: Memory{StackGrowth: "Up"}}, "gcc", problem.Problem{
			Kind: NoFlag, Severity: problem.Info, Span: at, Subject: problem.Subject{Key: "StackGrowth"},
			Message: "gcc has no flag for a stack that grows up",
		}},
	} {
		_, notes, err := builtIn.Flags(c.t, Compiler{Name: c.c}, Compiling)
		var p *problem.Problem
		if !errors.As(err, &p) && len(notes) == 1 {
			p = notes[0]
		}
		if p == nil || !reflect.DeepEqual(*p, c.want) {
			t.Errorf("%s for %s: %+v, notes %v; want p not nil and *p = %v", c.t.Architecture, c.c, p, messages(notes), c.want)
		}
	}
}

func TestToolchain(t *testing.T) {
	x := x86Example()
	x.Preprocessor.Defines = append(x.Preprocessor.Defines, Define{"WHO", String, "a b"})
	lines, notes, err := builtIn.Flags(x, Compiler{Name: "cmake"}, Compiling)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"set(CMAKE_SYSTEM_NAME Linux)",
		"set(CMAKE_SYSTEM_PROCESSOR x86_64)",
		"set(CMAKE_C_COMPILER_TARGET x86_64-unknown-linux-gnu)",
		`set(CMAKE_C_FLAGS_INIT "-m64 -march=x86-64 -msse4.2 -mavx2 -mfma -O2 -DLINUX=1 -DX86_64=1 '-DWHO=\"a b\"' -I/usr/include -I/usr/local/include")`,
		`set(CMAKE_EXE_LINKER_FLAGS_INIT "-m64 -march=x86-64 -msse4.2 -mavx2 -mfma -L/usr/lib")`,
		`set(CMAKE_C_STANDARD_LIBRARIES "-lc -lm")`,
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %s in\n%s", want, strings.Join(lines, "\n"))
		}
	}
	if len(notes) != 1 {
		t.Errorf("%q, want 1", notes)
	}
}

// TestToolchainSystems: the system follows from the output format and the unit, and flags that only
// one of the compilers takes are left out.
func TestToolchainSystems(t *testing.T) {
	format := func(f string) Target {
		x := machine("x86", 64)
		x.Linker.OutputFormat = f
		return x
	}
	win64 := machine("x86", 64)
	win64.ABI = &ABI{Name: "Win64"}
	for _, c := range []struct {
		t     Target
		lines []string
		not   string
		note  string
	}{
		{format("PE"), []string{"set(CMAKE_SYSTEM_NAME Windows)", "set(CMAKE_SYSTEM_PROCESSOR x86_64)", "set(CMAKE_CXX_COMPILER_TARGET x86_64-pc-windows-msvc)"}, "STANDARD_LIBRARIES", "a gcc links one output format: for PE use a gcc built for it"},
		{format("Mach-O"), []string{"set(CMAKE_SYSTEM_NAME Darwin)"}, "", ""},
		{format("Raw"), []string{"set(CMAKE_SYSTEM_NAME Generic)", `set(CMAKE_EXE_LINKER_FLAGS_INIT "-m64 -march=x86-64 -Wl,--oformat=binary")`, `set(CMAKE_MODULE_LINKER_FLAGS_INIT "-m64 -march=x86-64 -Wl,--oformat=binary")`}, "", ""},
		{gpuExample(), []string{"set(CMAKE_SYSTEM_NAME Generic)", "set(CMAKE_SYSTEM_PROCESSOR nvptx64)", `set(CMAKE_C_FLAGS_INIT "-march=sm_70 -O3 -fvectorize")`}, "--target", "gcc has no target for GPU NVIDIA: no flags"},
		{win64, []string{`set(CMAKE_C_FLAGS_INIT "-m64 -march=x86-64 -O1")`}, "-mabi=ms", "clang does not take `-mabi=ms`: it is not in the file"},
		{Target{PU: "DSP", Architecture: "C6000", Mode: 32}, []string{"set(CMAKE_SYSTEM_PROCESSOR C6000)"}, "COMPILER_TARGET", "clang has no target for DSP C6000: no flags"},
	} {
		lines, notes, err := builtIn.Flags(c.t, Compiler{Name: "cmake"}, Compiling)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(lines, "\n")
		for _, want := range c.lines {
			if !slices.Contains(lines, want) {
				t.Errorf("no line %s in\n%s", want, text)
			}
		}
		if c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s in\n%s\nwant no %q in it", c.not, text, c.not)
		}
		if c.note != "" && !slices.Contains(messages(notes), c.note) {
			t.Errorf("no note %s in %q", c.note, messages(notes))
		}
	}
}

// A toolchain file names only processors that the given versions of both compilers know.
func TestToolchainProcessors(t *testing.T) {
	isa := builtIn.look(machine("x86", 64)).isa
	for _, major := range []int{0, 11, 13, 17} {
		for i := range isa.Processors {
			p := &isa.Processors[i]
			x := machine("x86", 64)
			x.Features = p.Features.Names(isa)
			lines, notes, err := builtIn.Flags(x, Compiler{Name: "cmake", Major: major}, Compiling)
			if err != nil {
				t.Fatal(err)
			}
			for _, note := range messages(notes) {
				if strings.Contains(note, "-march=") {
					t.Errorf("version %d: %s: %s; want no %q in it", major, p.Name, note, "-march=")
				}
			}
			if p.Name == "x86-64-v3" && strings.Contains(strings.Join(lines, "\n"), "-march=x86-64-v3 ") != (major != 11) { // gcc 11 knows it, and clang 11 does not
				t.Errorf("version %d:\n%s\nwant -march=x86-64-v3 in it exactly where the version is not 11", major, strings.Join(lines, "\n"))
			}
		}
	}
}

// TestToolchainVersions checks that gcc and clang each get flags for their own version.
func TestToolchainVersions(t *testing.T) {
	isa := builtIn.look(machine("x86", 64)).isa
	const processor = "-march=x86-64-v3 " // gcc 11 and clang 12 know it
	for i := range isa.Processors {
		if isa.Processors[i].Name != "x86-64-v3" {
			continue
		}
		x := machine("x86", 64)
		x.Features = isa.Processors[i].Features.Names(isa)
		for _, c := range []struct {
			gcc, clang int
			want       bool
			versions   string
		}{{11, 13, true, " and gcc 11, clang 13,"}, {11, 11, false, " and gcc 11, clang 11,"}, {10, 13, false, ""}, {0, 11, false, " and clang 11,"}, {0, 0, true, "x86, use"}} {
			lines, _, err := builtIn.Flags(x, Compiler{Name: "cmake", GCC: c.gcc, Clang: c.clang}, Compiling)
			text := strings.Join(lines, "\n")
			if err != nil || strings.Contains(text, processor) != c.want || !strings.Contains(lines[0], c.versions) {
				t.Errorf("gcc %d, clang %d: %v\n%s", c.gcc, c.clang, err, text)
			}
		}
		return
	}
	t.Error("no x86-64-v3")
}

// TestToolchainCompiles: the installed gcc and clang accept the flags of every processor's toolchain file.
func TestToolchainCompiles(t *testing.T) {
	compilers := []string{need.Compiler(t, "gcc"), need.Compiler(t, "clang")}
	host := ThisHost().Compiler("cmake")
	if host.GCC == 0 || host.Clang == 0 {
		t.Fatalf("%+v, want host.GCC other than 0 and host.Clang other than 0", host)
	}
	isa, step := builtIn.look(machine("x86", 64)).isa, stride(t)
	tried := map[string]bool{}
	for i := 0; i < len(isa.Processors); i += step {
		x := machine("x86", 64)
		x.Features = isa.Processors[i].Features.Names(isa)
		lines, _, err := builtIn.Flags(x, host, Compiling)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			flags, ok := strings.CutPrefix(line, `set(CMAKE_C_FLAGS_INIT "`)
			if !ok || tried[flags] {
				continue
			}
			tried[flags] = true
			for _, compiler := range compilers {
				args := append(strings.Fields(strings.TrimSuffix(flags, `")`)), "-fsyntax-only", "-x", "c", os.DevNull)
				if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
					t.Errorf("%s: %s %q: %s; want none", isa.Processors[i].Name, compiler, args, out)
				}
			}
		}
	}
	if len(tried) == 0 {
		t.Error("no flags")
	}
}

func TestLLVM(t *testing.T) {
	for _, c := range []struct {
		t    Target
		want LLVMView
	}{
		{x86Example(), LLVMView{"x86_64-unknown-linux-gnu", "x86-64", "+sse4.2,+avx2,+fma", "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"}},
		{armExample(), LLVMView{"armv7a-none-eabi", "generic", "+neon,+vfp4", "e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64"}},
		{gpuExample(), LLVMView{"nvptx64-nvidia-cuda", "sm_70", "", "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"}},
		{machine("RISC-V", 64, "RV64GC"), LLVMView{"riscv64-unknown-linux-gnu", "generic-rv64", "+a,+c,+d,+i,+m,+zifencei", "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"}},
		{machine("WASM", 32, "SIMD128"), LLVMView{"wasm32-unknown-unknown", "mvp", "+simd128", "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-n32:64-S128-ni:1:10:20"}},
	} {
		got, notes := builtIn.LLVM(c.t, 0)
		if got != c.want || len(notes) > 0 {
			t.Errorf("%s: %+v %q, want got = %v and len(notes) at most 0", c.t.Architecture, got, notes, c.want)
		}
	}
	_, notes := builtIn.LLVM(machine("x86", 64, "MPX"), 0)
	if !slices.Equal(messages(notes), []string{"LLVM has no name for `MPX`"}) {
		t.Errorf("%q, want %v", notes, []string{"LLVM has no name for `MPX`"})
	}
}

// TestLLVMVersions: each version of LLVM gets its own data layout, and features that it lacks are noted.
func TestLLVMVersions(t *testing.T) {
	big := machine("PowerPC", 64)
	raw := big
	raw.Linker.OutputFormat = "Raw"
	for _, c := range []struct {
		t             Target
		version       int
		layout, notes string
	}{
		{machine("ARM", 64), 18, "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128", ""},
		{machine("ARM", 64), 19, "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32", ""},
		{big, 0, "E-m:e-Fi64-i64:64-n32:64-S128-v256:256:256-v512:512:512", ""},
		{big, 16, "E-m:e-i64:64-n32:64-S128-v256:256:256-v512:512:512", ""},
		{raw, 17, "E-m:e-Fi64-i64:64-n32:64", ""},
		{machine("S390X", 64), 15, "E-m:e-i1:8:16-i8:8:16-i64:64-f128:64-a:8:16-n32:64", ""},
		{machine("S390X", 64, "VECTOR"), 15, "E-m:e-i1:8:16-i8:8:16-i64:64-f128:64-v128:64-a:8:16-n32:64", ""},
		{machine("LoongArch", 64), 14, "", "LLVM 14 has no target for CPU LoongArch: it came with version 16"},
		{machine("x86", 64, "SM3"), 16, "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128", "LLVM 16 has no name for `SM3`: it came with version 17"},
		{machine("x86", 64, "SM3"), 17, "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128", ""},
	} {
		got, notes := builtIn.LLVM(c.t, c.version)
		if text := strings.Join(messages(notes), "; "); got.DataLayout != c.layout || text != c.notes {
			t.Errorf("%s for LLVM %d: %s, %s; want got.DataLayout = %v and text = %v", c.t.Architecture, c.version, got.DataLayout, text, c.layout, c.notes)
		}
	}
	if got, _ := builtIn.LLVM(machine("x86", 64, "SM3"), 16); got.Features != "" {
		t.Errorf("%+v, want nothing", got)
	}
}

// Whatever the tables contain, no compiler gets an empty flag, and a feature without a flag gets a note.
func TestFlagsEverywhere(t *testing.T) {
	need.Slow(t)
	for _, a := range builtin.Tables().Archs {
		for _, bits := range a.Bits() {
			isa, _ := a.Mode(bits)
			for _, c := range Compilers() {
				x := builtIn.Default(a.PU, a.Name, bits)
				x.Features = isa.FeatureNames()
				for _, stage := range []Stage{Compiling, Linking} {
					flags, notes, err := builtIn.Flags(x, Compiler{Name: c}, stage)
					if err != nil {
						t.Errorf("%s %s %d for %s: %v", a.PU, a.Name, bits, c, err)
					}
					if slices.Contains(flags, "") && !(Compiler{Name: c}).WritesFile() || slices.Contains(messages(notes), "") {
						t.Errorf("%s %s %d for %s: an empty flag or note in %q, %q; want none", a.PU, a.Name, bits, c, flags, notes)
					}
					if stage == Compiling && len(flags)+len(notes) == 0 {
						t.Errorf("%s %s %d for %s: neither a flag nor a note", a.PU, a.Name, bits, c)
					}
				}
			}
		}
	}
}
