package declhdf5_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/internal/rankstest"
	"github.com/pentode-dev/pentode/run/data/plugin/mpi"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// team is a program of several processes, each with its own store.
type team struct {
	t      testing.TB
	dir    string
	groups []ranks.Group
	stores []*data.Store
	logs   []*bytes.Buffer
	open   []func(data.File) data.File // wraps a file that a process opens; may be nil
}

// newTeam starts n processes, each with the tree that the function returns for its rank; @ is replaced by the folder.
// MPI_COMM_SELF has only the process itself.
func newTeam(t testing.TB, n int, tree func(rank int) string) *team {
	t.Helper()
	team := &team{t, t.TempDir(), rankstest.New(n), nil, nil, make([]func(data.File) data.File, n)}
	for rank := range n {
		log := new(bytes.Buffer)
		find := func(comm []byte, _ time.Duration) (ranks.Group, error) {
			switch comm[0] {
			case 1:
				return team.groups[rank], nil
			case 2:
				return rankstest.New(1)[0], nil
			}
			return nil, errors.New("the communicator has no processes")
		}
		comms := mpi.Communicators{World: handle(1), Self: handle(2), Null: handle(3), Rank: int32(rank),
			ToFortran: func([]byte) int32 { return 0 }, FromFortran: func(int32) []byte { return handle(1) }}
		spec := strings.ReplaceAll("logging: {level: warn, pattern: '%v'}\n"+tree(rank), "@", filepath.ToSlash(team.dir))
		open := func(name string, flag int, perm fs.FileMode) (data.File, error) {
			f, err := os.OpenFile(name, flag, perm)
			if change := team.open[rank]; err == nil && change != nil {
				if changed := change(f); changed != nil {
					return changed, nil
				}
				return nil, fs.ErrNotExist
			}
			return f, err
		}
		s, err := data.New(data.Tree(datatest.Tree(t, spec)), data.Options{
			Plugins: []data.Plugin{declhdf5.Plugin(find), mpi.Plugin(comms)}, Host: data.Host{Console: log, Open: open},
		})
		if err != nil {
			t.Fatal(err)
		}
		team.stores, team.logs = append(team.stores, s), append(team.logs, log)
	}
	return team
}

func handle(n byte) []byte { return []byte{n, 0, 0, 0} }

// run runs a function in all processes and returns their errors.
func (x *team) run(f func(rank int, s *data.Store) error) []error {
	return rankstest.Run(x.groups, func(g ranks.Group) error { return f(g.Rank(), x.stores[g.Rank()]) })
}

// must runs a function that must succeed in all processes.
func (x *team) must(f func(rank int, s *data.Store) error) {
	x.t.Helper()
	if err := errors.Join(x.run(f)...); err != nil {
		x.t.Fatal(err)
	}
}

func same(tree string) func(int) string { return func(int) string { return tree } }

// contents describes everything in a file of these tests.
func contents(t *testing.T, path string) string {
	t.Helper()
	f, err := hdf5.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b strings.Builder
	attributes := func(o hdf5.Object) {
		for _, name := range []string{"last", "unit", "value"} {
			if a, err := o.Attribute(name); err == nil {
				fmt.Fprintf(&b, " @%s %s %v %x\n", a.Name, a.Type, a.Space.Dims, a.Data)
			} else if !errors.Is(err, hdf5.ErrNotFound) {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"plain", "tiles", "packed", "latest", "steps/0", "steps/1", "steps/2", "steps/3", "x"} {
		d, err := f.Root().Dataset(name)
		if errors.Is(err, hdf5.ErrNotFound) {
			continue
		}
		must(t, err)
		values := make([]byte, 8*d.Space().Len())
		must(t, d.Read(values, hdf5.Memory{Type: hdf5.IEEE(8)}, hdf5.Slab{}))
		fmt.Fprintf(&b, "/%s %v %x\n", name, d.Space().Dims, values)
		attributes(d.Object)
	}
	if g, err := f.Root().Group("steps"); err == nil {
		attributes(g.Object)
	}
	return b.String()
}

// blocks is a tree in which processes write blocks of one field.
const blocks = `
metadata: {step: int, at: {type: array, subtype: int64, size: 2}, size: {type: array, subtype: int64, size: 2}}
data:
  part: {type: array, subtype: double, size: ['$size[0]', '$size[1]']}
  back: {type: array, subtype: double, size: ['$size[0]', '$size[1]']}
plugins:
  mpi:
  decl_hdf5:
    - file: '@/field.h5'
      COMM
      on_event: write
      datasets:
        plain: {type: array, subtype: float, size: [4, 9, 11]}
        tiles: {type: array, subtype: double, size: [4, 9, 11], +decl_hdf5.chunking: [1, 4, 5]}
        packed: {type: array, subtype: double, size: [4, 9, 11], +decl_hdf5.chunking: [2, 4, 5]}
        latest: {type: array, subtype: double, size: [9, 11]}
      write:
        part:
          - {dataset: plain, attributes: {last: $step, unit: K}, dataset_selection: {size: [1, '$size[0]', '$size[1]'], start: [$step, '$at[0]', '$at[1]']}}
          - {dataset: tiles, mpio: INDEPENDENT, dataset_selection: {size: [1, '$size[0]', '$size[1]'], start: [$step, '$at[0]', '$at[1]']}}
          - {dataset: packed, deflate: 4, fletcher: 1, dataset_selection: {size: [1, '$size[0]', '$size[1]'], start: [$step, '$at[0]', '$at[1]']}}
          - {dataset: packed, when: $step = 2, dataset_selection: {size: [1, '$size[0]', '$size[1]'], start: [3, '$at[0]', '$at[1]']}}
          - {dataset: latest, collision_policy: POLICY, dataset_selection: {size: ['$size[0]', '$size[1]'], start: ['$at[0]', '$at[1]']}}
        step: [{dataset: 'steps/${step}'}, {attribute: 'steps#last', when: $step = 3}]
    - file: '@/field.h5'
      COMM
      on_event: read
      read: {back: {dataset: packed, dataset_selection: {size: [1, '$size[0]', '$size[1]'], start: [$step, '$at[0]', '$at[1]']}}}
`

func blocksTree(comm, policy string) string {
	return strings.NewReplacer("COMM", comm, "POLICY", policy).Replace(blocks)
}

// box is the part of a field of one process.
type box struct{ at, size [2]int64 }

// cuts divides a field of 9 × 11 elements among n processes; some may get nothing.
func cuts(random *rand.Rand, n int) []box {
	list := []box{{[2]int64{}, [2]int64{9, 11}}}
	for len(list) < n {
		i := random.IntN(len(list))
		a, d := list[i], random.IntN(2)
		cut := random.Int64N(a.size[d] + 1)
		b := a
		a.size[d], b.at[d], b.size[d] = cut, a.at[d]+cut, a.size[d]-cut
		list[i] = a
		list = append(list, b)
	}
	random.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func (b box) expose(s *data.Store, step int32) error {
	values := make([]float64, b.size[0]*b.size[1])
	for i := range values {
		row, column := b.at[0]+int64(i)/max(1, b.size[1]), b.at[1]+int64(i)%max(1, b.size[1])
		values[i] = float64(1000*int64(step) + 20*row + column)
	}
	return errors.Join(s.Expose("step", &step, data.Out), s.Expose("at", &b.at, data.Out), s.Expose("size", &b.size, data.Out),
		s.MultiExpose("write", data.Item{Name: "part", Value: values, Access: data.Out}))
}

// readBack reads what expose has written.
func (b box) readBack(s *data.Store, step int32) error {
	values := make([]float64, b.size[0]*b.size[1])
	if err := s.MultiExpose("read", data.Item{Name: "back", Value: values, Access: data.In}); err != nil {
		return err
	}
	for i, v := range values {
		row, column := b.at[0]+int64(i)/max(1, b.size[1]), b.at[1]+int64(i)%max(1, b.size[1])
		if want := float64(1000*int64(step) + 20*row + column); v != want {
			return fmt.Errorf("element %d,%d is %g, want %g", row, column, v, want)
		}
	}
	return nil
}

// TestTogether lets processes write random parts of datasets: contiguous, in chunks, and in chunks with filters, whose
// elements go to their owners; during the call, or in the background. A single process that writes the same parts one
// after the other must get the same file.
func TestTogether(t *testing.T) {
	const filters = "deflate: 4, fletcher: 1, "
	ways := []struct{ async, without string }{{}, {}, {"async: {}", ""}, {"async: {}", filters}, {"async: {}", filters}, {"async: {memory: 300}", filters}}
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 33))
		n := 2 + random.IntN(5)
		way := ways[seed%6]
		tree := strings.ReplaceAll(blocksTree("communicator: $MPI_COMM_WORLD\n      "+way.async, "replace"), way.without, "")
		team := newTeam(t, n, same(tree))
		alone := newTeam(t, 1, same(blocksTree("", "write_into")))
		for step := range int32(4) {
			parts := cuts(random, n)
			team.must(func(rank int, s *data.Store) error { return parts[rank].expose(s, step) })
			if way.async == "" || step%2 == 1 { // otherwise the next step finds an incomplete one
				team.must(func(rank int, s *data.Store) error { return parts[rank].readBack(s, step) })
			}
			for _, part := range parts {
				if part.size[0]*part.size[1] > 0 {
					alone.must(func(_ int, s *data.Store) error { return part.expose(s, step) })
				}
			}
		}
		team.must(func(_ int, s *data.Store) error { return s.Close() })
		alone.must(func(_ int, s *data.Store) error { return s.Close() })
		got, want := contents(t, filepath.Join(team.dir, "field.h5")), contents(t, filepath.Join(alone.dir, "field.h5"))
		if got != want {
			t.Fatalf("seed %d, %d processes:\n%s\nwant\n%s", seed, n, got, want)
		}
		for rank, log := range team.logs {
			if log.Len() > 0 {
				t.Errorf("rank %d logs %s; want at most 0", rank, log)
			}
		}
	}
}

// TestDisagree gives processes different trees, values and conditions. All must get the same error, and the file must not change.
func TestDisagree(t *testing.T) {
	const tree = "metadata: {rank: int}\ndata: {a: int, b: int, v: {type: array, subtype: int, size: '2 + $rank'}}\nplugins: {mpi: , decl_hdf5: {file: '@/f.h5', communicator: $MPI_COMM_WORLD, on_event: go, CONFIG}}"
	write := func(config string) string { return strings.Replace(tree, "CONFIG", config, 1) }
	for _, c := range []struct {
		trees [2]string
		want  string
	}{
		{[2]string{write("write: [a]"), write("write: [b]")}, "rank 0 writes `a` to `@/f.h5`, but rank 1 writes `b`: all processes of a communicator need the same tree and the same conditions"},
		{[2]string{write("write: [a]"), write("write: [a, b]")}, "rank 0 writes 1 data to `@/f.h5`, but rank 1 writes 2"},
		{[2]string{write("write: [a]"), write("read: [a]")}, "rank 1: cannot read `@/f.h5`: no such file or directory"},
		{[2]string{write("write: {a: {when: '1'}, b: {when: $rank = 1}}"), ""}, "rank 0 writes 1 data to `@/f.h5`, but rank 1 writes 2"},
		{[2]string{write("write: {a: {dataset: 'of_${rank}'}}"), ""}, "rank 0 writes `of_0` to `@/f.h5`, but rank 1 writes `of_1`"},
		{[2]string{strings.Replace(write("write: [a]"), "f.h5", "f${rank}.h5", 1), ""}, "rank 0 opens `@/f0.h5`, but rank 1 opens `@/f1.h5`"},
		{[2]string{write("write: [v]"), ""}, "dataset `v` in `@/f.h5` has the shape [2] on rank 0 and [3] on rank 1"},
		{[2]string{write("write: {v: {memory_selection: {size: 2, start: $rank}, deflate: $rank}}"), ""}, "the chunks or filters of dataset `v` in `@/f.h5` differ between rank 0 and rank 1"},
		{[2]string{write("write: [a]"), strings.Replace(write("write: [a]"), "a: int", "a: double", 1)}, "has elements of type 4-byte integer on rank 0 and 8-byte float on rank 1"},
		{[2]string{write("write: {a: {collision_policy: skip}}"), write("write: {a: {collision_policy: error}}")}, "the collision policy of `a` in `@/f.h5` is `skip` on rank 0 and `error` on rank 1"},
		{[2]string{write("write: {a: {memory_selection: {size: [$rank + 1]}}}"), ""}, "`a`: the memory selection has 1 dimensions, the datum 0"},
		{[2]string{write("datasets: {w: {type: array, subtype: int, size: 3}}, write: {a: {dataset: w, dataset_selection: {size: 1, start: '2 + $rank'}}}"), ""}, "rank 1: selection of 1 from 3 on does not fit in dimension 0, which has 3"},
		{[2]string{write("write: {nosuch: }"), ""}, "nosuch"},
	} {
		if c.trees[1] == "" {
			c.trees[1] = c.trees[0]
		}
		team := newTeam(t, 2, func(rank int) string { return c.trees[rank] })
		errs := team.run(func(rank int, s *data.Store) error {
			r, a, d, v := int32(rank), int32(1), 1.0, make([]int32, 2+rank)
			share := s.Share("a", &a, data.InOut)
			if share != nil {
				share = s.Share("a", &d, data.InOut)
			}
			if err := errors.Join(s.Expose("rank", &r, data.Out), share, s.Share("b", &a, data.InOut), s.Share("v", v, data.InOut)); err != nil {
				t.Error(err)
			}
			return s.Event("go")
		})
		want := strings.ReplaceAll(c.want, "@", team.dir)
		if errs[0] == nil || errs[1] == nil || errs[0].Error() != errs[1].Error() || !strings.Contains(errs[0].Error(), want) {
			t.Errorf("%s\n0 %v\n1 %v\nwant %s", c.trees[0], errs[0], errs[1], want)
		}
		if left, _ := filepath.Glob(filepath.Join(team.dir, "*")); len(left) > 0 {
			t.Errorf("%s left %v", c.trees[0], left)
		}
	}
}

// TestGroups checks communicators of one process, of no process, of a datum, and an invalid one.
func TestGroups(t *testing.T) {
	for comm, want := range map[string]string{
		"$MPI_COMM_WORLD":      "",
		"$MPI_COMM_SELF":       "",
		"$MPI_COMM_NULL":       "the communicator has no processes",
		"$MPI_COMM_WORLD_rank": "expected a communicator of type MPI_Comm, found int",
	} {
		for _, place := range []string{"communicator: %, write: [x]", "write: {x: {communicator: %}}"} {
			name := "a.h5"
			if comm == "$MPI_COMM_SELF" {
				name = "a${MPI_COMM_WORLD_rank}.h5"
			}
			config := strings.ReplaceAll(place, "%", comm)
			team := newTeam(t, 3, same("data: {x: int}\nplugins: {mpi: , decl_hdf5: {file: '@/"+name+"', "+config+"}}"))
			for rank, err := range team.run(func(_ int, s *data.Store) error {
				x := int32(1)
				return s.Expose("x", &x, data.Out)
			}) {
				if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("%s on rank %d: %v, want %s", config, rank, err, want)
				}
			}
		}
	}
}

// TestOwnCommunicator checks that a single datum may not have its own communicator if an event writes several data.
func TestOwnCommunicator(t *testing.T) {
	_, err := start(t, t.TempDir(), "data: {x: int}\nplugins: {decl_hdf5: {file: '@/a.h5', on_event: go, write: {x: {communicator: $x}}}}", nil)
	if err == nil || !strings.Contains(err.Error(), "`x` cannot have its own communicator: the file has `on_event`") {
		t.Error(err)
	}
}

// inTime repeats a test with a longer timeout if another process than the absent one was too late. absent is 0 or 1, and
// who is how the message names it.
func inTime(t *testing.T, absent int, try func(timeout string, who string) error) {
	t.Helper()
	for timeout := 300 * time.Millisecond; ; timeout *= 4 {
		waits := timeout
		if absent == 0 {
			waits = 2*timeout + time.Second
		}
		err := try(fmt.Sprintf("timeout: %g", timeout.Seconds()), fmt.Sprintf("rank %d did not join within %v", absent, waits))
		if err == nil {
			return
		} else if timeout > 10*time.Second {
			t.Error(err)
			return
		}
	}
}

// TestTimeout checks that the wait for a process that skips an event ends with the same error on all others, and that
// they do not wait for it again. Processes that wait for rank 0 must name it.
func TestTimeout(t *testing.T) {
	need.Slow(t)
	const tree = "data: {x: int}\nplugins: {mpi: , decl_hdf5: {file: '@/a.h5', communicator: $MPI_COMM_WORLD, TIMEOUT, write: [x]}}"
	x := int32(1)
	for absent := range 2 {
		inTime(t, absent, func(timeout, who string) error {
			team := newTeam(t, 3, same(strings.Replace(tree, "TIMEOUT", timeout, 1)))
			for _, want := range []string{who, "cannot work together any more"} {
				for rank, err := range team.run(func(rank int, s *data.Store) error {
					if rank == absent {
						return nil
					}
					return s.Expose("x", &x, data.Out)
				}) {
					if rank != absent && (err == nil || !strings.Contains(err.Error(), want)) {
						return fmt.Errorf("rank %d: %v, want %s", rank, err, want)
					}
				}
			}
			return nil
		})
	}
	for _, bad := range []string{"0", "-1", "1e9", "[1]"} {
		if _, err := start(t, t.TempDir(), "data: {x: int}\nplugins: {decl_hdf5: {file: '@/a.h5', timeout: "+bad+", write: [x]}}", nil); err == nil {
			t.Errorf("timeout: %s is taken, want one", bad)
		}
	}
}

// TestAttributesDiffer checks that the value of rank 0 is written, with a warning.
func TestAttributesDiffer(t *testing.T) {
	team := newTeam(t, 2, same("data: {x: int}\nplugins: {mpi: , decl_hdf5: {file: '@/a.h5', communicator: $MPI_COMM_WORLD, write: {x: {attributes: {value: $x}}}}}"))
	team.must(func(rank int, s *data.Store) error {
		x := int32(5 + rank)
		return s.Expose("x", &x, data.Out)
	})
	if log := team.logs[0].String(); !strings.Contains(log, "an attribute of `x` differs between rank 0 and rank 1: the value of rank 0 is written") {
		t.Errorf("log: %s; want %q in it", log, "an attribute of `x` differs between rank 0 and rank 1: the value of rank 0 is written")
	}
	if text := contents(t, filepath.Join(team.dir, "a.h5")); !strings.Contains(text, "@value 4-byte integer [] 05000000") {
		t.Errorf("%v; want %q in it", text, "@value 4-byte integer [] 05000000")
	}
}

// failing is the disk of one process, which is full after some bytes.
type failing struct {
	data.File
	left *int
}

func (f failing) WriteAt(p []byte, at int64) (int, error) {
	if *f.left -= len(p); *f.left < 0 {
		return 0, syscall.ENOSPC
	}
	return f.File.WriteAt(p, at)
}

// TestFullDiskOfOne fills the disk of one process at each of its writes. All processes must get its error, and the file
// must stay unchanged and usable once there is space again.
func TestFullDiskOfOne(t *testing.T) {
	parts := cuts(rand.New(rand.NewPCG(1, 2)), 3)
	for room := 0; ; room += 200 {
		team := newTeam(t, 3, same(blocksTree("communicator: $MPI_COMM_WORLD", "replace")))
		team.must(func(rank int, s *data.Store) error { return parts[rank].expose(s, 0) })
		path := filepath.Join(team.dir, "field.h5")
		before := contents(t, path)
		left := room
		team.open[1] = func(f data.File) data.File { return failing{f, &left} }
		errs := team.run(func(rank int, s *data.Store) error { return parts[rank].expose(s, 1) })
		if left >= 0 {
			if err := errors.Join(errs...); err != nil || room == 0 {
				t.Error(err)
			}
			break
		}
		for _, err := range errs {
			if err == nil || err.Error() != errs[0].Error() || !strings.Contains(err.Error(), "rank 1: cannot write `"+path+"`: ") || !strings.Contains(err.Error(), "no space left on device") {
				t.Fatalf("%v", err)
			}
		}
		// Elements of existing datasets are overwritten.
		if after := contents(t, path); outside(after) != outside(before) {
			t.Errorf("the file is\n%s\nwant\n%s", after, before)
		}
		team.open[1] = nil
		team.must(func(rank int, s *data.Store) error { return parts[rank].expose(s, 2) })
		if left, _ := filepath.Glob(filepath.Join(team.dir, "*")); !slices.Equal(left, []string{path}) {
			t.Errorf("there are %v, want %v", left, []string{path})
		}
	}
}

// outside returns the part of contents that excludes overwritten datasets without filters.
func outside(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "/plain") && !strings.HasPrefix(line, "/tiles") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// TestOtherMachine makes the file missing for one process, as on a machine with a separate file system.
func TestOtherMachine(t *testing.T) {
	team := newTeam(t, 2, same("data: {x: int}\nplugins: {mpi: , decl_hdf5: {file: '@/a.h5', communicator: $MPI_COMM_WORLD, write: [x]}}"))
	team.open[1] = func(f data.File) data.File { f.Close(); return nil }
	for rank, err := range team.run(func(_ int, s *data.Store) error {
		x := int32(1)
		return s.Expose("x", &x, data.Out)
	}) {
		if err == nil || !strings.Contains(err.Error(), "rank 1: cannot write `") || !strings.Contains(err.Error(), "the processes need a shared file system") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(team.dir, "*")); left != nil {
		t.Errorf("there are %v, want none", left)
	}
}
