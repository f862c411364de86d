package declhdf5_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/logging"
)

// asyncTogetherTree is a tree with a file that processes write in the background, and with the same file under other keys for
// other events.
const asyncTogetherTree = `
metadata: {step: int}
data: {part: {type: array, subtype: int, size: 4}, back: {type: array, subtype: int, size: 4}}
plugins:
  mpi:
  decl_hdf5:
    - file: '@/a.h5'
      communicator: $MPI_COMM_WORLD
      async: {}
      TIMEOUT
      on_event: step
      datasets: {all: {type: array, subtype: int, size: [4, 12]}}
      write:
        part: {dataset: all, dataset_selection: {size: [1, 4], start: [$step, '4 * $MPI_COMM_WORLD_rank']}}
        step: {dataset: 'steps/${step}', collision_policy: write_into}
    - {file: '@/a.h5', communicator: $MPI_COMM_WORLD, on_event: look, read: {back: {dataset: all, dataset_selection: {size: [1, 4], start: [$step, '4 * $MPI_COMM_WORLD_rank']}}}}
    - {file: '@/a.h5', on_event: alone, write: {step: {dataset: 'alone/${step}'}}}
    - {file: '@/a.h5', on_event: peek, read: {back: {dataset: all, dataset_selection: {size: [1, 4]}}}}
    - {file: '@/a.h5', communicator: $MPI_COMM_WORLD, on_event: here, write: {step: {dataset: 'here/${step}'}}}
    - {file: '@/b.h5', communicator: $MPI_COMM_WORLD, async: {}, on_event: other, write: {step: {dataset: 'steps/${step}', collision_policy: write_into}}}
`

func newAsync(t *testing.T, timeout string) *team {
	t.Helper()
	return newTeam(t, 3, same(strings.Replace(asyncTogetherTree, "TIMEOUT", timeout, 1)))
}

// event shares a process's block of a step and triggers an event. Afterwards the memory belongs to the program again.
func (x *team) event(name string, step int32) []error {
	return x.run(func(rank int, s *data.Store) error { return eventOf(s, name, rank, step) })
}

func eventOf(s *data.Store, name string, rank int, step int32) error {
	part := [4]int32{step, int32(rank), 7, 9}
	err := s.Expose("step", &step, data.Out)
	if err == nil {
		err = s.MultiExpose(name, data.Item{Name: "part", Value: &part, Access: data.Out})
	}
	part = [4]int32{-1, -1, -1, -1}
	return err
}

// steps returns the numbers of the steps below a group of a file, or none if there is no file.
func steps(path, group string) string {
	var list []string
	for i := range 6 {
		if readable(path, fmt.Sprintf("%s/%d", group, i), 1, 0) == nil {
			list = append(list, fmt.Sprint(i))
		}
	}
	return strings.Join(list, " ")
}

// blocked is a file whose writes wait.
type blocked struct {
	data.File
	until *sync.WaitGroup
}

func (b blocked) WriteAt(p []byte, at int64) (int, error) {
	b.until.Wait()
	return b.File.WriteAt(p, at)
}

// TestAsyncTogether checks writing in the background: a call returns before its elements are written; a step is complete after
// the next call on its file, including reads, and the last step at the end. Other files do not wait.
func TestAsyncTogether(t *testing.T) {
	x := newAsync(t, "")
	a, b := filepath.Join(x.dir, "a.h5"), filepath.Join(x.dir, "b.h5")
	want := func(file, group, list string) {
		t.Helper()
		if got := steps(file, group); got != list {
			t.Errorf("%s has the steps %s in `%s`, want %s", filepath.Base(file), got, group, list)
		}
	}
	var free sync.WaitGroup
	free.Add(1)
	x.open[1] = func(f data.File) data.File { return blocked{f, &free} }
	must(t, x.event("step", 0)...)
	if _, err := os.Stat(a); err == nil {
		t.Error("the file is there before all have written")
	}
	x.open[1] = nil
	must(t, x.event("other", 0)...)
	want(b, "steps", "")
	free.Done()
	must(t, x.event("other", 1)...)
	want(b, "steps", "0")
	must(t, x.event("step", 1)...)
	want(a, "steps", "0")
	for _, c := range [][2]string{{"alone", "cannot write `" + a + "`: its last step is written in the background and is complete only when the processes of its communicator call again"},
		{"peek", "cannot read `" + a + "`: its last step is written in the background and is complete only when"}} {
		back := new([4]int32)
		err := x.stores[0].MultiExpose(c[0], data.Item{Name: "back", Value: back, Access: data.In})
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v", c[0], err)
		}
	}
	x.must(func(rank int, s *data.Store) error {
		back := new([4]int32)
		if err := s.MultiExpose("look", data.Item{Name: "back", Value: back, Access: data.In}); err != nil {
			return err
		}
		if *back != [4]int32{1, int32(rank), 7, 9} {
			return fmt.Errorf("rank %d reads %d", rank, *back)
		}
		return nil
	})
	want(a, "steps", "0 1")
	must(t, x.event("step", 2)...)
	must(t, x.event("here", 2)...)
	want(a, "steps", "0 1 2")
	want(a, "here", "2")
	must(t, x.event("step", 3)...)
	x.must(func(_ int, s *data.Store) error { return s.Close() })
	want(a, "steps", "0 1 2 3")
	want(b, "steps", "0 1")
	must(t, readable(a, "all", 48, 0))
}

// TestAsyncTogetherWaits makes a call while the previous step is being written. The call must wait, and the log must say how long.
func TestAsyncTogetherWaits(t *testing.T) {
	x := newAsync(t, "")
	x.stores[1].SetLevel(logging.Info)
	const waited = " until the last step of `"
	for step := int32(0); step < 100 && !strings.Contains(x.logs[1].String(), waited); step++ {
		var free sync.WaitGroup
		free.Add(1)
		x.open[1] = func(f data.File) data.File { return blocked{f, &free} }
		must(t, x.event("step", step%4)...)
		x.open[1] = nil
		time.AfterFunc(time.Millisecond, free.Done) // the call has most likely begun by then
		must(t, x.event("step", step%4)...)
	}
	x.must(func(_ int, s *data.Store) error { return s.Close() })
	if !strings.Contains(x.logs[1].String(), waited+x.dir+"/a.h5` was written") {
		t.Errorf("no word about waiting:\n%s", x.logs[1])
	}
}

// TestAsyncTogetherFails fills the disk of one process while its thread writes. All processes must get its error at the next
// call on the file, whose own step is written, or at the end. The file must have the earlier steps.
func TestAsyncTogetherFails(t *testing.T) {
	for _, last := range []bool{false, true} {
		x := newAsync(t, "")
		path := filepath.Join(x.dir, "a.h5")
		must(t, x.event("step", 0)...)
		left := 0
		x.open[1] = func(f data.File) data.File { return failing{f, &left} }
		must(t, x.event("step", 1)...)
		x.open[1] = nil
		var errs []error
		if last {
			errs = x.run(func(_ int, s *data.Store) error { return s.Close() })
		} else {
			errs = x.event("step", 2)
		}
		want := "an earlier step: rank 1: cannot write `" + path + "`: `part`: `/all`: no space left on device"
		for rank, err := range errs {
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("rank %d: %v, want %s", rank, err, want)
			}
		}
		list := "0"
		if !last {
			x.must(func(_ int, s *data.Store) error { return s.Close() })
			list = "0 2"
		}
		if got := steps(path, "steps"); got != list {
			t.Errorf("the file has the steps %s, want %s", got, list)
		}
		if left, _ := filepath.Glob(filepath.Join(x.dir, "*")); len(left) != 1 {
			t.Errorf("there are %v, want 1", left)
		}
	}
}

// TestAsyncTogetherTimeout checks the end of the wait for a missing process: the error must say that the previous step is lost.
func TestAsyncTogetherTimeout(t *testing.T) {
	need.Slow(t)
	for absent := range 2 {
		for _, last := range []bool{false, true} {
			inTime(t, absent, func(timeout, who string) error {
				x := newAsync(t, timeout)
				if err := errors.Join(append(x.event("step", 0), x.event("step", 1)...)...); err != nil {
					return err
				}
				for rank, err := range x.run(func(rank int, s *data.Store) error {
					switch {
					case rank == absent:
						return nil
					case last:
						return s.Close()
					}
					return errors.Join(eventOf(s, "step", rank, 2), s.Close())
				}) {
					if rank == absent {
						continue
					}
					if err == nil || !strings.Contains(err.Error(), who) || !last && !strings.Contains(err.Error(), "the last step of `"+x.dir+"/a.h5` is not in the file") {
						return fmt.Errorf("rank %d, at the end %v: %v, want %s", rank, last, err, who)
					}
				}
				if got := steps(filepath.Join(x.dir, "a.h5"), "steps"); absent != 0 && got != "0" {
					return fmt.Errorf("the file has the steps %s", got)
				}
				return nil
			})
		}
	}
}

// TestOtherFile lets a process find another file under the same name, as on a machine with a separate file system.
func TestOtherFile(t *testing.T) {
	for _, async := range []string{"", "async: {}, "} {
		x := newTeam(t, 2, same("data: {x: int}\nplugins: {mpi: , decl_hdf5: {file: '@/a.h5', communicator: $MPI_COMM_WORLD, "+async+"write: [x]}}"))
		one := int32(1)
		expose := func(_ int, s *data.Store) error { return s.Expose("x", &one, data.Out) }
		x.must(expose)
		x.must(expose)
		path := filepath.Join(x.dir, "a.h5")
		before, err := os.ReadFile(path)
		must(t, err)
		elsewhere := filepath.Join(x.dir, "elsewhere")
		must(t, os.WriteFile(elsewhere, before, 0o666))
		x.open[1] = func(f data.File) data.File {
			f.Close()
			other, err := os.OpenFile(elsewhere, os.O_RDWR, 0)
			must(t, err)
			return other
		}
		one = 2
		errs := x.run(expose)
		if async != "" { // the next call returns the error
			must(t, errs...)
			errs = x.run(func(_ int, s *data.Store) error { return s.Close() })
		}
		for rank, err := range errs {
			if err == nil || !strings.Contains(err.Error(), "rank 1: cannot write `"+path+"`: `"+path+"` is not the file that rank 0 has opened: the processes need a shared file system") {
				t.Errorf("%srank %d: %v", async, rank, err)
			}
		}
		if after, err := os.ReadFile(elsewhere); err != nil || !bytes.Equal(after, before) {
			t.Errorf("%sthe other file has changed (%v)", async, err)
		}
	}
}
