package plugin_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/plugin/mpi"
)

// communicators returns the communicators of an MPI in which Fortran numbers are 100 more than the C
// handles.
func communicators() mpi.Communicators {
	handle := func(v uint32) []byte { return binary.NativeEndian.AppendUint32(nil, v) }
	return mpi.Communicators{
		World: handle(1), Self: handle(2), Null: handle(3), Rank: 7,
		ToFortran:   func(comm []byte) int32 { return int32(binary.NativeEndian.Uint32(comm)) + 100 },
		FromFortran: func(number int32) []byte { return handle(uint32(number - 100)) },
	}
}

func startMPI(t *testing.T, tree string, dialect data.Dialect) (*data.Store, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
	s, err := data.New(data.Tree(datatest.Tree(t, tree)), data.Options{
		Dialect: dialect, Plugins: plugin.List(plugin.Program{Communicators: communicators()}),
		Host: data.Host{Console: log, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, log
}

// TestMPI shares communicators, which have a converted form as long as they are shared. A value
// written to that form must be converted back.
func TestMPI(t *testing.T) {
	s, _ := startMPI(t, `
logging: off
data: {c: MPI_Comm, f: MPI_Comm_f, g: int64, d: MPI_Comm}
plugins: {mpi: {Comm_c2f: {c: f}, Comm_f2c: {g: d}}}
`, data.Upstream)
	number := func(name string) int {
		t.Helper()
		memory, err := s.Access(name, data.In)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Release(name); err != nil {
			t.Fatal(err)
		}
		return int(binary.NativeEndian.Uint32(memory))
	}
	for name, want := range map[string]int{"MPI_COMM_WORLD_rank": 7, "MPI_COMM_WORLD": 1, "MPI_COMM_SELF_F": 102} {
		if got := number(name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	for _, c := range []struct {
		name, other      string
		value            []byte
		converted, write uint32
		back             byte
	}{
		{"c", "f", []byte{2, 0, 0, 0}, 102, 101, 1},
		{"g", "d", []byte{102, 0, 0, 0, 0, 0, 0, 0}, 2, 1, 101},
	} {
		if err := s.Share(c.name, c.value, data.InOut); err != nil {
			t.Fatal(err)
		}
		memory, err := s.Access(c.other, data.InOut)
		if err != nil {
			t.Fatal(err)
		}
		if got := binary.NativeEndian.Uint32(memory); got != c.converted {
			t.Errorf("%s is %d as %s, want %d", c.name, got, c.other, c.converted)
		}
		binary.NativeEndian.PutUint32(memory, c.write)
		if err := s.Release(c.other); err != nil {
			t.Fatal(err)
		}
		if err := s.Reclaim(c.name); err != nil {
			t.Fatal(err)
		}
		if c.value[0] != c.back {
			t.Errorf("%s is %d after the change, want %d", c.name, c.value[0], c.back)
		}
		if _, err := s.Ref(c.other); data.StatusOf(err) != data.StatusValue {
			t.Errorf("%s is still there: %v", c.other, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestMPILog checks that the rank is in the lines of the log. A pattern of the tree has priority; in
// the original program, only for the lines of plugins.
func TestMPILog(t *testing.T) {
	const tree = "{data: {x: int}, plugins: {mpi: {}, trace: {}}}"
	const own = "{logging: {pattern: 'own %n %v'}, data: {x: int}, plugins: {mpi: {}, trace: {}}}"
	for _, c := range []struct {
		tree    string
		dialect data.Dialect
		want    []string
	}{
		{tree, data.Upstream, []string{"[03:04:05][MPI 000007][Trace] *** info: Welcome!\n", "[03:04:05][MPI 000007][PDI] *** info: Initialization successful\n"}},
		{own, data.Upstream, []string{"own Trace Welcome!\n", "[03:04:05][MPI 000007][PDI] *** info: Initialization successful\n"}},
		{own, data.Documented, []string{"own Trace Welcome!\n", "own PDI Initialization successful\n"}},
	} {
		_, log := startMPI(t, c.tree, c.dialect)
		for _, line := range c.want {
			if !strings.Contains(log.String(), line) {
				t.Errorf("%s: no %q in\n%s", c.tree, line, log)
			}
		}
	}
}
