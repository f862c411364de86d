// Package ranks is the processes of a program that work together, as a
// communicator of MPI names them.
//
// A Group sends bytes from one process to another, and nothing else: what it is
// made of is known to who made it. Gather, Share and Exchange build on that, so
// that every wait can end: it names the processes that did not come.
package ranks

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Group is the processes of a communicator. It belongs to one goroutine at a time.
type Group interface {
	Rank() int // of this process, from 0 on
	Size() int

	// Send sends bytes to a process and need not wait until they arrive. The
	// bytes are not changed afterwards.
	Send(to int, b []byte) error
	// Receive waits for the next bytes of a process, in the order in which they
	// were sent. The error is ErrTimeout after the time; zero waits for ever.
	Receive(from int, timeout time.Duration) ([]byte, error)
	// Flush waits until everything sent has left.
	Flush() error
	// Close gives back what the group holds. All processes call it, or none.
	Close() error
}

// Finder gives the processes of a communicator, which is what a datum of type
// MPI_Comm holds; the same for the same communicator until it is closed. Time is
// how long to wait for the others to come, zero for ever. The error says why
// there are none.
type Finder func(comm []byte, timeout time.Duration) (Group, error)

// ErrTimeout is the error of a wait that has ended without what it was for.
var ErrTimeout = errors.New("the time is over")

// Missing is the error of a wait for processes that did not come.
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
	return fmt.Sprintf("%s did not come within %v: each process of the communicator must take part", who, m.After)
}

// Gather brings the bytes of all processes to rank 0, which gets them by rank;
// the others get nil. It waits for the time at most, where there is one.
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
		if all[r], err = g.Receive(r, rest(begun, timeout)); errors.Is(err, ErrTimeout) {
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

// rest is what is left of a time, a little where nothing is: a process that has
// come is heard.
func rest(begun time.Time, timeout time.Duration) time.Duration {
	if timeout == 0 {
		return 0
	}
	return max(time.Until(begun.Add(timeout)), time.Millisecond)
}

// Share brings the bytes of rank 0 to all processes. Rank 0 itself may have
// waited for the time before it sends, and come as much later than the others.
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

// Exchange brings bytes from each process to each: one piece for every rank goes
// out, and one from every rank comes.
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
