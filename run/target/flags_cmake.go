package target

import (
	"fmt"
	"slices"
	"strings"
)

// cmake writes a toolchain file. It is read before CMake knows which compiler it
// has, so it holds what gcc and clang both understand; what only one of them
// does is noted. clang learns its target from the variable that gcc ignores.
func (w *writer) cmake() {
	sub := func(name string, stage Stage) []string {
		o := newWriter(w.view, Compiler{Name: name, Major: w.c.version(name)})
		o.common = &w.c
		o.cc(stage)
		for _, n := range o.notes {
			w.report(n)
		}
		return o.flags
	}
	both := func(stage Stage) []string {
		gcc, clang := sub("gcc", stage), sub("clang", stage)
		var out []string
		if len(gcc) == 0 {
			return clang[min(1, len(clang)):] // only clang has it, and its target is set below
		}
		known := setOf(clang)
		for _, f := range gcc {
			if known[f] || slices.Contains(modeFlags, f) {
				out = append(out, f)
			} else {
				w.note(KeyFeatures, "clang does not take `%s`: it is not in the file", f)
			}
		}
		return out
	}
	compile, link := both(Compiling), both(Linking)
	libs := w.libraries() // CMake puts flags before a program's objects, and libraries belong behind them
	behind := setOf(libs)
	link = slices.DeleteFunc(link, func(f string) bool { return behind[f] })
	system := "Linux"
	switch w.t.Linker.OutputFormat {
	case "PE":
		system = "Windows"
	case "Mach-O":
		system = "Darwin"
	case "Raw":
		system = "Generic"
	}
	if w.t.PU != "CPU" {
		system = "Generic"
	}
	processor, _, _ := strings.Cut(w.triple, "-")
	if processor == "" {
		processor = w.view.arch.Name
	}
	w.add("# CMake toolchain for "+w.t.PU+" "+w.view.arch.Name+w.c.versions()+", use with -DCMAKE_TOOLCHAIN_FILE=",
		"set(CMAKE_SYSTEM_NAME "+system+")", "set(CMAKE_SYSTEM_PROCESSOR "+processor+")")
	for _, lang := range []string{"C", "CXX"} {
		if w.triple != "" {
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

// versions says for which versions a toolchain file is, where that is known.
func (c Compiler) versions() string {
	var known []string
	for _, name := range []string{"gcc", "clang"} {
		if v := c.version(name); v != 0 {
			known = append(known, fmt.Sprintf("%s %d", name, v))
		}
	}
	if known == nil {
		return ""
	}
	return " and " + strings.Join(known, ", ")
}

// modeFlags are understood by both, though clang needs none of them beside its target.
var modeFlags = []string{"-m16", "-m32", "-m64", "-mlittle-endian", "-mbig-endian", "-EL", "-EB"}

// cmakeText joins flags into one CMake string: a shell-like line inside quotes.
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
