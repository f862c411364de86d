package target

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/target/table"
)

// The data below come from the documentation of the compilers and from archspec's
// list of their flags (archspec-json 90b453f4). They are untested, except for zig.

// derived lists vendors' compilers that are based on clang: the processors that they build for, and the clang version inside the first
// release of each version. Only versions whose clang is documented are listed.
var derived = map[string]struct {
	archs []string
	clang map[int]int
}{
	// AMD names LLVM 17.0.6 in its Spack recipes for 5.0 to 5.2; EasyBuild's recipe has 12.0.0 for 3.0 and 14.0.6 for 4.0.
	"aocc": {[]string{"x86 64"}, map[int]int{3: 12, 4: 14, 5: 17}},
	// Arm's compiler for Linux prints it with `--version`: "22.0 … (based on LLVM 13.0.0)", "23.04 … (based on LLVM 16.0.0)".
	"armclang": {[]string{"ARM 32", "ARM 64"}, map[int]int{22: 13, 23: 16}},
	// Intel's developers name LLVM 16 for 2023.0 (intel/llvm, question 9430); users of 2024.0.2 found clang 17 (zlib-ng, change 1672).
	"icx": {[]string{"x86 64"}, map[int]int{2023: 16, 2024: 17}},
}

// inside returns the clang version inside a version of such a compiler, 0 for the newest. If it is not documented, inside returns the
// clang of the nearest earlier version, whose flags a newer one still has, or of the first version.
func (w *writer) inside(clang map[int]int) int {
	if w.c.Major == 0 {
		return 0
	}
	known := slices.Sorted(maps.Keys(clang))
	i, found := slices.BinarySearch(known, w.c.Major)
	if found {
		return clang[known[i]]
	}
	nearest := known[max(i-1, 0)]
	w.note(KeyArchitecture, "which clang %s %d contains is not documented: the flags are for %s %d, which contains clang %d", w.c.Name, w.c.Major, w.c.Name, nearest, clang[nearest])
	return clang[nearest]
}

// derived writes the flags of a compiler based on clang. It builds only for its vendor's machines, so it needs no target. For code without
// an operating system, Arm has a different compiler.
func (w *writer) derived(stage Stage) {
	d := derived[w.c.Name]
	if !slices.Contains(d.archs, w.view.arch.Name+" "+strconv.Itoa(w.t.Mode)) || w.t.PU != "CPU" {
		w.noTarget("%s builds for %s, not for %s %s %d: no flags", w.c.Name, strings.Join(d.archs, " and "), w.t.PU, w.view.arch.Name, w.t.Mode)
		return
	}
	for _, f := range w.host("clang", w.inside(d.clang), stage) {
		switch {
		case !strings.HasPrefix(f, "--target="):
			w.add(f)
		case w.c.Name == "armclang" && w.view.os() == "None":
			w.add("--target=" + either(w.t.Mode == 64, "aarch64", "arm") + "-arm-none-eabi")
		}
	}
}

// nvcProcessors lists the processors that NVIDIA's host compiler knows, with the first yearly version that is sure to have each.
var nvcProcessors = map[string]struct {
	name  string
	since int
}{
	"sandybridge": {"sandybridge", 0}, "ivybridge": {"ivybridge", 0}, "haswell": {"haswell", 0}, "skylake-avx512": {"skylake", 0}, "bdver1": {"bulldozer", 0}, "bdver2": {"piledriver", 0},
	"znver1": {"zen", 0}, "znver2": {"zen2", 21}, "znver3": {"zen3", 22}, "znver4": {"zen4", 24}, "pwr8": {"pwr8", 0}, "pwr9": {"pwr9", 0}, "neoverse-n1": {"neoverse-n1", 23}, "neoverse-v2": {"neoverse-v2", 24},
}

// nvc writes the flags of NVIDIA's host compilers (nvc, nvc++, nvfortran): the processor by its name, then flags for x86 features.
func (w *writer) nvc(stage Stage) {
	s := w.view.isa
	if w.view.arch.Name == "NVIDIA" && w.t.Mode == 64 {
		var devices []string
		for _, f := range w.devices(func(f *table.Feature) table.Option { return table.Option{Flag: f.NVCC.Flag} }) {
			devices = append(devices, "cc"+strings.TrimRight(strings.TrimPrefix(f.NVCC.Flag, "sm_"), "af"))
		}
		if len(devices) > 0 {
			w.add("-gpu=" + strings.Join(slices.Compact(devices), ","))
		}
		w.deviceOptions("nvc")
		w.deviceTexts(stage)
		return
	}
	if !slices.Contains([]string{"x86 64", "ARM 64", "PowerPC 64"}, fmt.Sprintf("%s %d", w.view.arch.Name, w.t.Mode)) || w.t.PU != "CPU" {
		w.noTarget("nvc has no target for %s %s %d: no flags", w.t.PU, w.view.arch.Name, w.t.Mode)
		return
	}
	have, _ := s.Meaning(names(w.wanted()))
	have = have.Union(s.Always(w.view.mode, have))
	given := s.Always(w.view.mode, have)
	if p := s.Nearest(have, func(p *table.Processor) bool {
		known, ok := nvcProcessors[p.Name]
		return ok && (w.c.Major == 0 || w.c.Major >= known.since)
	}); p != nil {
		w.addSince("-tp="+nvcProcessors[p.Name].name, nvcProcessors[p.Name].since)
		given = given.Union(s.Brings(p, table.Option{}))
	} else if w.view.arch.Name == "x86" {
		w.add("-tp=px")
	}
	lost := s.Reduce(have.Minus(given))
	if w.view.arch.Name == "x86" {
		lost = slices.DeleteFunc(lost, func(id table.ID) bool {
			flag := s.Features[id].GCC.Flag
			if slices.Contains(nvcFlags, flag) {
				w.add(flag)
			}
			return slices.Contains(nvcFlags, flag)
		})
	}
	if len(lost) > 0 {
		w.note(KeyFeatures, "nvc has no flag for %s", quote(lost.Names(s)))
	}
	w.nvcRest(stage)
}

// nvcFlags lists the flags that nvc has for x86 features.
var nvcFlags = []string{"-msse3", "-mssse3", "-msse4.1", "-msse4.2", "-mpopcnt", "-mavx", "-mavx2", "-mbmi", "-mbmi2", "-mf16c", "-mfma", "-mlzcnt", "-mxsave",
	"-mavx512f", "-mavx512bw", "-mavx512cd", "-mavx512dq", "-mavx512vl"}

// nvcRest writes optimisation levels, constants and libraries.
func (w *writer) nvcRest(stage Stage) {
	o := w.t.Optimization
	switch p := w.t.Platform; {
	case p.Position == "PIC" && stage == Compiling:
		w.add("-fPIC")
	case p.Position == "PIE":
		w.add(either(stage == Compiling, "-fPIE", "-pie"))
	}
	if stage == Compiling {
		if o.Level > 0 && o.forSize() {
			w.note(KeyLevel, "nvc has no flag for small code: SizeOptimization")
		}
		w.add("-O" + strconv.Itoa(o.Level))
		if v := o.Vectorization; v != nil && *v != 1 {
			w.add("-M" + either(*v == 0, "novect", "vect"))
		}
		if o.Inlining != nil && *o.Inlining != 1 {
			w.add(either(*o.Inlining == 0, "-Mnoinline", "-Minline"))
		}
	}
	w.deviceTexts(stage)
}

// zig writes the options of Zig's compiler and of the clang inside it: target, processor with features, mode.
func (w *writer) zig(stage Stage) {
	triple := w.zigTriple()
	if triple == "" {
		w.noTarget("zig has no target for %s %s %d like this: no flags", w.t.PU, w.view.arch.Name, w.t.Mode)
		return
	}
	w.add("-target", triple)
	llvm := zigLLVM[w.c.Major]
	view, notes := Machines{Tables: w.view.tables}.LLVM(w.t, llvm)
	for _, n := range notes {
		w.report(n)
	}
	cpu, given := view.CPU, table.Set{}
	s := w.view.isa
	have, _ := s.Meaning(names(w.wanted()))
	have = have.Union(s.Always(w.view.mode, have))
	if p := s.Nearest(have, func(p *table.Processor) bool {
		return !(p.Level && w.view.arch.Name == "ARM") && p.CPU().In(llvm)
	}); p != nil && w.t.Mode == 64 && w.t.PU == "CPU" {
		cpu, given = p.CPU().Flag, w.brings(p, p.CPU(), llvm)
	}
	newer := llvm == 0 || llvm > NewestLLVM
	if newer {
		given = table.Set{} // the tables do not have the features that this processor name implies in zig
	}
	given = given.Union(s.Always(w.view.mode, have))
	model := []string{zigWord(cpu)}
	add := func(name string) {
		if name = zigWord(name); !slices.Contains(model[1:], name) {
			model = append(model, name)
		}
	}
	named := w.wanted()
	for _, id := range have.List() { // including features that clang adds and LLVM does not, such as POPCNT with SSE4.2
		f := &s.Features[id]
		switch arch, isArch := strings.CutPrefix(f.Clang.Flag, "arch:arm"); {
		case f.Group || given.Has(id) || f.LLVM == "-" || younger(f, llvm):
		case isArch && !slices.Contains(named, f): // the named architecture includes it
		case isArch: // v7em, v8m_main
			add(strings.TrimSuffix(strings.ReplaceAll(arch, "-", ""), ".base"))
		default:
			for name := range strings.SplitSeq(f.LLVM, "+") {
				if newer && !slices.Contains(experimental, name) {
					name = strings.TrimPrefix(name, "experimental-")
				}
				add(name)
			}
		}
	}
	if f := s.Feature("vector"); w.view.arch.Name == "S390X" && have.Has(f.ID) {
		w.note(KeyFeatures, "zig builds for S390X without `%s`", f.Name)
	}
	w.add("-mcpu=" + strings.Join(model, "+"))
	if stage == Compiling {
		o := w.t.Optimization
		mode := either(o.Level == 0, "Debug", either(o.forSize(), "ReleaseSmall", "ReleaseFast"))
		if mode == "ReleaseFast" && o.Level != 3 {
			w.note(KeyLevel, "zig has one level for speed: ReleaseFast")
		}
		w.add("-O" + mode)
	}
	if p := w.t.Platform.Position; p == "PIC" || p == "PIE" {
		w.add("-f" + p)
	}
	w.deviceTexts(stage)
}

// zigLLVM is the LLVM version inside zig 0.N.
var zigLLVM = map[int]int{11: 16, 12: 17, 13: 18, 14: 19, 15: 20, 16: 21}

// experimental lists the RISC-V extensions that LLVM 19 called experimental and LLVM 21 still does.
var experimental = []string{"experimental-zalasr", "experimental-zicfilp", "experimental-zicfiss"}

// zigWord writes an LLVM name the way Zig does.
func zigWord(name string) string { return strings.NewReplacer("-", "_", ".", "_").Replace(name) }

// zigTriple is Zig's name of a machine and its system: x86_64-linux-gnu.2.36.
func (w *writer) zigTriple() string {
	arch, rest, _ := strings.Cut(w.triple, "-")
	p := w.t.Platform
	version := func(of, number string) string { return of + either(number == "", "", "."+number) }
	switch {
	case w.t.PU != "CPU" || arch == "":
		return ""
	case arch == "i686" || arch == "i386":
		arch = "x86"
	case arch == "arm64":
		arch = "aarch64"
	case arch == "sparcv9":
		arch = "sparc64"
	case w.view.arm32():
		arch = either(strings.HasPrefix(arch, "thumb"), "thumb", "arm") + either(w.view.endian() == "Big", "eb", "")
	}
	switch os := w.view.os(); os {
	case "None":
		return arch + "-freestanding-" + either(w.view.arm32(), rest[strings.LastIndexByte(rest, '-')+1:], "none")
	case "macOS", "iOS", "FreeBSD", "NetBSD", "OpenBSD":
		return arch + "-" + version(strings.ToLower(os), p.OSVersion) + "-none"
	case "Windows":
		return arch + "-" + version("windows", p.OSVersion) + "-" + either(p.Libc == "MinGW", "gnu", "msvc")
	case "Android":
		return arch + "-linux-android" + either(w.view.arm32(), "eabi", "")
	default:
		if w.view.arch.Name == "WASM" || w.view.arch.Name == "Xtensa" {
			return arch + "-freestanding-none"
		}
		abi := rest[strings.LastIndexByte(rest, '-')+1:]
		return arch + "-" + version("linux", p.OSVersion) + "-" + version(abi, p.LibcVersion)
	}
}
