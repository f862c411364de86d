package main

// #include "bridge.h"
import "C"

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/pentode-dev/pentode/run/data/ranks"
)

// groups are the program's communicators that the store has used.
type groups struct {
	null []byte
	list []*group
}

var errInactive = errors.New("`communicator` needs MPI, which the program has not initialised, or has finalised")

// noGroups returns a Finder that always fails with the given reason, for a program whose MPI library cannot be used.
func noGroups(why string) ranks.Finder {
	return func([]byte, time.Duration) (ranks.Group, error) { return nil, errors.New(why) }
}

// find returns the group of a communicator, with a duplicate of the communicator for its messages, so that they
// never mix with the program's own. The program may have freed a communicator and got a new one with the same
// handle, so find compares the processes of a known handle again.
func (l *groups) find(comm []byte, timeout time.Duration) (ranks.Group, error) {
	at := unsafe.Pointer(&comm[0])
	switch {
	case !bool(C.bridge_mpi_active()):
		return nil, errInactive
	case bytes.Equal(comm, l.null):
		return nil, errors.New("the communicator is MPI_COMM_NULL, which has no processes: this process must not take part")
	case bool(C.bridge_mpi_inter(at)):
		return nil, errors.New("the communicator connects two groups of processes (an intercommunicator): use one for a single group, such as MPI_Intercomm_merge makes")
	}
	i := slices.IndexFunc(l.list, func(g *group) bool { return bytes.Equal(g.of, comm) })
	if i >= 0 {
		if g := l.list[i]; C.bridge_mpi_congruent(at, g.at()) {
			return g, nil
		}
		l.list = slices.Delete(l.list, i, i+1) // the handle now refers to another communicator; freeing the copy needs all of the old processes, which may never come together again
	}
	g := &group{groups: l, of: bytes.Clone(comm), comm: make([]byte, handleSize), rank: int(C.bridge_mpi_rank(at)), size: int(C.bridge_mpi_size(at))}
	switch code := C.bridge_mpi_duplicate(at, g.at(), C.double(timeout.Seconds())); code {
	case 0:
	case C.MPI_LATE:
		return nil, fmt.Errorf("not all of the %d processes of the communicator took part within %v", g.size, timeout)
	default:
		return nil, refused("MPI_Comm_idup", code)
	}
	l.list = append(l.list, g)
	return g, nil
}

// group is a copy of a communicator, with its processes.
type group struct {
	*groups
	of         []byte // the handle of the communicator that was copied
	comm       []byte // the handle of the copy
	rank, size int
	sent       []*parcel
}

// parcel is a message that MPI is still sending. Its bytes are pinned until MPI has finished with them.
type parcel struct {
	bytes, request []byte
	pin            runtime.Pinner
}

const handleSize = int(unsafe.Sizeof(uintptr(0)))

// maxMessage is the largest number of bytes of one MPI message: MPI counts bytes in an int. A longer message is sent
// in several parts; a part of exactly this size means that another one follows.
const maxMessage = 1 << 30

func (g *group) at() unsafe.Pointer { return unsafe.Pointer(&g.comm[0]) }
func (g *group) Rank() int          { return g.rank }
func (g *group) Size() int          { return g.size }

// Send does nothing if MPI is not active: it is also called when the store closes, and the program may have
// finalised MPI by then.
func (g *group) Send(to int, b []byte) error {
	if !C.bridge_mpi_active() {
		return errInactive
	}
	if err := g.removeSent(false); err != nil {
		return err
	}
	for {
		part := b[:min(len(b), maxMessage)]
		m := &parcel{bytes: part, request: make([]byte, handleSize)}
		m.pin.Pin(&m.request[0])
		if len(part) > 0 {
			m.pin.Pin(&part[0])
		}
		g.sent = append(g.sent, m)
		code := C.bridge_mpi_send(g.at(), C.int(to), unsafe.Pointer(unsafe.SliceData(part)), C.int(len(part)), unsafe.Pointer(&m.request[0]))
		if code != 0 {
			return refused("MPI_Isend", code)
		}
		if len(part) < maxMessage {
			return nil
		}
		b = b[maxMessage:]
	}
}

func (g *group) Receive(from int, timeout time.Duration) ([]byte, error) {
	if !C.bridge_mpi_active() {
		return nil, errInactive
	}
	var all []byte
	for {
		var length C.int
		switch code := C.bridge_mpi_probe(g.at(), C.int(from), C.double(timeout.Seconds()), &length); code {
		case 0:
		case C.MPI_LATE:
			return nil, ranks.ErrTimeout
		default:
			return nil, refused("MPI_Iprobe", code)
		}
		at := len(all)
		all = append(all, make([]byte, length)...)
		if code := C.bridge_mpi_receive(g.at(), C.int(from), unsafe.Pointer(unsafe.SliceData(all[at:])), length); code != 0 {
			return nil, refused("MPI_Recv", code)
		}
		if length < maxMessage {
			return all, nil
		}
	}
}

func (g *group) Flush() error { return g.removeSent(true) }

// removeSent removes the messages that have been sent; if wait is set, it waits for all of them.
func (g *group) removeSent(wait bool) error {
	var err error
	g.sent = slices.DeleteFunc(g.sent, func(m *parcel) bool {
		code := C.bridge_mpi_sent(unsafe.Pointer(&m.request[0]), C.bool(wait))
		if code == C.MPI_LATE {
			return false
		}
		if code != 0 {
			err = refused("MPI_Test", code)
		}
		m.pin.Unpin()
		return true
	})
	return err
}

// Close frees the copy, which all processes must do. If the program has finalised MPI, MPI has freed it already.
func (g *group) Close() error {
	g.list = slices.DeleteFunc(g.list, func(other *group) bool { return other == g })
	if !C.bridge_mpi_active() {
		return nil
	}
	if code := C.bridge_mpi_free(g.at()); code != 0 {
		return refused("MPI_Comm_free", code)
	}
	return nil
}

func refused(function string, code C.int) error {
	return fmt.Errorf("%s of the MPI library failed with code %d", function, int(code))
}
