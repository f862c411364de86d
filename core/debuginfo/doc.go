// Package debuginfo finds functions and source lines in compiled programs.
//
// A trace configuration names regions by address, and addresses change with
// every build; a data specification repeats structs that a program already
// has. Both need what a compiler wrote down: the symbol table of an ELF file
// and its DWARF sections, in the program itself or in a debug file beside it.
//
//	program ──Open──▶ File ──┬─ Lookup    address ─▶ function, file:line
//	   │                     ├─ Function  name ─▶ ranges
//	   │                     ├─ Code      name ─▶ ranges, where it was inlined too
//	   └─ .gnu_debuglink,    ├─ Line      file:line ─▶ addresses
//	      build id ─▶ DWARF  ├─ Sites     file:line ─▶ what its calls return to
//	                         ├─ Sources   the files it was compiled from
//	                         ├─ DWARF     for package structs
//	                         └─ Retarget  address of an old build ─▶ new build
//
// What a walk over much debug information found is kept in a file of the user, by build id.
//
// Addresses are those of the file: of a position independent program they
// count from its load base, unless Load says where it was loaded. Little is read before it is asked for, and a
// damaged file ends in an error whatever the damage is.
//
// The files stand in layers, and each uses only those before it. To read the package, read
//
//	bounds  cursor  form  symbol  scan    limits, then entries of DWARF one after the other
//	file  index                           the opened program, and the result of one walk over its tables
//	linetable  call  outlined             lines, calls, and the parts that compilers make functions of
//	separate  cache  open                 debug files, results of earlier walks, and opening
//	split  walk                           the walk itself, also through .dwo files
//	names  line  retarget  …              questions to the index, side by side
package debuginfo
