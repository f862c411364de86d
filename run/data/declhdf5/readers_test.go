package declhdf5_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// watched is a tree whose file is written while others read it: growing groups, attributes, chunks with filters, and
// replaced datasets.
const watched = `
metadata: {step: int}
data: {field: {type: array, subtype: int, size: 300}}
plugins:
  decl_hdf5:
    file: '@/watched.h5'
    on_event: step
    datasets: {film: {type: array, subtype: int, size: [1000, 30], +decl_hdf5.chunking: [1, 30]}}
    write:
      field:
        - {dataset: 'steps/${step:06d}', attributes: {at: $step}}
        - {dataset: latest, deflate: 1, chunking: 50, collision_policy: replace}
        - {dataset: film, deflate: 1, when: '$step < 1000', memory_selection: {size: 30}, dataset_selection: {size: [1, 30], start: [$step, 0]}}
      step: {attribute: 'steps#last'}
`

// look reads a file that is being written: everything in it must be complete.
const look = `
import h5py, sys
for i in range(int(sys.argv[2])):
    try:
        with h5py.File(sys.argv[1], "r") as f:
            latest = f["latest"][:]
            assert (latest == latest[0]).all(), "latest is mixed"
            steps = f["steps"]
            names = sorted(steps)
            last = int(steps.attrs["last"])
            assert last in (len(names) - 1, len(names)), (last, len(names))
            for name in names[-5:] + names[:5]:
                d = steps[name]
                assert (d[:] == int(name)).all(), name
                assert d.attrs["at"] == int(name), name
            for row in (0, min(last, 999) // 2, min(last, 1000) - 1):
                assert (f["film"][row] == row).all(), row
    except Exception as e:
        sys.exit("opening %d: %r" % (i, e))
`

// lookOnce does the same with our reader.
func lookOnce(path string) error {
	f, err := hdf5.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	same := func(name string, want int32) error {
		d, err := f.Root().Dataset(name)
		if err != nil {
			return err
		}
		values := make([]byte, 4*d.Space().Len())
		if err := d.Read(values, hdf5.Memory{Type: hdf5.Int(4)}, hdf5.Slab{}); err != nil {
			return err
		}
		for i := 0; i < len(values); i += 4 {
			v := int32(values[i]) | int32(values[i+1])<<8 | int32(values[i+2])<<16
			if want < 0 {
				want = v
			}
			if v != want {
				return fmt.Errorf("`%s` has %d among %d", name, v, want)
			}
		}
		return nil
	}
	g, err := f.Root().Group("steps")
	if err != nil {
		return err
	}
	last, err := g.Attribute("last")
	if err != nil {
		return err
	}
	n := int(last.Data[0]) | int(last.Data[1])<<8
	for _, i := range []int{0, n / 2, n - 1} {
		err = errors.Join(err, same(fmt.Sprintf("steps/%06d", i), int32(i)))
	}
	return errors.Join(err, same("latest", -1))
}

// TestReadWhileWritten opens a file at random moments while steps are written, with h5py, h5dump and our reader. No
// opening and no step may fail, and everything that is read must be complete.
func TestReadWhileWritten(t *testing.T) {
	need.Slow(t)
	python := need.Python(t, "h5py")
	dump := need.Program(t, "h5dump")
	need.Rounds(t, 2, func(t *testing.T, round int) {
		dir := t.TempDir()
		path := filepath.Join(dir, "watched.h5")
		tree := watched
		if round%2 == 1 { // a background thread writes
			tree = strings.Replace(tree, "    on_event", "    async: {}\n    on_event", 1)
		}
		s, err := start(t, dir, tree, nil)
		must(t, err)
		event := func(step int32) error {
			field := make([]int32, 300)
			for i := range field {
				field[i] = step
			}
			return errors.Join(s.Expose("step", &step, data.Out), s.MultiExpose("step", data.Item{Name: "field", Value: field, Access: data.Out}))
		}
		for step := range int32(2) {
			must(t, event(step))
		}
		golden.Until(t, "the thread has written", func() bool { return lookOnce(path) == nil })
		var stop atomic.Bool
		written := make(chan error)
		go func() {
			var err error
			for step := int32(2); !stop.Load() && err == nil; step++ {
				err = event(step)
				time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond) // start a step at any moment of a reader
			}
			written <- err
		}()
		openings := 40
		if need.Full() {
			openings = 100
		}
		readers := make(chan error)
		go func() {
			out, err := exec.Command(python, "-c", look, path, fmt.Sprint(openings)).CombinedOutput()
			if err != nil {
				err = fmt.Errorf("h5py: %w\n%s", err, out)
			}
			readers <- err
		}()
		go func() {
			for i := range openings {
				if err := lookOnce(path); err != nil {
					readers <- fmt.Errorf("opening %d: %w", i, err)
					return
				}
				time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond) // open the file at any moment of a step
			}
			readers <- nil
		}()
		go func() {
			for i := range openings / 20 {
				if out, err := exec.Command(dump, path).CombinedOutput(); err != nil {
					at := max(0, strings.Index(string(out), "rror")-200)
					readers <- fmt.Errorf("h5dump %d: %w\n%.2000s", i, err, out[at:])
					return
				}
			}
			readers <- nil
		}()
		for range 3 {
			if err := <-readers; err != nil {
				t.Error(err)
			}
		}
		stop.Store(true)
		must(t, <-written, s.Close())
		must(t, lookOnce(path))
	})
}

// TestReaderHoldsFile checks that a reader that has the file open does not make steps fail. It must read the file as it
// was when it was opened, even if later steps replaced parts. When the reader is gone, its space is reused.
func TestReaderHoldsFile(t *testing.T) {
	need.Slow(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "held.h5")
	s, err := start(t, dir, "data: {field: {type: array, subtype: int, size: 5000}}\nplugins: {decl_hdf5: {file: '@/held.h5', write: {field: {collision_policy: replace, deflate: 0}}}}", nil)
	must(t, err)
	write := func(value int32) {
		t.Helper()
		field := make([]int32, 5000)
		for i := range field {
			field[i] = value
		}
		must(t, s.Expose("field", field, data.Out))
	}
	size := func() int64 {
		t.Helper()
		info, err := os.Stat(path)
		must(t, err)
		return info.Size()
	}
	write(1)
	f, err := hdf5.Open(path)
	must(t, err)
	d, err := f.Root().Dataset("field")
	must(t, err)
	for i := range int32(20) {
		write(2 + i)
	}
	values := make([]byte, 4*5000)
	must(t, d.Read(values, hdf5.Memory{}, hdf5.Slab{}))
	for i := 0; i < len(values); i += 4 {
		if values[i] != 1 {
			t.Fatalf("element %d is of step %d, want 1", i/4, values[i])
		}
	}
	must(t, f.Close())
	held := size()
	for i := range int32(20) {
		write(30 + i)
	}
	if now := size(); runtime.GOOS == "linux" && now > held {
		t.Errorf("%d bytes after the reader was gone, %d later", held, now)
	}
	must(t, s.Close())
	if now := size(); now > 21*20000*5/4 {
		t.Errorf("the file is left with %d bytes", now)
	}
}
