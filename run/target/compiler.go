package target

import (
	"cmp"
	"slices"
)

// Compiler names the compiler that flags are for.
type Compiler struct {
	Name  string // one of Compilers
	Major int    // its version: for rustc the number after `1.`, for zig the number after `0.`; 0 for the newest known

	Unstable bool   // for rustc: also use features that it reports as unstable
	Tune     string // a processor of the tables to optimise for, without requiring it; "" for none

	// A file for a build system serves both compilers, and nvcc calls a gcc: GCC and Clang
	// are their versions, 0 as with Major.
	GCC, Clang int

	// Program is the compiler that a build system will use, and Kind is gcc or clang. Both
	// are "" if either compiler may be used.
	Program, Kind string
}

// WritesFile reports whether the flags are the lines of a file.
func (c Compiler) WritesFile() bool {
	return slices.Contains([]string{"cargo", "cmake", "meson"}, c.Name)
}

// version returns the version of gcc or of clang for a build-system file, which is for both.
func (c Compiler) version(name string) int {
	if name == "gcc" {
		return cmp.Or(c.GCC, c.Major)
	}
	return cmp.Or(c.Clang, c.Major)
}

var compilers = []string{"aocc", "armclang", "cargo", "clang", "cmake", "gcc", "go", "hipcc", "icx", "meson", "nvc", "nvcc", "rustc", "zig"}

// Compilers lists the compilers that Flags knows, sorted.
func Compilers() []string { return slices.Clone(compilers) }

// Stage is what the flags are used for.
type Stage uint8

const (
	Compiling Stage = iota
	Linking
)

// Oldest returns the oldest version of a compiler that the tables were checked with. A flag may
// have existed before that version.
func Oldest(compiler string) int {
	if compiler == "clang" {
		return 13
	}
	return 11
}
