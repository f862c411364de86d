// Package ranks lets the processes of a program exchange data, grouped as in an MPI communicator.
//
// A Group only sends bytes from one process to another; how it does so is up to its
// implementation. Gather, Share and Exchange use it. Each of them can limit its waiting
// time, and its error then names the processes that are missing.
package ranks

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Group is the processes of a communicator, which can send each other messages. Only one
// goroutine may use it at a time.
type Group interface {
	Rank() int // the rank of this process, from 0
	Size() int

	// Send sends bytes to a process. It need not wait until they arrive. The caller does
	// not change the bytes afterwards.
	Send(to int, b []byte) error
	// Receive waits for the next bytes from a process, in the order in which they were
	// sent. After the timeout, the error is ErrTimeout; zero waits forever.
	Receive(from int, timeout time.Duration) ([]byte, error)
	// Flush waits until all messages have been sent.
	Flush() error
	// Close releases the resources of the group. All processes must call it, or none.
	Close() error
}

// Finder returns the group of a communicator; comm is the value of a datum of type MPI_Comm. For
// the same communicator it returns the same Group until that Group is closed. The timeout limits
// how long it waits for the other processes; 0 means no limit. If there is no group, the error
// gives the reason.
type Finder func(comm []byte, timeout time.Duration) (Group, error)

// ErrTimeout means that a wait took longer than its timeout.
var ErrTimeout = errors.New("timed out")

// Missing is the error if some processes did not take part within the timeout.
type Missing struct {
	Ranks []int
	After time.Duration
}

func (m *Missing) Error() string {
	names := make([]string, len(m.Ranks))
	for i, r := range m.Ranks {
		names[i] = fmt.Sprint(r)
	}
	who := "rank " + names[0]
	if n := len(names); n > 1 {
		who = "ranks " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return fmt.Sprintf("%s did not join within %v: each process of the communicator must take part", who, m.After)
}

// Gather sends bytes from every process to rank 0. On rank 0 the result is indexed by rank; on
// the others it is nil. A timeout of 0 means no limit.
func Gather(g Group, b []byte, timeout time.Duration) ([][]byte, error) {
	if g.Rank() != 0 {
		return nil, g.Send(0, b)
	}
	all := make([][]byte, g.Size())
	all[0] = b
	begun := time.Now()
	var missing []int
	for r := 1; r < g.Size(); r++ {
		var err error
		if all[r], err = g.Receive(r, remaining(begun, timeout)); errors.Is(err, ErrTimeout) {
			missing = append(missing, r)
		} else if err != nil {
			return nil, err
		}
	}
	if missing != nil {
		return all, &Missing{missing, timeout}
	}
	return all, nil
}

// remaining returns how much of a timeout is left. It never returns less than a short time, so
// that bytes that have already arrived can still be received.
func remaining(begun time.Time, timeout time.Duration) time.Duration {
	if timeout == 0 {
		return 0
	}
	return max(time.Until(begun.Add(timeout)), time.Millisecond)
}

// Share sends bytes from rank 0 to all processes. The other processes wait longer than the
// timeout, because rank 0 may have waited for the full timeout before it sends.
func Share(g Group, b []byte, timeout time.Duration) ([]byte, error) {
	if g.Rank() == 0 {
		var err error
		for r := 1; r < g.Size() && err == nil; r++ {
			err = g.Send(r, b)
		}
		return b, err
	}
	wait := time.Duration(0)
	if timeout > 0 {
		wait = 2*timeout + time.Second
	}
	b, err := g.Receive(0, wait)
	if errors.Is(err, ErrTimeout) {
		err = &Missing{[]int{0}, wait}
	}
	return b, err
}

// Exchange sends bytes from each process to each other process; out is indexed by receiver. The
// result is indexed by sender.
func Exchange(g Group, out [][]byte, timeout time.Duration) ([][]byte, error) {
	me := g.Rank()
	for i := 1; i < g.Size(); i++ {
		to := (me + i) % g.Size()
		if err := g.Send(to, out[to]); err != nil {
			return nil, err
		}
	}
	in := make([][]byte, g.Size())
	in[me] = out[me]
	for i := 1; i < g.Size(); i++ {
		from := (me + g.Size() - i) % g.Size()
		var err error
		if in[from], err = g.Receive(from, timeout); errors.Is(err, ErrTimeout) {
			err = &Missing{[]int{from}, timeout}
		}
		if err != nil {
			return nil, err
		}
	}
	return in, nil
}
