package target

import (
	"cmp"
	"slices"
)

// Compiler is the compiler that flags are for.
type Compiler struct {
	Name  string // one of Compilers
	Major int    // its version, of rustc the number behind `1.` and of zig that behind `0.`; 0 for the newest known

	Unstable bool   // rustc: with the features that it warns of
	Tune     string // the processor of the tables that code is made fast for, though it runs on others; "" for none

	// A file for a build system is for both of them, and nvcc has a gcc behind it: their
	// versions; 0 for Major.
	GCC, Clang int

	// Program is the compiler that a build system will use, and Kind whether it is a gcc or a
	// clang; "" where any may come.
	Program, Kind string
}

// WritesFile reports whether flags are the lines of a file.
func (c Compiler) WritesFile() bool {
	return slices.Contains([]string{"cargo", "cmake", "meson"}, c.Name)
}

// version is that of a compiler which a file is for.
func (c Compiler) version(name string) int {
	if name == "gcc" {
		return cmp.Or(c.GCC, c.Major)
	}
	return cmp.Or(c.Clang, c.Major)
}

var compilers = []string{"aocc", "armclang", "cargo", "clang", "cmake", "gcc", "go", "hipcc", "icx", "meson", "nvc", "nvcc", "rustc", "zig"}

// Compilers lists the compilers Flags knows, sorted.
func Compilers() []string { return slices.Clone(compilers) }

// Stage is what the flags are used for.
type Stage uint8

const (
	Compiling Stage = iota
	Linking
)

// Oldest is the oldest version of a compiler that the tables were held against;
// flags that it has may be older.
func Oldest(compiler string) int {
	if compiler == "clang" {
		return 13
	}
	return 11
}
