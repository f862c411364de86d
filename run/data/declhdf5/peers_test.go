package declhdf5

import (
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/internal/rankstest"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// counting records the lengths of messages.
type counting struct {
	ranks.Group
	sizes *[]int
}

func (c counting) Send(to int, b []byte) error {
	*c.sizes = append(*c.sizes, len(b))
	return c.Group.Send(to, b)
}

// TestTypesAreDescribedOnce checks that only the first message of a process describes its types. Rank 0 also
// receives its own messages and sends to all processes.
func TestTypesAreDescribedOnce(t *testing.T) {
	sizes := make([][]int, 2)
	errs := rankstest.Run(rankstest.New(2), func(g ranks.Group) error {
		c := newPeers(counting{g, &sizes[g.Rank()]})
		for range 3 {
			all, err := gather(c, &proposal{File: "a.h5", Writes: []intent{{Datum: "x", New: NewDataset{Type: hdf5.IEEE(8), Dims: []uint64{4}}}}}, time.Minute)
			if err != nil {
				return err
			}
			for rank, p := range all {
				if p.File != "a.h5" || p.Writes[0].New.Dims[0] != 4 {
					t.Errorf("of rank %d: %+v, want a.h5 and a new dataset of 4", rank, p)
				}
			}
			p := plan{Disk: "b.h5"}
			if c.Rank() != 0 {
				p = plan{Async: true}
			}
			if err := spread(c, &p, time.Minute); err != nil {
				return err
			}
			if p.Disk != "b.h5" || p.Async {
				t.Errorf("rank %d got %+v, want b.h5, which rank 0 sent, and not Async", c.Rank(), p)
			}
		}
		return nil
	})
	for rank, err := range errs {
		if s := sizes[rank]; err != nil || len(s) != 3 || s[1] != s[2] || s[1] > s[0]/2 {
			t.Errorf("rank %d: %v, messages of %d bytes", rank, err, s)
		}
	}
}
