package main

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/pentode-dev/pentode/run/data/plugin/mpi"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// communicators asks the MPI library of the program, if there is one. A communicator is the
// address of a variable in Open MPI, and a fixed number in MPICH and those that follow it.
func communicators() mpi.Communicators {
	c := mpi.Communicators{}
	rank, count, toFortran, fromFortran := find("MPI_Comm_rank"), find("MPI_Comm_size"), find("MPI_Comm_c2f"), find("MPI_Comm_f2c")
	if rank == nil || count == nil || toFortran == nil || fromFortran == nil {
		return c
	}
	if world := find("ompi_mpi_comm_world"); world != nil {
		address := func(p unsafe.Pointer) []byte { return binary.NativeEndian.AppendUint64(nil, uint64(uintptr(p))) }
		c.World, c.Self, c.Null = address(world), address(find("ompi_mpi_comm_self")), address(find("ompi_mpi_comm_null"))
	} else {
		number := func(v uint32) []byte { return binary.NativeEndian.AppendUint32(nil, v) }
		c.World, c.Self, c.Null = number(0x44000000), number(0x44000001), number(0x04000000)
	}
	size := C.size_t(len(c.World))
	c.Rank = int32(C.bridge_comm_number(rank, unsafe.Pointer(&c.World[0]), size))
	c.Find = func(comm []byte) (ranks.Group, error) {
		if bytes.Equal(comm, c.Null) {
			return nil, errors.New("the communicator is MPI_COMM_NULL, which has no processes")
		}
		number := func(function unsafe.Pointer) int {
			return int(C.bridge_comm_number(function, unsafe.Pointer(&comm[0]), size))
		}
		return group{number(rank), number(count)}, nil
	}
	c.ToFortran = func(comm []byte) int32 {
		return int32(C.bridge_comm_c2f(toFortran, unsafe.Pointer(&comm[0]), size))
	}
	c.FromFortran = func(number int32) []byte {
		comm := make([]byte, len(c.World))
		C.bridge_comm_f2c(fromFortran, C.int(number), unsafe.Pointer(&comm[0]), size)
		return comm
	}
	return c
}

// group is a communicator.
type group struct{ rank, size int }

func (g group) Rank() int { return g.rank }
func (g group) Size() int { return g.size }

// find finds a function or a variable of the program and its libraries.
func find(name string) unsafe.Pointer {
	return C.bridge_find(lent(name))
}
