// Libpdi is the data store as a shared library with the C interface of PDI.
//
// A simulation that links PDI's libpdi runs on this one unchanged. The interface
// itself is C: it finds the calling thread's error handler, takes the lock and
// masks floating-point traps. Go does the work and returns a status; only then,
// with no Go on the stack, C calls the handler, which may leave by longjmp.
//
//	program ──PDI_share──▶ pdi.c ──pentode_share──▶ calls.go ──▶ data.Store
//	   ▲                     │                         │
//	   └──error handler──────┘                         └──▶ user functions, log, malloc (host.go)
//
//	program ──PC_parse_path──▶ libparaconf ──▶ document.go ──▶ lang/pdi
//
// All memory that C may see is C's: what the store makes is malloc'ed, what the
// program shares stays where it is. What the library needs for itself is in Go's memory or in
// pages of its own, so that it leaves nothing in the heap in which the program then makes its
// arrays. This is the only package with cgo.
//
// install builds and installs the library with everything around it.
package main

func main() {}
