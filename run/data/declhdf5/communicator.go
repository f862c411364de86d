package declhdf5

import (
	"github.com/pentode-dev/pentode/run/data"
)

// alone looks whether this process is the only one of the communicators of a file and of operations
// on it. Others would write the same file, and nothing would keep them from each other's room.
func (f *file) alone(list []*operation) error {
	comms := []*data.Value{f.communicator}
	for _, op := range list {
		comms = append(comms, op.communicator)
	}
	for _, v := range comms {
		if v == nil || f.find == nil {
			continue
		}
		t, comm, err := v.Evaluate()
		if err != nil {
			return err
		}
		if s, ok := t.(*data.Scalar); !ok || s.Kind != data.Opaque {
			return data.Errorf(data.StatusType, v.Node, "expected a communicator of type MPI_Comm, found %s: `Comm_f2c` of the plugin `mpi` converts those of Fortran", t)
		}
		group, err := f.find(comm)
		if err != nil {
			return data.Errorf(data.StatusSystem, v.Node, "%v", err)
		}
		if n := group.Size(); n > 1 {
			return data.Errorf(data.StatusSystem, v.Node, "the communicator has %d processes, and one file is written and read by one process: write a file for each rank, such as `out_${MPI_COMM_WORLD_rank}.h5`, without `communicator`", n)
		}
	}
	return nil
}
