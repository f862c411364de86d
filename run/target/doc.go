// Package target is the engine of COIL: it knows what a machine is, what runs on it, and which flags make a compiler build for it.
//
// A Target is a plain value, whether it comes from a file, from a preset or from this host. The methods of
// Machines look up its names in tables (package table). Targets are ordered by what they can run, so "will
// it run there" is one comparison, and "what runs on all of these" is a meet of feature sets.
//
//	.coilcfg ──lang/coil──▶ Target ──┬─▶ Compat, Meet, Satisfies
//	Host ──Detect──────────▶         └─▶ Flags, LLVM
//
// Errors, and notes about what a compiler has no flag for, are problems (problem.Problem) of the kinds below.
//
// The files form layers, and each layer uses only those above it. To read the package, read in this order:
//
//	problem  target  view                 kinds and keys of problems, a Target, and the meaning of its names
//	platform  compat                      the abilities of a machine, and whose code it runs
//	compiler  writer  flags_march         the collected flags, and the text of -march
//	flags_cc  llvm                        flags of gcc and clang, and the words of LLVM
//	flags_gpu  flags_vendor  …  flags     compilers and build systems beyond these; flags lists them all
//	cpuinfo  host  detect  …              this machine
package target
