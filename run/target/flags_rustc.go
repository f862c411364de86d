package target

import (
	"strconv"
	"strings"
)

// rustc writes the flags of the Rust compiler.
func (w *writer) rustc(stage Stage) {
	if tr := rustTriple(w); tr != "" {
		w.add("--target=" + tr)
	} else {
		w.note("rustc has no target for %s %s %d", w.t.PU, w.view.arch.Name, w.t.Mode)
	}
	if w.view.arch.Name == "x86" && w.t.Mode == 64 {
		w.add("-Ctarget-cpu=" + w.view.mode.CPU)
	}
	var on []string
	for _, f := range w.wanted() {
		switch {
		case f.Rust != "":
			on = append(on, "+"+f.Rust)
		case f.Clang.Flag != "" && strings.HasPrefix(f.Clang.Flag, "march:"):
			w.add("-Ctarget-cpu=" + strings.TrimPrefix(f.Clang.Flag, "march:"))
		case !w.based(f):
			w.note("rustc has no feature `%s`", f.Name)
		}
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
		w.note("rustc has no flag for InliningLevel")
	}
	if len(w.t.Preprocessor.Defines)+len(w.t.Preprocessor.Includes) > 0 {
		w.note("rustc has no preprocessor: Define and Include have no flags")
	}
}

func (w *writer) rustLink() {
	l := w.t.Linker
	if l.LibraryPath != "" {
		w.add("-Lnative=" + l.LibraryPath)
	}
	for _, lib := range w.libraries() {
		if !strings.HasPrefix(lib, "-l") || strings.HasPrefix(lib, "-l:") {
			lib = "-Clink-arg=" + lib // rustc's own -l takes plain names only
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

// rustTriple is rustc's name of the target, which differs from LLVM's here and there.
func rustTriple(w *writer) string {
	arch, rest, ok := strings.Cut(w.triple, "-")
	if !ok || strings.HasSuffix(w.triple, "code16") {
		return ""
	}
	bare := strings.HasPrefix(rest, "none") || strings.HasPrefix(rest, "unknown-none")
	switch arch {
	case "x86_64", "aarch64", "arm64":
		if strings.HasPrefix(rest, "apple") {
			return map[string]string{"x86_64": "x86_64", "arm64": "aarch64"}[arch] + "-apple-darwin"
		}
		if bare {
			return arch + "-unknown-none"
		}
		return w.triple
	case "riscv64":
		return either(bare, "riscv64gc-unknown-none-elf", "riscv64gc-unknown-linux-gnu")
	case "riscv32":
		return either(bare, "riscv32i-unknown-none-elf", "riscv32gc-unknown-linux-gnu")
	case "armv7a":
		if bare {
			return "armv7a-" + rest
		}
		return strings.Replace(w.triple, "armv7a", "armv7", 1)
	case "i686", "powerpc", "powerpc64", "powerpc64le", "s390x", "loongarch64", "wasm32", "wasm64", "nvptx64", "mips", "mipsel", "mips64", "mips64el", "sparc":
		if !bare {
			return w.triple
		}
	case "sparcv9":
		return "sparc64-unknown-linux-gnu"
	}
	return ""
}
