package declhdf5

import (
	"time"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// partners has the groups of processes with which this process writes files.
type partners struct {
	find  ranks.Finder
	known map[ranks.Group]*peers
	steps []*unfinished // steps whose writing has not been completed, oldest first; the order is the same in all processes of a group
}

// peers returns the processes of a communicator, or nil if this process is alone.
func (p *partners) peers(v *data.Value, timeout time.Duration) (*peers, error) {
	if v == nil || p.find == nil {
		return nil, nil
	}
	t, comm, err := v.Evaluate()
	if err != nil {
		return nil, err
	}
	if s, ok := t.(*data.Scalar); !ok || s.Kind != data.Opaque {
		return nil, data.Errorf(data.StatusType, v.Node, "expected a communicator of type MPI_Comm, found %s: `Comm_f2c` of the plugin `mpi` converts communicators of Fortran", t)
	}
	g, err := p.find(comm, timeout)
	if err != nil {
		return nil, data.Errorf(data.StatusSystem, v.Node, "%v", err)
	}
	c := p.known[g]
	if c == nil {
		c = newPeers(g)
		p.known[g] = c
	}
	switch {
	case c.lost != nil:
		return nil, data.Errorf(data.StatusSystem, v.Node, "the processes of the communicator cannot work together any more: %v", c.lost)
	case c.Size() == 1:
		return nil, nil
	}
	return c, nil
}

// close completes the remaining steps and closes the groups. It does not close a group with a missing process,
// because closing would wait for that process.
func (p *partners) close() error {
	errs := []error{p.completeSteps()}
	for _, c := range p.known {
		if c.lost != nil {
			continue
		}
		if err := c.Close(); err != nil {
			errs = append(errs, err)
		}
	}
	clear(p.known)
	return data.Join(errs)
}

// batch is a list of operations that the same processes execute.
type batch struct {
	communicator  *data.Value
	reads, writes []*Operation
}

// batches groups operations by communicator: the operation's own communicator or, if it has none, the file's.
func (f *file) batches(reads, writes []*Operation) []*batch {
	var list []*batch
	of := func(op *Operation) *batch {
		comm := f.Communicator
		if op.communicator != nil {
			comm = op.communicator
		}
		for _, b := range list {
			if b.communicator == comm || comm != nil && b.communicator != nil && b.communicator.Node.Text == comm.Node.Text {
				return b
			}
		}
		b := &batch{communicator: comm}
		list = append(list, b)
		return b
	}
	for _, op := range reads {
		b := of(op)
		b.reads = append(b.reads, op)
	}
	for _, op := range writes {
		b := of(op)
		b.writes = append(b.writes, op)
	}
	return list
}
