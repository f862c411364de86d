package target

import (
	"strings"
)

// meson writes a machine file, for --cross-file and --native-file.
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

// mesonFamilies are Meson's names of architectures by ours and their modes.
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
