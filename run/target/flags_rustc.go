package target

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/target/table"
)

// rustc writes the flags of the Rust compiler.
func (w *writer) rustc(stage Stage) {
	tr := rustTriple(w.triple)
	if tr == "" {
		// Without a target rustc would build for this machine.
		w.noTarget("rustc has no target for %s %s %d like this: no flags", w.t.PU, w.view.arch.Name, w.t.Mode)
		return
	}
	w.add("--target=" + tr)
	w.rustPlatform(stage)
	given := w.rustProcessor()
	if strings.HasPrefix(tr, "riscv64gc") || strings.HasPrefix(tr, "riscv32gc") {
		own, _ := w.view.isa.Meaning([]string{"g", "c"})
		given = given.Union(own)
	}
	var on, unstable []string
	for _, f := range w.wanted() {
		kind, cpu, _ := strings.Cut(f.Clang.Flag, ":")
		switch {
		case given.Has(w.view.isa.Feature(f.Key).ID):
		case f.Rust != "" && strings.HasPrefix(f.Clang.Flag, "-m") && !f.Clang.In(rustLLVM(w.c.Major)):
			w.note(KeyFeatures, "rustc 1.%d has no feature `%s`: it came with LLVM %d", w.c.Major, f.Name, f.Clang.Since)
		case f.Rust != "" && f.Unstable && !w.c.Unstable:
			unstable = append(unstable, f.Name)
		case f.Rust != "":
			for name := range strings.SplitSeq(f.Rust, "+") {
				on = append(on, "+"+name)
			}
		case slices.Contains([]string{"march", "mcpu", "mmcu"}, kind):
			w.add("-Ctarget-cpu=" + cpu)
		case kind == "arch" || f.Key == "thumb": // the target's name already says this
		case !w.isBase(f):
			w.note(KeyFeatures, "rustc has no feature `%s`", f.Name)
		}
	}
	if len(unstable) > 0 {
		w.note(KeyFeatures, "rustc warns of %s as unstable: left out unless asked for", quote(unstable))
	}
	if len(on) > 0 {
		w.add("-Ctarget-feature=" + strings.Join(on, ","))
	}
	if w.abi != nil && w.t.ABI.RedZone != nil && *w.t.ABI.RedZone == 0 && w.abi.RedZone != 0 {
		w.add("-Cno-redzone=yes")
	}
	if stage == Linking {
		w.rustLink()
		return
	}
	o := w.t.Optimization
	level := strconv.Itoa(o.Level)
	if o.Level > 0 && o.forSize() {
		level = either(o.Level == 3, "z", "s")
	}
	w.add("-Copt-level=" + level)
	if p := o.Vectorization; p != nil && *p == 0 {
		w.add("-Cno-vectorize-loops", "-Cno-vectorize-slp")
	}
	if o.Inlining != nil {
		w.note(KeyInlining, "rustc has no flag for InliningLevel")
	}
	if len(w.t.Preprocessor.Defines)+len(w.t.Preprocessor.Includes) > 0 {
		w.note(KeyDefine, "rustc has no preprocessor: Define and Include have no flags")
	}
}

// rustPlatform writes the flags for code model and position.
func (w *writer) rustPlatform(stage Stage) {
	p := w.t.Platform
	if word := map[string]string{"None": "static", "PIC": "pic", "PIE": "pie"}[p.Position]; word != "" {
		w.add("-Crelocation-model=" + word)
	}
	if p.CodeModel != "" && stage == Compiling {
		w.add("-Ccode-model=" + strings.ToLower(p.CodeModel))
	}
	if p.TLSModel != "" {
		w.note(KeyTLSModel, "rustc has no stable flag for a model of thread-local storage")
	}
	if p.OSVersion != "" || p.LibcVersion != "" {
		w.note(KeyOSVersion, "rustc has no flag for the version of a system or a library")
	}
	if p.FloatABI != "" && w.abi == nil && !w.view.arm32() {
		w.note(KeyFloatABI, "rustc has no flag for a convention for floating-point numbers")
	}
}

// rustProcessor names the largest processor that rustc's LLVM knows and whose features the target all
// has, and returns those features.
func (w *writer) rustProcessor() table.Set {
	s := w.view.isa
	have, _ := s.Meaning(names(w.wanted()))
	have = have.Union(s.Always(w.view.mode, have))
	if w.t.Mode != 64 || w.t.PU != "CPU" {
		return table.Set{} // the tables list only 64-bit processors
	}
	p := s.Nearest(have, func(p *table.Processor) bool {
		level := p.Level && w.view.arch.Name == "ARM" // LLVM lists x86 levels among its processors, but not ARM levels
		return !level && p.CPU().In(rustLLVM(w.c.Major))
	})
	if p == nil {
		return table.Set{}
	}
	w.add("-Ctarget-cpu=" + p.CPU().Flag)
	return w.brings(p, p.CPU(), rustLLVM(w.c.Major))
}

// rustLLVM is the LLVM version inside rustc 1.N; 0 for the newest.
func rustLLVM(minor int) int {
	if minor == 0 {
		return 0
	}
	llvm := 13
	for _, v := range []struct{ rust, llvm int }{{60, 14}, {65, 15}, {70, 16}, {73, 17}, {78, 18}, {82, 19}, {87, 20}, {91, 21}, {94, 22}} {
		if minor >= v.rust {
			llvm = v.llvm
		}
	}
	return llvm
}

func (w *writer) rustLink() {
	l := w.t.Linker
	if l.LibraryPath != "" {
		w.add("-Lnative=" + l.LibraryPath)
	}
	for _, lib := range w.libraries() {
		if !strings.HasPrefix(lib, "-l") || strings.HasPrefix(lib, "-l:") {
			lib = "-Clink-arg=" + lib // rustc's own -l accepts plain names only
		}
		w.add(lib)
	}
	if l.EntryPoint != "" && (l.EntryPoint != "main" || l.OutputFormat == "Raw") {
		w.add("-Clink-arg=-Wl,-e," + l.EntryPoint)
	}
	if l.OutputFormat == "Raw" {
		w.add("-Clink-arg=-Wl,--oformat=binary")
	}
}

// rustFixed lists the architectures for which rustc has exactly one target.
var rustFixed = map[string]string{
	"amdgcn": "amdgcn-amd-amdhsa", "avr": "avr-none", "bpfel": "bpfel-unknown-none", "bpfeb": "bpfeb-unknown-none", "hexagon": "hexagon-unknown-none-elf",
	"loongarch32": "loongarch32-unknown-none", "msp430": "msp430-none-elf", "nvptx64": "nvptx64-nvidia-cuda", "sparcv9": "sparc64-unknown-linux-gnu",
	"wasm32": "wasm32-unknown-unknown", "wasm64": "wasm64-unknown-unknown",
}

// rustTriple is rustc's name of a target, which sometimes differs from LLVM's.
func rustTriple(llvm string) string {
	arch, rest, ok := strings.Cut(llvm, "-")
	if fixed := rustFixed[arch]; !ok || fixed != "" {
		return fixed
	}
	linux := strings.Contains(rest, "linux")
	switch {
	case strings.HasPrefix(rest, "apple-ios"):
		return map[string]string{"x86_64": "x86_64-apple-ios", "arm64": "aarch64-apple-ios"}[arch]
	case strings.HasPrefix(rest, "apple"):
		return map[string]string{"x86_64": "x86_64-apple-darwin", "arm64": "aarch64-apple-darwin", "i686": "i686-apple-darwin"}[arch]
	case strings.HasSuffix(rest, "windows-gnu"):
		return map[string]string{"x86_64": llvm, "i686": llvm}[arch]
	case strings.Contains(rest, "windows"):
		return map[string]string{"x86_64": llvm, "i686": llvm, "aarch64": llvm, "armv7a": "thumbv7a-" + rest}[arch]
	case strings.Contains(rest, "android"):
		return map[string]string{"x86_64": "x86_64-linux-android", "i686": "i686-linux-android", "aarch64": "aarch64-linux-android", "armv7a": "armv7-linux-androideabi"}[arch]
	case strings.Contains(rest, "bsd"):
		return rustBSD(arch, strings.TrimRight(rest, "0123456789."))
	case arch == "riscv64":
		return either(linux, "riscv64gc-"+rest, "riscv64gc-unknown-none-elf")
	case arch == "riscv32":
		return either(linux, "riscv32gc-"+rest, "riscv32i-unknown-none-elf")
	case strings.HasPrefix(arch, "thumbv"), strings.HasPrefix(arch, "armv"):
		return rustARM(arch, rest, linux)
	case arch == "armebv7a":
		return either(linux, "armeb-unknown-linux-gnueabi", "")
	case linux && strings.Contains(rest, "musl"):
		return either(slices.Contains(rustMusl, arch), llvm, "")
	case linux && slices.Contains(rustLinux, arch):
		return llvm
	case linux || strings.HasSuffix(llvm, "code16"):
		return ""
	}
	return map[string]string{"x86_64": "x86_64-unknown-none", "aarch64": "aarch64-unknown-none", "m68k": "m68k-unknown-none-elf", "sparc": "sparc-unknown-none-elf",
		"loongarch64": "loongarch64-unknown-none"}[arch]
}

// rustMusl lists the architectures, besides ARM and RISC-V, that rustc builds for with musl.
var rustMusl = []string{"x86_64", "i686", "aarch64", "powerpc64", "powerpc64le", "s390x", "mips", "mipsel", "mips64", "mips64el"}

// rustBSD returns rustc's name of a target with a BSD system, or "". rest is the vendor and the
// system without its version.
func rustBSD(arch, rest string) string {
	known := map[string][]string{
		"unknown-freebsd": {"x86_64", "i686", "aarch64", "powerpc64", "powerpc64le", "riscv64"},
		"unknown-netbsd":  {"x86_64", "i686", "aarch64", "powerpc"},
		"unknown-openbsd": {"x86_64", "i686", "aarch64"},
	}[rest]
	if !slices.Contains(known, arch) {
		return ""
	}
	return either(arch == "riscv64", "riscv64gc", arch) + "-" + rest
}

// rustARM is rustc's name of a 32-bit ARM: the nearest architecture that rustc has.
func rustARM(arch, rest string, linux bool) string {
	switch {
	case linux && strings.HasPrefix(arch, "armv4t"), linux && strings.HasPrefix(arch, "armv5te"):
		return either(strings.HasSuffix(rest, "hf"), "", arch+"-"+rest)
	case linux && strings.HasPrefix(arch, "armv6"):
		return "arm-" + rest
	case linux:
		return either(arch < "armv7", "", "armv7-"+rest)
	case arch == "thumbv8.1m.main":
		arch = "thumbv8m.main"
	}
	hard := strings.HasSuffix(rest, "hf")
	switch arch {
	case "armv7a", "armv7r", "thumbv7em", "thumbv8m.main":
		return arch + "-" + rest
	case "thumbv6m", "thumbv7m", "thumbv8m.base":
		return either(hard, "", arch+"-"+rest)
	case "armv8r":
		return either(hard, arch+"-"+rest, "")
	}
	return ""
}

// rustLinux lists the architectures that have the same name in rustc and LLVM, on Linux.
var rustLinux = []string{"x86_64", "i686", "aarch64", "aarch64_be", "powerpc", "powerpc64", "powerpc64le", "s390x", "loongarch64", "m68k",
	"mips", "mipsel", "mips64", "mips64el", "sparc"}

// cargo writes a configuration for Cargo: the target, the flags for rustc, and the optimisation level of a release.
func (w *writer) cargo() {
	flags := func(stage Stage) []string {
		o := newWriter(w.view, Compiler{Name: "rustc", Major: w.c.Major})
		o.rustc(stage)
		for _, n := range o.notes {
			w.report(n)
		}
		return o.flags
	}
	compile := flags(Compiling)
	if len(compile) == 0 {
		return // a note says why
	}
	target := strings.TrimPrefix(compile[0], "--target=")
	var words []string
	level := ""
	for _, f := range slices.Concat(compile[1:], flags(Linking)) {
		if text, ok := strings.CutPrefix(f, "-Copt-level="); ok {
			level = either(strings.ContainsAny(text, "sz"), fmt.Sprintf("%q", text), text)
		} else if q := fmt.Sprintf("%q", f); !strings.HasPrefix(f, "--target=") && !slices.Contains(words, q) {
			words = append(words, q)
		}
	}
	w.add("# Cargo configuration for "+w.t.PU+" "+w.view.archName()+", for .cargo/config.toml", "[build]", fmt.Sprintf("target = %q", target), "", "[target."+tomlKey(target)+"]")
	if w.c.Program != "" {
		w.add(fmt.Sprintf("linker = %q", w.c.Program))
	}
	w.add("rustflags = ["+strings.Join(words, ", ")+"]", "", "[profile.release]", "opt-level = "+level)
}

// tomlKey writes a name as a TOML key, in quotes if it needs them.
func tomlKey(name string) string {
	return either(strings.Contains(name, "."), fmt.Sprintf("%q", name), name)
}
