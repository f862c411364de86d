package target

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// on returns the machine with a platform.
func on(x Target, p Platform) Target { x.Platform = p; return x }

// TestPlatformTriples checks that the triple has the system, the library and the float ABI, and
// that rustc and go get their own names for them.
func TestPlatformTriples(t *testing.T) {
	hf := machine("ARM", 32, "VFPv4")
	for _, c := range []struct {
		t                  Target
		llvm, rust, golang string
	}{
		{on(machine("x86", 64), Platform{OS: "Linux", Libc: "musl"}), "x86_64-unknown-linux-musl", "x86_64-unknown-linux-musl", "linux"},
		{on(machine("x86", 64), Platform{OS: "Linux", Libc: "glibc", LibcVersion: "2.36"}), "x86_64-unknown-linux-gnu", "x86_64-unknown-linux-gnu", "linux"},
		{on(machine("x86", 64), Platform{OS: "Windows"}), "x86_64-pc-windows-msvc", "x86_64-pc-windows-msvc", "windows"},
		{on(machine("x86", 64), Platform{OS: "Windows", Libc: "MinGW"}), "x86_64-pc-windows-gnu", "x86_64-pc-windows-gnu", "windows"},
		{on(machine("ARM", 64), Platform{OS: "macOS", OSVersion: "14.0"}), "arm64-apple-macosx14.0", "aarch64-apple-darwin", "darwin"},
		{on(machine("ARM", 64), Platform{OS: "iOS", OSVersion: "17.0"}), "arm64-apple-ios17.0", "aarch64-apple-ios", "ios"},
		{on(machine("ARM", 64), Platform{OS: "Android", OSVersion: "24"}), "aarch64-unknown-linux-android24", "aarch64-linux-android", "android"},
		{on(machine("ARM", 32), Platform{OS: "Android", OSVersion: "21"}), "armv7a-unknown-linux-androideabi21", "armv7-linux-androideabi", "android"},
		{on(machine("RISC-V", 64, "RV64GC"), Platform{OS: "FreeBSD", OSVersion: "14.1"}), "riscv64-unknown-freebsd14.1", "riscv64gc-unknown-freebsd", "freebsd"},
		{on(machine("RISC-V", 64, "RV64GC"), Platform{Libc: "musl"}), "riscv64-unknown-linux-musl", "riscv64gc-unknown-linux-musl", "linux"},
		{on(machine("x86", 64), Platform{OS: "OpenBSD"}), "x86_64-unknown-openbsd", "x86_64-unknown-openbsd", "openbsd"},
		{on(machine("x86", 64), Platform{OS: "None"}), "x86_64-unknown-none-elf", "x86_64-unknown-none", ""},
		{on(hf, Platform{OS: "Linux", Libc: "musl", FloatABI: "Hard"}), "armv7a-unknown-linux-musleabihf", "armv7-unknown-linux-musleabihf", "linux"},
		{on(hf, Platform{FloatABI: "Soft"}), "armv7a-unknown-linux-gnueabi", "armv7-unknown-linux-gnueabi", "linux"},
		{on(machine("MIPS", 64), Platform{Libc: "musl"}), "mips64-unknown-linux-muslabi64", "mips64-unknown-linux-muslabi64", "linux"},
		{on(machine("S390X", 64), Platform{OS: "FreeBSD"}), "s390x-unknown-freebsd", "", "freebsd"},
	} {
		if v := builtIn.look(c.t); v.triple() != c.llvm || rustTriple(v.triple()) != c.rust || systems[v.os()].golang != c.golang {
			t.Errorf("%s %+v: %s, %s, %s; want v.triple() = %v, rustTriple(v.triple()) = %v and systems[v.os()].golang = %v", c.t.Architecture, c.t.Platform, v.triple(), rustTriple(v.triple()), systems[v.os()].golang, c.llvm, c.rust, c.golang)
		}
	}
}

// TestPlatformFlags: compilers are told in their own words where code may lie; settings without a flag are noted.
func TestPlatformFlags(t *testing.T) {
	whole := on(machine("x86", 64), Platform{CodeModel: "Medium", Position: "PIE", TLSModel: "InitialExec", LibcVersion: "2.36", Libc: "glibc"})
	for _, c := range []struct {
		name        string
		t           Target
		c           Compiler
		stage       Stage
		want, notes string
	}{
		{"gcc", whole, Compiler{Name: "gcc", Major: 12}, Compiling, "-m64 -march=x86-64 -mcmodel=medium -fPIE -ftls-model=initial-exec -O1", "gcc has no flag for the version of glibc"},
		{"gcc links", whole, Compiler{Name: "gcc", Major: 12}, Linking, "-m64 -march=x86-64 -mcmodel=medium -pie", "gcc has no flag for the version of glibc"},
		{"clang", on(machine("ARM", 64), Platform{CodeModel: "Tiny", Position: "PIC", TLSModel: "GlobalDynamic"}), Compiler{Name: "clang", Major: 16}, Compiling,
			"--target=aarch64-unknown-linux-gnu -march=armv8-a -mcmodel=tiny -fPIC -ftls-model=global-dynamic -O1", ""},
		{"a fixed place", on(machine("RISC-V", 64, "RV64GC"), Platform{CodeModel: "Medium", Position: "None", FloatABI: "Soft"}), Compiler{Name: "clang", Major: 19}, Compiling,
			"--target=riscv64-unknown-linux-gnu -mabi=lp64 -march=rv64imafdc_zicsr_zifencei_zmmul -mcmodel=medany -fno-pie -O1", "`Zifencei` has a flag but no macro in clang"},
		{"links at a fixed place", on(machine("x86", 64), Platform{Position: "None"}), Compiler{Name: "gcc", Major: 12}, Linking, "-m64 -march=x86-64 -no-pie", ""},
		{"ARM", on(machine("ARM", 32, "VFPv4"), Platform{FloatABI: "Hard"}), Compiler{Name: "gcc", Major: 12}, Compiling, "-mlittle-endian -mfloat-abi=hard -march=armv7-a -mfpu=vfpv4 -O1", ""},
		{"MIPS", on(machine("MIPS", 32), Platform{FloatABI: "Soft"}), Compiler{Name: "gcc", Major: 12}, Compiling, "-EB -msoft-float -O1", ""},
		{"rustc", whole, Compiler{Name: "rustc"}, Compiling, "--target=x86_64-unknown-linux-gnu -Crelocation-model=pie -Ccode-model=medium -Ctarget-cpu=x86-64 -Copt-level=1",
			"rustc has no stable flag for a model of thread-local storage; rustc has no flag for the version of a system or a library"},
		{"go", whole, Compiler{Name: "go"}, Compiling, "GOOS=linux GOARCH=amd64 GOFLAGS=-buildmode=pie GOAMD64=v1", "go has no setting for `CodeModel`; go has no setting for `TLSModel`"},
		{"a library in go", on(machine("x86", 64), Platform{Position: "PIC"}), Compiler{Name: "go"}, Compiling, "GOOS=linux GOARCH=amd64 GOAMD64=v1", "go has no setting for code of a library: build with -buildmode=c-shared"},
		{"Windows", on(machine("x86", 64), Platform{OS: "Windows", OSVersion: "10.0"}), Compiler{Name: "clang", Major: 16}, Compiling, "--target=x86_64-pc-windows-msvc -march=x86-64 -O1", "clang has no flag for the version of Windows"},
	} {
		flags, notes, err := builtIn.Flags(c.t, c.c, c.stage)
		if got := strings.Join(flags, " "); err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", c.name, err, got, c.want)
		}
		if got := strings.Join(messages(notes), "; "); got != c.notes {
			t.Errorf("%s: notes\n got %s\nwant %s", c.name, got, c.notes)
		}
	}
	for file, want := range map[string]string{"cmake": "set(CMAKE_SYSTEM_VERSION 14.1)", "meson": "system = 'freebsd'"} {
		lines, _, err := builtIn.Flags(on(machine("x86", 64), Platform{OS: "FreeBSD", OSVersion: "14.1"}), Compiler{Name: file}, Compiling)
		if err != nil || !slices.Contains(lines, want) {
			t.Errorf("%s: no %s in %q %v", file, want, lines, err)
		}
	}
}

// TestPlatformCompiles: the compilers accept these flags and triples.
func TestPlatformCompiles(t *testing.T) {
	need.Slow(t)
	code := Platform{CodeModel: "Small", Position: "PIE", TLSModel: "LocalExec"}
	for _, c := range []struct {
		program string
		c       Compiler
		targets []Target
	}{
		{"gcc-12", Compiler{Name: "gcc", Major: 12}, []Target{on(machine("x86", 64), code)}},
		{"clang-16", Compiler{Name: "clang", Major: 16}, []Target{on(machine("x86", 64), Platform{OS: "FreeBSD", OSVersion: "14.1", CodeModel: "Large", Position: "PIC"}),
			on(machine("ARM", 64), Platform{OS: "macOS", OSVersion: "14.0", TLSModel: "GlobalDynamic"}), on(machine("ARM", 32, "VFPv4"), Platform{OS: "Android", OSVersion: "24", FloatABI: "SoftFP"}),
			on(machine("RISC-V", 64, "RV64GC"), Platform{Libc: "musl", CodeModel: "Medium", FloatABI: "Soft", Position: "None"}), on(machine("PowerPC", 64), code), on(machine("MIPS", 32), Platform{FloatABI: "Soft"})}},
		{"aarch64-linux-gnu-gcc", Compiler{Name: "gcc", Major: 12}, []Target{on(machine("ARM", 64), Platform{CodeModel: "Large", Position: "None"})}},
		{"riscv64-linux-gnu-gcc", Compiler{Name: "gcc", Major: 12}, []Target{on(machine("RISC-V", 64, "RV64GC"), code)}},
	} {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			need.Program(t, c.program, "--version")
			for _, x := range c.targets {
				if found := builtIn.Unfit(x); len(found) > 0 {
					t.Errorf("%v; want at most 0", found)
				}
				flags, _, err := builtIn.Flags(x, c.c, Compiling)
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(c.program, append(flags, "-Werror", "-S", "-o", os.DevNull, "-x", "c", "-")...)
				cmd.Stdin = strings.NewReader("static _Thread_local int own; int shared; int *f(int n) { own = n; return n ? &own : &shared; }\n")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s %s: %v\n%s", c.program, strings.Join(flags, " "), err, out)
				}
			}
		})
	}
}

// TestUnfit: the settings of a platform must fit the machine and the other keys; settings that fit are not reported.
func TestUnfit(t *testing.T) {
	format := func(x Target, f string) Target { x.Linker.OutputFormat = f; return x }
	abi := func(x Target, name string) Target { x.ABI = &ABI{Name: name}; return x }
	for _, c := range []struct {
		t    Target
		want string
	}{
		{machine("x86", 64), ""},
		{on(format(machine("x86", 64), "PE"), Platform{OS: "Windows", Libc: "MinGW"}), ""},
		{on(format(machine("x86", 64), "ELF"), Platform{OS: "Windows"}), "OS: programs of Windows come as PE, and `OutputFormat` is ELF"},
		{on(machine("S390X", 64), Platform{OS: "macOS"}), "OS: macOS does not run on S390X 64"},
		{on(machine("ARM", 32, "ARMv7-M"), Platform{OS: "Linux"}), "OS: no operating system runs on ARMv7-M; write None"},
		{on(machine("ARM", 32, "ARMv7-M"), Platform{OS: "None", Libc: "newlib"}), ""},
		{on(machine("x86", 64), Platform{OSVersion: "14"}), "OSVersion: the version needs the name of the system: set `OS`"},
		{on(machine("x86", 64), Platform{Libc: "Bionic"}), "Libc: Linux has no C library `Bionic`; it has glibc, musl"},
		{on(machine("x86", 64), Platform{LibcVersion: "2"}), "LibcVersion: the version needs the name of the library: set `Libc`"},
		{on(machine("S390X", 64), Platform{CodeModel: "Small"}), "CodeModel: S390X 64 has no choice of code models; leave it out"},
		{on(machine("ARM", 64), Platform{CodeModel: "Kernel"}), "CodeModel: ARM 64 has no code model `Kernel`; there are Large, Small, Tiny"},
		{on(machine("x86", 64), Platform{CodeModel: "Kernel", Position: "PIC"}), "CodeModel: code of the model `Kernel` has a fixed address on x86 64, and `PositionIndependence` is PIC"},
		{on(machine("ARM", 64), Platform{CodeModel: "Large", Position: "PIE"}), "CodeModel: code of the model `Large` has a fixed address on ARM 64, and `PositionIndependence` is PIE"},
		{on(machine("x86", 64), Platform{OS: "Windows", Position: "PIC"}), "PositionIndependence: Windows moves every program itself: compilers have no choice there; leave it out"},
		{on(machine("ARM", 64), Platform{OS: "macOS", Position: "None"}), "PositionIndependence: macOS starts no program with a fixed address on ARM 64; leave it out"},
		{on(machine("x86", 64), Platform{TLSModel: "LocalExec", Position: "PIC"}), "TLSModel: `LocalExec` is for the program alone, and code with `PositionIndependence = PIC` may be in a library; write InitialExec, or PIE"},
		{on(machine("x86", 64), Platform{FloatABI: "Hard"}), ""},
		{on(machine("x86", 64), Platform{FloatABI: "Soft"}), "FloatABI: x86 64 passes floating-point numbers in floating-point registers: it has no Soft; leave it out"},
		{on(machine("RISC-V", 64), Platform{FloatABI: "SoftFP"}), "FloatABI: RISC-V 64 has no convention `SoftFP` for floating-point numbers; there are Soft, Hard"},
		{on(abi(machine("ARM", 32, "VFPv4"), "AAPCS-VFP"), Platform{FloatABI: "Soft"}), "FloatABI: the ABI `AAPCS-VFP` is Hard, and `FloatABI` is Soft"},
		{on(abi(machine("ARM", 32, "VFPv4"), "AAPCS"), Platform{FloatABI: "SoftFP"}), ""},
		{on(abi(machine("RISC-V", 64, "RV64GC"), "LP64D"), Platform{FloatABI: "Hard"}), ""},
		{on(abi(machine("RISC-V", 64, "RV64GC"), "LP64"), Platform{FloatABI: "Hard"}), "FloatABI: the ABI `LP64` is Soft, and `FloatABI` is Hard"},
		{on(machine("ARM", 32), Platform{FloatABI: "Hard"}), "FloatABI: `Hard` needs a floating-point unit, and the target names none; add its unit to `Features`, such as VFPv4"},
		{on(machine("x86", 64), Platform{AtomicWidth: 128}), "AtomicWidth: x86 64 changes at most 64 bits as one, not 128; machines with `CX16` do"},
		{on(machine("x86", 64, "CX16"), Platform{AtomicWidth: 128}), ""},
		{on(machine("RISC-V", 64), Platform{AtomicWidth: 8}), "AtomicWidth: RISC-V 64 changes at most 0 bits as one, not 8; machines with `A` do"},
		{on(gpuExample(), Platform{OS: "Linux", AtomicWidth: 64}), "OS: only processors of the kind CPU have a platform, and this is a GPU"},
	} {
		var got []string
		for _, p := range builtIn.Unfit(c.t) {
			text := p.Subject.Key + ": " + p.Message
			if p.Expected != "" {
				text += "; " + p.Expected
			}
			got = append(got, text)
		}
		if strings.Join(got, " | ") != c.want {
			t.Errorf("%s %v %+v:\n got %s\nwant %s", c.t.Architecture, c.t.Features, c.t.Platform, strings.Join(got, " | "), c.want)
		}
	}
}

// TestPlatformCompat: programs of another system do not run, and objects of another library or convention are not linked.
func TestPlatformCompat(t *testing.T) {
	x := machine("x86", 64)
	linux, windows, musl, glibc := on(x, Platform{OS: "Linux"}), on(x, Platform{OS: "Windows"}), on(x, Platform{Libc: "musl"}), on(x, Platform{Libc: "glibc"})
	for _, c := range []struct {
		a, b Target
		rel  Relation
		want string
	}{
		{linux, windows, Run, "OS is `Linux` here and `Windows` there"},
		{linux, x, Run, ""},
		{linux, on(x, Platform{OS: "FreeBSD"}), Run, "OS is `Linux` here and `FreeBSD` there"},
		{musl, glibc, Link, "Libc is `musl` here and `glibc` there"},
		{musl, x, Link, ""},
		{on(machine("ARM", 32), Platform{FloatABI: "Soft"}), on(machine("ARM", 32), Platform{FloatABI: "Hard"}), Link, "FloatABI is `Soft` here and `Hard` there"},
	} {
		if got := builtIn.Compat(c.a, c.b, c.rel).String(); got != c.want {
			t.Errorf("%+v, %+v: %s; want %v", c.a.Platform, c.b.Platform, got, c.want)
		}
	}
}
