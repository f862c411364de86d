// Package ranks is what the store knows of the processes of a program that work
// together, as a communicator of MPI names them.
package ranks

// Group is the processes of a communicator.
type Group interface {
	Rank() int // of this process, from 0 on
	Size() int
}

// Finder gives the processes of a communicator, which is what a datum of type
// MPI_Comm holds. The error says why there are none.
type Finder func(comm []byte) (Group, error)
