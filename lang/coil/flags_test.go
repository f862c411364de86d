package coil_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// read returns the target of a file that has no errors.
func read(t *testing.T, f *source.File) target.Target {
	t.Helper()
	x, err := readFile(f)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func readFile(f *source.File) (target.Target, error) {
	c := language.Parse(f).Resolve(&load.Env{Opener: source.Map{}, Dir: "."})
	if found := c.Diagnostics(); found.HasErrors() {
		return target.Target{}, fmt.Errorf("%s: %s", found[0].Span, found[0].Message)
	}
	m, _ := lang.Model[*coil.Model](c)
	return m.Target(), nil
}

// presetTarget is a preset and its target.
type presetTarget struct {
	name string
	file *source.File
	target.Target
}

var readPresets = sync.OnceValues(func() (all []presetTarget, err error) {
	for _, name := range preset.Names() {
		f, _ := preset.File(name)
		x, err := readFile(f)
		if err != nil {
			return nil, err
		}
		all = append(all, presetTarget{name, f, x})
	}
	return all, nil
})

// presets returns all presets; the tests read them once.
func presets(t *testing.T) []presetTarget {
	t.Helper()
	all, err := readPresets()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFlagsCompile takes presets and the description of this machine, as files. With their
// flags a compiler compiles a C file, and the macros that it defines have every feature of
// the file.
func TestFlagsCompile(t *testing.T) {
	need.Slow(t)
	files, step := map[string]*source.File{}, 32 // TestPresetCompilers covers more of them
	if need.FullSize() {
		step = 8
	}
	for i := 0; i < len(presets(t)); i += step {
		files[presets(t)[i].name] = presets(t)[i].file
	}
	host, err := target.Machines{}.Detect(target.ThisHost())
	if err != nil {
		t.Fatal(err)
	}
	files["this host"] = source.NewFile("host.coilcfg", coil.Write(host))
	for _, compiler := range []string{"gcc", "clang"} {
		for name, f := range files {
			t.Run(compiler+" "+name, func(t *testing.T) {
				need.Assembler(t, compiler)
				x := read(t, f)
				if compiler == "gcc" && (x.PU != host.PU || x.Architecture != host.Architecture || x.Mode != host.Mode) {
					t.Skip("gcc serves its own machine")
				}
				compiles(t, x, target.ThisHost().Compiler(compiler))
			})
		}
	}
}

// equal reports whether code of each target runs on the other.
func equal(a, b target.Target) bool {
	var known target.Machines
	return known.Compat(a, b, target.Run).OK() && known.Compat(b, a, target.Run).OK()
}

func compiles(t *testing.T, x target.Target, c target.Compiler) {
	t.Helper()
	flags, _, err := target.Machines{}.Flags(x, c, target.Compiling)
	if err != nil {
		t.Fatal(err)
	}
	if x.Architecture == "AMD" {
		flags = append(flags, "-nogpulib") // the device library is not part of clang
	}
	// The compiler reports whether each feature defines its macro.
	var text strings.Builder
	arch, _ := builtin.Tables().Arch(x.PU, x.Architecture)
	isa, _ := arch.Mode(x.Mode)
	for _, name := range slices.Concat(x.Features, x.Extensions.SIMD, x.Extensions.Crypto) {
		if o := optionOf(isa.Feature(name).Feature, c.Name); o.In(c.Major) && len(o.Macros()) > 0 {
			fmt.Fprintf(&text, "#if !defined(%s)\n#error %s should define %s\n#endif\n", strings.Join(o.Macros(), ") && !defined("), name, o.Macro)
		}
	}
	text.WriteString("int scale(int *a, int n, int k) { int s = 0; for (int i = 0; i < n; i++) s += a[i] *= k; return s; }\n")
	dir := t.TempDir()
	src := filepath.Join(dir, "scale.c")
	if err := os.WriteFile(src, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	kind := []string{"-Werror", "-c"}
	if x.PU == "GPU" {
		kind = []string{"-S", "-emit-llvm"} // assembling needs the vendor's own tools
	}
	if out, err := exec.Command(c.Name, slices.Concat(flags, kind, []string{src, "-o", filepath.Join(dir, "scale.out")})...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", c.Name, strings.Join(flags, " "), err, out)
	}
}

func optionOf(f *table.Feature, compiler string) table.Option {
	if compiler == "gcc" {
		return f.GCC
	}
	return f.Clang
}

// TestLLVMIsLLVM checks that LLVM's own tools accept the output of `convert --to llvm`.
func TestLLVMIsLLVM(t *testing.T) {
	clang := need.Assembler(t, "clang")
	for name, triple := range map[string]string{"x86-64-linux": "x86_64-unknown-linux-gnu", "aarch64": "aarch64-unknown-linux-gnu"} {
		f, _ := preset.File(name)
		var b strings.Builder
		if _, err := language.Parse(f).Resolve(&load.Env{Opener: source.Map{}, Dir: "."}).Convert("llvm", &b); err != nil {
			t.Fatal(err)
		}
		// Layouts change from release to release; the triple and the attributes do not.
		var text strings.Builder
		for line := range strings.Lines(b.String()) {
			if !strings.HasPrefix(line, "target datalayout") {
				text.WriteString(line)
			}
		}
		text.WriteString("define i32 @f(i32 %x) #0 {\n  ret i32 %x\n}\n")
		cmd := exec.Command(clang, "--target="+triple, "-x", "ir", "-c", "-Werror", "-", "-o", filepath.Join(t.TempDir(), "f.o"))
		cmd.Stdin = strings.NewReader(text.String())
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s\n%s", name, err, out, text.String())
		}
	}
}

// TestDetectRoundTrip: a machine that is written and read again is the same machine.
func TestDetectRoundTrip(t *testing.T) {
	host, err := target.Machines{}.Detect(target.ThisHost())
	if err != nil {
		t.Fatal(err)
	}
	again := read(t, source.NewFile("host.coilcfg", coil.Write(host, "a comment")))
	if !equal(host, again) {
		t.Errorf("%+v\n%+v\nwant equal machines, the second read from what is written of the first", host, again)
	}
	for _, p := range presets(t) {
		again := read(t, source.NewFile("again.coilcfg", coil.Write(p.Target)))
		if !equal(p.Target, again) || p.Memory != again.Memory {
			t.Errorf("%s: %+v\n%+v\nwant equal machines, the second read from what is written of the first", p.name, p.Target, again)
		}
	}
}

// TestTarget checks that every key of the document is passed to the engine.
func TestTarget(t *testing.T) {
	f, _ := preset.File("x86-64-linux")
	x := read(t, f)
	if x.Span.String() != "preset x86-64-linux:4:1" || x.PU != "CPU" || x.Architecture != "x86" || x.Mode != 64 || !slices.Equal(x.Features, []string{"SSE4.2", "AVX2", "FMA"}) {
		t.Errorf("target %+v, want a CPU of x86 in 64 bits with SSE4.2, AVX2 and FMA, at line 4 of the preset", x)
	}
	if x.Memory != (target.Memory{Model: "Protected", Alignment: 16, StackGrowth: "Down", Endianness: "Little"}) {
		t.Errorf("memory %+v, want %v", x.Memory, (target.Memory{Model: "Protected", Alignment: 16, StackGrowth: "Down", Endianness: "Little"}))
	}
	if x.ABI == nil || x.ABI.Name != "SystemV" || len(x.ABI.Parameters) != 6 || len(x.ABI.Returns) != 2 || *x.ABI.StackAlignment != 16 || *x.ABI.RedZone != 128 {
		t.Errorf("abi %+v, want SystemV with 6 parameters, 2 returns, a stack aligned to 16 and a red zone of 128", x.ABI)
	}
	if x.Optimization.Level != 2 || x.Optimization.Size || !x.Optimization.Speed || x.Optimization.Vectorization != nil {
		t.Errorf("optimization %+v, want level 2 for speed, not for size, and nothing said of vectors", x.Optimization)
	}
	if !slices.Equal(x.Extensions.SIMD, []string{"AVX2"}) || !x.Extensions.Atomics {
		t.Errorf("extensions %+v, want AVX2 and atomics", x.Extensions)
	}
	if want := (target.Define{Name: "LINUX", Kind: target.Integer, Text: "1"}); len(x.Preprocessor.Defines) != 2 || x.Preprocessor.Defines[0] != want {
		t.Errorf("preprocessor %+v, want 2 macros, the first %+v", x.Preprocessor, want)
	}
	if x.Linker.LibraryPath != "/usr/lib" || len(x.Linker.Libraries) != 2 || x.Linker.EntryPoint != "main" || x.Linker.OutputFormat != "ELF" {
		t.Errorf("linker %+v, want ELF with the entry main, 2 libraries, and those of /usr/lib", x.Linker)
	}
}

// TestDefineKinds checks that the value of a constant is read as a number, a quoted text,
// or another text.
func TestDefineKinds(t *testing.T) {
	x := read(t, source.NewFile("x.coilcfg", with("[Preprocessor]\nDefine = F,I=1,H=0xff,D=1.5,S=\"x64\",B=a=b,I=2")))
	want := []target.Define{
		{Name: "F", Kind: target.Flag}, {Name: "I", Kind: target.Integer, Text: "2"}, {Name: "H", Kind: target.Integer, Text: "0xff"},
		{Name: "D", Kind: target.Float, Text: "1.5"}, {Name: "S", Kind: target.String, Text: "x64"}, {Name: "B", Kind: target.Bare, Text: "a=b"},
	}
	if !slices.Equal(x.Preprocessor.Defines, want) {
		t.Errorf("%+v, want %v", x.Preprocessor.Defines, want)
	}
}

// TestBothPreferences: a file with both preferences gives both to the engine, and the flags
// say which one they follow.
func TestBothPreferences(t *testing.T) {
	x := read(t, source.NewFile("x.coilcfg", "@include \"x86-64-v2\"\n\n[Optimization]\nSizeOptimization = true\n"))
	flags, notes, err := target.Machines{}.Flags(x, target.Compiler{Name: "gcc", Major: 12}, target.Compiling)
	if err != nil || !slices.Contains(flags, "-O2") {
		t.Errorf("%q %v", flags, err)
	}
	if len(notes) != 1 || notes[0].Message != "`SizeOptimization` and `SpeedOptimization` are both on: at level 2 speed wins" {
		t.Errorf("%q, want len(notes) = 1 and notes[0].Message = %q", notes, "`SizeOptimization` and `SpeedOptimization` are both on: at level 2 speed wins")
	}
}

// TestProcessorFlags: -march names the largest processor that this version of the compiler
// knows and whose features the target has. Other flags add the remaining features.
func TestProcessorFlags(t *testing.T) {
	for _, c := range []struct {
		name     string
		compiler target.Compiler
		want     string
	}{
		{"x86-64", target.Compiler{Name: "gcc", Major: 12}, "-m64 -march=x86-64 -O2"},
		{"x86-64-v2", target.Compiler{Name: "gcc", Major: 12}, "-m64 -march=x86-64-v2 -O2"},
		{"x86-64-v3", target.Compiler{Name: "gcc", Major: 12}, "-m64 -march=x86-64-v3 -O2"},
		{"x86-64-v4", target.Compiler{Name: "clang", Major: 14}, "--target=x86_64-unknown-linux-gnu -march=x86-64-v4 -O2"},
		{"x86-64-v2", target.Compiler{Name: "gcc", Major: 10}, "-m64 -march=nehalem -O2"},
		{"haswell", target.Compiler{Name: "clang", Major: 14}, "--target=x86_64-unknown-linux-gnu -march=haswell -O2"},
		{"znver4", target.Compiler{Name: "clang", Major: 16}, "--target=x86_64-unknown-linux-gnu -march=znver4 -O2"},
		{"znver4", target.Compiler{Name: "gcc", Major: 12}, "-m64 -march=rocketlake -mavx512bf16 -mclwb -mclzero -mmwaitx -mshstk -msse4a -mwbnoinvd -O2"},
		{"sapphirerapids", target.Compiler{Name: "gcc", Major: 13}, "-m64 -march=sapphirerapids -mshstk -O2"},
		{"sapphirerapids", target.Compiler{Name: "clang", Major: 15}, "--target=x86_64-unknown-linux-gnu -march=sapphirerapids -O2"},
		{"z14", target.Compiler{Name: "gcc", Major: 12}, "-m64 -march=z14 -O2"},
		{"pwr10", target.Compiler{Name: "clang", Major: 14}, "--target=powerpc64le-unknown-linux-gnu -mabi=elfv2 -mcrypto -mdirect-move -mcpu=power10 -mpower10-vector -mvsx -O2"},
		{"neoverse-v1", target.Compiler{Name: "clang", Major: 14}, "--target=aarch64-unknown-linux-gnu -march=armv8.4-a+aes+bf16+dotprod+fp16fml+i8mm+pmuv3+profile+rng+sha3+sm4+ssbs+sve -O2"},
		{"sifive-u74", target.Compiler{Name: "clang", Major: 14}, "--target=riscv64-unknown-linux-gnu -mabi=lp64d -march=rv64imafdc -O2"},
	} {
		f, ok := preset.File(c.name)
		if !ok {
			t.Errorf("there is no preset `%s`", c.name)
			continue
		}
		flags, _, err := target.Machines{}.Flags(read(t, f), c.compiler, target.Compiling)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(flags, " "); got != c.want {
			t.Errorf("%s for %s %d:\n got %s\nwant %s", c.name, c.compiler.Name, c.compiler.Major, got, c.want)
		}
	}
}
