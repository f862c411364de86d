// Package target is the engine behind COIL: what a machine is, what runs on it,
// and what a compiler must be told to build for it.
//
// A Target is a plain value, whether it comes from a file, from a preset or from
// this host. What its names mean is looked up in tables (package table), by the
// methods of Machines. Targets are ordered by what they can run, so "will it run
// there" and "what runs on all of these" are one comparison and one meet of
// feature sets.
//
//	.coilcfg ──lang/coil──▶ Target ──┬─▶ Compat, Meet, Satisfies
//	Host ──Detect──────────▶         └─▶ Flags, LLVM
//
// What is wrong is a problem.Problem of one of the kinds below, and so is what a
// compiler cannot be told.
//
// The files stand in layers, and each uses only those before it. To read the package, read
//
//	problem  target  view                 kinds and keys of problems, a Target, and the meaning of its names
//	platform  compat                      the abilities of a machine, and whose code it runs
//	compiler  writer  flags_march         the collected flags, and the text of -march
//	flags_cc  llvm                        flags of gcc and clang, and the words of LLVM
//	flags_gpu  flags_vendor  …  flags     compilers and build systems beyond these; flags lists them all
//	cpuinfo  host  detect  …              this machine
package target
