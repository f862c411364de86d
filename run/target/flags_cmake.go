package target

import (
	"fmt"
	"slices"
	"strings"
)

// buildFlags returns the flags for a file that a build system reads. If its compiler is known,
// they are the flags of that compiler; otherwise they are the flags that gcc and clang both
// understand, and a note names each flag that only one of them takes. clang's target is left
// out, because such a file has a separate place for it.
func (w *writer) buildFlags(stage Stage) []string {
	if w.c.Kind != "" {
		return w.flagsOf(w.c.Kind, stage)
	}
	gcc, clang := w.flagsOf("gcc", stage), w.flagsOf("clang", stage)
	if len(gcc) == 0 {
		return clang // only clang has the machine
	}
	known := setOf(clang)
	var out []string
	for _, f := range gcc {
		if known[f] || slices.Contains(modeFlags, f) {
			out = append(out, f)
		} else {
			w.note(KeyFeatures, "clang does not take `%s`: it is not in the file", f)
		}
	}
	return out
}

// flagsOf returns the flags of one of the two compilers, without a target.
func (w *writer) flagsOf(name string, stage Stage) []string {
	o := newWriter(w.view, Compiler{Name: name, Major: w.c.version(name), Tune: w.c.Tune})
	if w.c.Kind == "" {
		o.common = &w.c
	}
	o.cc(stage)
	for _, n := range o.notes {
		w.report(n)
	}
	return slices.DeleteFunc(o.flags, func(f string) bool { return strings.HasPrefix(f, "--target=") })
}

// cmake writes a toolchain file. clang learns its target from the variable that gcc ignores.
func (w *writer) cmake() {
	compile, link := w.buildFlags(Compiling), w.buildFlags(Linking)
	libs := w.libraries() // libraries must come after the objects, but CMake puts flags before them
	behind := setOf(libs)
	link = slices.DeleteFunc(link, func(f string) bool { return behind[f] })
	system := systems[w.view.os()].cmake
	processor, _, _ := strings.Cut(w.triple, "-")
	if processor == "" {
		processor = w.view.arch.Name
	}
	w.add("# CMake toolchain for "+w.t.PU+" "+w.view.arch.Name+w.c.versions()+", use with -DCMAKE_TOOLCHAIN_FILE=",
		"set(CMAKE_SYSTEM_NAME "+system+")", "set(CMAKE_SYSTEM_PROCESSOR "+processor+")")
	if v := w.t.Platform.OSVersion; v != "" {
		w.add("set(CMAKE_SYSTEM_VERSION " + v + ")")
	}
	if system == "Generic" {
		w.add("set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)") // there may be no start-up code to link a whole program
	}
	for _, lang := range []string{"C", "CXX"} {
		if w.c.Program != "" {
			w.add("set(CMAKE_" + lang + "_COMPILER " + cmakeText([]string{either(lang == "C", w.c.Program, plusPlus(w.c.Program))}) + ")")
		}
		if w.triple != "" && w.c.Kind != "gcc" {
			w.add("set(CMAKE_" + lang + "_COMPILER_TARGET " + w.triple + ")")
		}
		w.add("set(CMAKE_" + lang + "_FLAGS_INIT " + cmakeText(compile) + ")")
		if len(libs) > 0 {
			w.add("set(CMAKE_" + lang + "_STANDARD_LIBRARIES " + cmakeText(libs) + ")")
		}
	}
	for _, kind := range []string{"EXE", "SHARED", "MODULE"} {
		w.add("set(CMAKE_" + kind + "_LINKER_FLAGS_INIT " + cmakeText(link) + ")")
	}
}

// plusPlus returns the C++ compiler that belongs to a C compiler: aarch64-linux-gnu-g++-12 for aarch64-linux-gnu-gcc-12.
func plusPlus(program string) string {
	dir, name := "", program
	if i := strings.LastIndexAny(program, `/\`); i >= 0 {
		dir, name = program[:i+1], program[i+1:]
	}
	if i := strings.LastIndex(name, "clang"); i >= 0 {
		return dir + name[:i] + "clang++" + name[i+len("clang"):]
	}
	if i := strings.LastIndex(name, "gcc"); i >= 0 {
		return dir + name[:i] + "g++" + name[i+len("gcc"):]
	}
	return dir + either(name == "cc", "c++", name)
}

// versions names the compiler versions that a file is for, if they are known.
func (c Compiler) versions() string {
	var known []string
	for _, name := range []string{"gcc", "clang"} {
		if v := c.version(name); v != 0 && (c.Kind == "" || c.Kind == name) {
			known = append(known, fmt.Sprintf("%s %d", name, v))
		}
	}
	if known == nil {
		return ""
	}
	return " and " + strings.Join(known, ", ")
}

// modeFlags are understood by both compilers, though clang does not need them when it has a target.
var modeFlags = []string{"-m16", "-m32", "-m64", "-mlittle-endian", "-mbig-endian", "-EL", "-EB"}

// cmakeText joins flags into one CMake string, written like a shell line in quotes.
func cmakeText(flags []string) string {
	quoted := make([]string, len(flags))
	for i, f := range flags {
		if strings.ContainsAny(f, " \t\"'\\$;") {
			f = "'" + strings.ReplaceAll(f, "'", `'\''`) + "'"
		}
		quoted[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, `;`, `\;`).Replace(f)
	}
	return `"` + strings.Join(quoted, " ") + `"`
}

func setOf(flags []string) map[string]bool {
	set := make(map[string]bool, len(flags))
	for _, f := range flags {
		set[f] = true
	}
	return set
}

// meson writes a Meson machine file, for --cross-file and --native-file.
func (w *writer) meson() {
	family := mesonFamilies[w.view.archName()][w.t.Mode]
	if family == "" || w.t.PU != "CPU" {
		w.noTarget("meson has no family of processors for %s %s %d: no file", w.t.PU, w.view.archName(), w.t.Mode)
		return
	}
	compile, link := w.buildFlags(Compiling), w.buildFlags(Linking)
	if w.c.Kind == "clang" && w.triple != "" {
		compile, link = append([]string{"--target=" + w.triple}, compile...), append([]string{"--target=" + w.triple}, link...)
	}
	w.add("# Meson machine file for " + w.t.PU + " " + w.view.archName() + w.c.versions() + ", use with --cross-file or --native-file")
	if w.c.Program != "" {
		w.add("[binaries]", "c = "+mesonText(w.c.Program), "cpp = "+mesonText(plusPlus(w.c.Program)), "")
	}
	w.add("[built-in options]")
	for _, lang := range []string{"c", "cpp"} {
		w.add(lang+"_args = "+mesonList(compile), lang+"_link_args = "+mesonList(link))
	}
	cpu, _, _ := strings.Cut(w.triple, "-")
	w.add("", "[host_machine]", "system = "+mesonText(systems[w.view.os()].meson), "cpu_family = "+mesonText(family), "cpu = "+mesonText(cpu), "endian = "+mesonText(strings.ToLower(w.view.endian())))
}

// mesonFamilies maps our architectures and modes to Meson's names.
var mesonFamilies = map[string]map[int]string{
	"x86": {32: "x86", 64: "x86_64"}, "ARM": {32: "arm", 64: "aarch64"}, "RISC-V": {32: "riscv32", 64: "riscv64"}, "PowerPC": {32: "ppc", 64: "ppc64"},
	"MIPS": {32: "mips", 64: "mips64"}, "SPARC": {32: "sparc", 64: "sparc64"}, "S390X": {64: "s390x"}, "LoongArch": {64: "loongarch64"}, "WASM": {32: "wasm32", 64: "wasm64"},
	"M68K": {32: "m68k"}, "AVR": {8: "avr"}, "MSP430": {16: "msp430"},
}

func mesonList(flags []string) string {
	words := make([]string, len(flags))
	for i, f := range flags {
		words[i] = mesonText(f)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

func mesonText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
