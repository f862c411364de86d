package plugin_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/datatest"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// group is the processes of a communicator.
type group struct{ rank, size int }

func (g group) Rank() int { return g.rank }
func (g group) Size() int { return g.size }

// TestCommunicator writes a file whose communicator has one process; one of several is refused, and
// nothing is written.
func TestCommunicator(t *testing.T) {
	const refused = "has 4 processes, and one file is written and read by one process"
	for comm, want := range map[string]string{
		"$MPI_COMM_SELF":       "",
		"$MPI_COMM_WORLD":      refused,
		"$MPI_COMM_NULL":       "no processes here",
		"$MPI_COMM_WORLD_rank": "expected a communicator of type MPI_Comm, found int",
	} {
		for _, place := range []string{"{file: '@/a.h5', communicator: %, write: [x]}", "{file: '@/a.h5', write: {x: {communicator: %}}}"} {
			dir := t.TempDir()
			config := strings.NewReplacer("@", dir, "%", comm).Replace(place)
			comms := communicators()
			comms.Find = func(comm []byte) (ranks.Group, error) {
				switch comm[0] {
				case 1:
					return group{2, 4}, nil
				case 2:
					return group{0, 1}, nil
				}
				return nil, errors.New("no processes here")
			}
			s, err := data.New(data.Tree(datatest.Tree(t, "logging: off\ndata: {x: int}\nplugins: {mpi: , decl_hdf5: "+config+"}")),
				data.Options{Plugins: plugin.List(plugin.Program{Communicators: comms})})
			if err != nil {
				t.Fatal(err)
			}
			x := int32(1)
			err = s.Expose("x", &x, data.Out)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", config, err, want)
			}
			if _, err := os.Stat(filepath.Join(dir, "a.h5")); (err == nil) != (want == "") {
				t.Errorf("%s: %v", config, err)
			}
		}
	}
}
