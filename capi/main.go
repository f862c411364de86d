// Libpdi is the data store as a shared library with PDI's C interface.
//
// A simulation that links PDI's libpdi runs with this one unchanged. The interface itself is
// written in C: it finds the calling thread's error handler, takes the lock and masks
// floating-point traps. Go does the work and returns a status. Only then, with no Go code on the
// stack, C calls the handler, which may leave with longjmp.
//
//	program ──PDI_share──▶ pdi.c ──pentode_share──▶ calls.go ──▶ data.Store
//	   ▲                     │                         │
//	   └──error handler──────┘                         └──▶ user functions, log, malloc (host.go)
//
//	program ──PC_parse_path──▶ libparaconf ──▶ document.go ──▶ lang/pdi
//
// All memory that C may see belongs to C: memory that the store makes is allocated with malloc,
// and memory that the program shares stays where it is. Memory that only the library needs is
// Go's, or in separate pages, so that it leaves nothing in the heap in which the program then
// allocates its arrays. This is the only package with cgo.
//
// install builds and installs the library with all other files.
package main

func main() {}
