package declnetcdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declnetcdf"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/internal/rankstest"
	"github.com/pentode-dev/pentode/run/data/netcdf"
	"github.com/pentode-dev/pentode/run/data/plugin/mpi"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// shared is a field of which each process has some columns; along `later` it grows in its second dimension.
const shared = `
metadata: {rank: int, step: int}
data:
  part: {type: array, subtype: int, size: [3, 2]}
  back: {type: array, subtype: int, size: [3, 2]}
plugins:
  mpi:
  decl_netcdf:
    - file: '@/shared.nc'
      communicator: $MPI_COMM_WORLD
      timeout: 60
      ASYNC
      on_event: write
      groups: {about: {attributes: {step: $step}}}
      variables:
        plain: {type: array, subtype: int, size: [3, 8], dimensions: [y, x]}
        packed: {type: array, subtype: int, size: [0, 3, 8], dimensions: [time, y, x], deflate: PACKED, chunking: [2, 2, 3], attributes: {units: K}}
        later: {type: array, subtype: int64, size: [3, 0], dimensions: [y, all], deflate: DEFLATE}
      write:
        part: {variable: packed, variable_selection: {start: [$step, 0, '2 * $rank'], subsize: [1, 3, 2]}}
        back: {variable: later, variable_selection: {start: [0, '8 * $step + 2 * $rank'], subsize: [3, 2]}}
    - {file: '@/shared.nc', communicator: $MPI_COMM_WORLD, on_event: read,
       read: {back: {variable: packed, variable_selection: {start: [$step, 0, '6 - 2 * $rank'], subsize: [1, 3, 2]}}}}
    - {file: '@/shared.nc', communicator: $MPI_COMM_WORLD, variables: {plain: {type: array, subtype: int, size: [3, 8], dimensions: [y, x]}}, on_event: plain,
       write: {part: {variable: plain, variable_selection: {start: [0, '2 * $rank'], subsize: [3, 2]}}}}
    - {file: '@/other.nc', communicator: $MPI_COMM_WORLD, on_event: other, variables: {part: {dimensions: [y, 'x$rank']}}, write: [part]}
`

// team starts n processes, each with its own store.
func team(t *testing.T, dir string, n int, replace ...string) ([]ranks.Group, []*data.Store) {
	groups, stores := rankstest.New(n), make([]*data.Store, n)
	for rank := range n {
		comms := mpi.Communicators{World: []byte{1, 0, 0, 0}, Self: []byte{2, 0, 0, 0}, Null: []byte{3, 0, 0, 0}, Rank: int32(rank),
			ToFortran: func([]byte) int32 { return 0 }, FromFortran: func(int32) []byte { return nil }}
		find := func([]byte, time.Duration) (ranks.Group, error) { return groups[rank], nil }
		spec := strings.NewReplacer(append(replace, "@", filepath.ToSlash(dir), "PACKED", "3", "DEFLATE", "0", "ASYNC", "")...).Replace("logging: {level: warn}\n" + shared)
		var err error
		stores[rank], err = data.New(data.Tree(datatest.Tree(t, spec)), data.Options{
			Plugins: []data.Plugin{declnetcdf.Plugin(find), mpi.Plugin(comms)}, Host: data.Host{Console: new(bytes.Buffer)}})
		must(t, err)
	}
	return groups, stores
}

// TestTogether checks that processes write one file together and read each other's parts. Variables grow for all of
// them, in any dimension, with and without filters, and also if threads write.
func TestTogether(t *testing.T) {
	for _, replace := range [][]string{nil, {"DEFLATE", "1"}, {"PACKED", "0", "ASYNC", "async: {memory: 1MB}"}} {
		dir := t.TempDir()
		groups, stores := team(t, dir, 4, replace...)
		must(t, rankstest.Run(groups, func(g ranks.Group) error { return writeShared(g.Rank(), stores[g.Rank()]) })...)
		path := filepath.Join(dir, "shared.nc")
		h, err := hdf5.Open(path)
		must(t, err)
		for name, shape := range map[string][]uint64{"packed": {3, 3, 8}, "later": {3, 24}} {
			d, err := netcdf.Variable(h, name)
			must(t, err)
			if fmt.Sprint(d.Space().Dims) != fmt.Sprint(shape) {
				t.Errorf("`%s` has the shape %v, want %v", name, d.Space().Dims, fmt.Sprint(shape))
			}
			values := make([]byte, 8*d.Space().Len())
			must(t, d.Read(values, hdf5.Memory{Type: hdf5.Int(8)}, hdf5.Slab{}))
			for i := 0; i < len(values)/8; i++ {
				step, y, x := i/24, i/8%3, i%8
				if name == "later" {
					step, y, x = i%24/8, i/24, i%8
				}
				if got, want := int(values[8*i])|int(values[8*i+1])<<8, value(step, x/2, y, x%2); got != want {
					t.Fatalf("`%s`, element %d: got %d, expected %d", name, i, got, want)
				}
			}
		}
		must(t, h.Close())
		contains(t, dump(t, path), "time = UNLIMITED ; // (3 currently)", "all = UNLIMITED ; // (24 currently)", "int64 later(y, all) ;", `packed:units = "K" ;`,
			"group: about { // group attributes: :step = 2 ; }", "int plain(y, x) ;", "plain = 2000, 2001, 2100, 2101, 2200, 2201, 2300, 2301, 2002,")
	}
}

func value(step, rank, y, x int) int { return 1000*step + 100*rank + 2*y + x }

func writeShared(rank int, s *data.Store) error {
	r := int32(rank)
	errs := []error{s.Expose("rank", &r, data.Out)}
	var part [6]int32
	for step := range int32(3) {
		for i := range part {
			part[i] = int32(value(int(step), rank, i/2, i%2))
		}
		copied := part
		errs = append(errs, s.Expose("step", &step, data.Out), s.MultiExpose("write", data.Item{Name: "part", Value: &part, Access: data.Out}, data.Item{Name: "back", Value: &copied, Access: data.Out}))
		var back [6]int32
		errs = append(errs, s.MultiExpose("read", data.Item{Name: "back", Value: &back, Access: data.In}))
		for i, got := range back {
			if want := int32(value(int(step), 3-rank, i/2, i%2)); got != want {
				errs = append(errs, fmt.Errorf("rank %d, step %d: got %d, expected %d", rank, step, got, want))
			}
		}
	}
	return errors.Join(append(errs, s.MultiExpose("plain", data.Item{Name: "part", Value: &part, Access: data.Out}), s.Close())...)
}

// TestDisagree checks the error, on all processes, for different dimensions of a variable.
func TestDisagree(t *testing.T) {
	groups, stores := team(t, t.TempDir(), 2)
	errs := rankstest.Run(groups, func(g ranks.Group) error {
		s, r := stores[g.Rank()], int32(g.Rank())
		must(t, s.Expose("rank", &r, data.Out), s.Expose("step", &r, data.Out))
		return s.MultiExpose("other", data.Item{Name: "part", Value: &[6]int32{}, Access: data.Out})
	})
	for rank, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "the dimensions of `part` in `") || !strings.Contains(err.Error(), "are `y`, `x0` on rank 0 and `y`, `x1` on rank 1") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	must(t, rankstest.Run(groups, func(g ranks.Group) error { return stores[g.Rank()].Close() })...)
}
