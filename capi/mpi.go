package main

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"encoding/binary"
	"unsafe"

	"github.com/pentode-dev/pentode/run/data/plugin/mpi"
)

// communicators returns the communicators of the program's MPI library, if the program has
// one. In Open MPI, the handle of a communicator is the address of a variable; in MPICH and
// compatible libraries it is a fixed number.
func communicators() mpi.Communicators {
	c := mpi.Communicators{}
	kind := C.bridge_mpi_load()
	switch kind {
	case C.MPI_NONE:
		c.Find = noGroups("the program has no MPI library loaded, which `communicator` needs")
		return c
	case C.MPI_OTHER:
		c.Find = noGroups("the MPI library of the program is unknown: `communicator` needs Open MPI, or MPICH or one with its interface")
		return c
	}
	if kind == C.MPI_POINTERS {
		address := func(name string) []byte { return binary.NativeEndian.AppendUint64(nil, uint64(uintptr(find(name)))) }
		c.World, c.Self, c.Null = address("ompi_mpi_comm_world"), address("ompi_mpi_comm_self"), address("ompi_mpi_comm_null")
		c.ToFortran = func(comm []byte) int32 {
			return int32(C.bridge_comm_c2f(find("MPI_Comm_c2f"), unsafe.Pointer(&comm[0])))
		}
		c.FromFortran = func(number int32) []byte {
			comm := make([]byte, handleSize)
			C.bridge_comm_f2c(find("MPI_Comm_f2c"), C.int(number), unsafe.Pointer(&comm[0]))
			return comm
		}
	} else { // in these libraries, C and Fortran use the same numbers
		number := func(v int32) []byte { return binary.NativeEndian.AppendUint32(nil, uint32(v)) }
		c.World, c.Self, c.Null = number(0x44000000), number(0x44000001), number(0x04000000)
		c.ToFortran = func(comm []byte) int32 { return int32(binary.NativeEndian.Uint32(comm)) }
		c.FromFortran = number
	}
	if C.bridge_mpi_active() {
		c.Rank = int32(C.bridge_mpi_rank(unsafe.Pointer(&c.World[0])))
	}
	c.Find = (&groups{null: c.Null}).find
	return c
}

// worldRank returns the rank of this process in a communicator and the number of processes; ok
// is false if MPI is not running.
func worldRank(world []byte) (rank, size int, ok bool) {
	if len(world) == 0 || !bool(C.bridge_mpi_active()) {
		return 0, 0, false
	}
	at := unsafe.Pointer(&world[0])
	return int(C.bridge_mpi_rank(at)), int(C.bridge_mpi_size(at)), true
}

// find returns a function or a variable of the program and its libraries.
func find(name string) unsafe.Pointer {
	return C.bridge_find(lent(name))
}
