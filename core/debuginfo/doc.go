// Package debuginfo finds functions and source lines in compiled programs.
//
// A trace configuration names regions by address, and addresses change with every build. A data specification
// repeats structs that a program already has. Both need the output of the compiler: the symbol table of an ELF
// file and its DWARF sections, in the program itself or in a separate debug file.
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
// The results of a long walk are kept in the user's cache folder, by build id.
//
// Addresses are relative to the file. In a position-independent program they count from its load base, unless
// Load sets the base. The package reads little before a question needs it, and any damage to a file ends in an
// error.
//
// The files form layers, and each file uses only the layers above it in this list, which is also the order to
// read them:
//
//	bounds  cursor  form  symbol  scan    limits, then entries of DWARF one after the other
//	file  index                           the opened program, and the result of one walk over its tables
//	linetable  call  outlined             lines, calls, and code that compilers move into extra functions
//	separate  cache  open                 debug files, results of earlier walks, and opening
//	split  walk                           the walk itself, also through .dwo files
//	names  line  retarget  …              questions to the index, independent of each other
package debuginfo
