package declhdf5_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/logging"
)

// asyncTree is a tree with a file that a thread writes and the program's thread reads.
const asyncTree = `
metadata: {step: int}
data: {field: {type: array, subtype: int, size: 20000}, back: {type: array, subtype: int, size: 20000}}
plugins:
  decl_hdf5:
    - file: '@/a.h5'
      async: {buffers: %s, memory: %s}
      on_event: step
      write:
        field: [{dataset: 'steps/${step:03d}', attributes: {at: $step, name: 'step ${step}'}}, {dataset: last, collision_policy: replace_and_warn}]
        step: {attribute: 'steps#last'}
    - {file: '@/a.h5', on_event: look, read: {back: {dataset: last}}}
    - {file: '@/a.h5', on_event: too, write: {step: {dataset: 'at once/${step}'}}}
`

func asyncStep(s *data.Store, field []int32, step int32) error {
	for i := range field {
		field[i] = step
	}
	if err := s.Expose("step", &step, data.Out); err != nil {
		return err
	}
	err := s.MultiExpose("step", data.Item{Name: "field", Value: field, Access: data.Out})
	for i := range field {
		field[i] = -1 // the memory belongs to the program again
	}
	return err
}

// TestAsync checks that a thread writes the values of each call in order, even if the program
// changes the memory afterwards, and that reads and writes of the program's thread come after
// them.
func TestAsync(t *testing.T) {
	for _, limits := range [][2]string{{"2", "512MB"}, {"1", "200kB"}, {"5", "90kB"}, {"50", "10 GiB"}} {
		t.Run(strings.Join(limits[:], " "), func(t *testing.T) {
			dir := t.TempDir()
			var log bytes.Buffer
			s, err := start(t, dir, fmt.Sprintf(asyncTree, limits[0], limits[1]), &log)
			must(t, err)
			s.SetLevel(logging.Info)
			field := make([]int32, 20000)
			for step := range int32(30) {
				must(t, asyncStep(s, field, step))
				if step%7 == 3 {
					back := make([]int32, 20000)
					must(t, s.MultiExpose("look", data.Item{Name: "back", Value: back, Access: data.In}))
					if back[0] != step || back[19999] != step {
						t.Errorf("step %d is read as %d, want back[0] = %v and back[19999] = %v", step, back[0], step, step)
					}
					must(t, s.Event("too"))
				}
			}
			must(t, s.Close())
			f, err := hdf5.Open(filepath.Join(dir, "a.h5"))
			must(t, err)
			defer f.Close()
			value := make([]byte, 4)
			for step := range 30 {
				d, err := f.Root().Dataset(fmt.Sprintf("steps/%03d", step))
				must(t, err)
				must(t, d.Read(value, hdf5.Memory{Dims: []uint64{1}}, hdf5.Slab{Start: []uint64{19999}, Count: []uint64{1}}))
				at, err := d.Attribute("at")
				must(t, err)
				if value[0] != byte(step) || at.Data[0] != byte(step) {
					t.Errorf("step %d has %d, and says that it is %d; want value[0] = %v and at.Data[0] = %v", step, value[0], at.Data[0], byte(step), byte(step))
				}
			}
			if got := strings.Count(log.String(), "dataset `last` already exists: it is replaced"); got != 29 {
				t.Errorf("%d warnings, want 29:\n%s", got, &log)
			}
			const large = "a step of 160000 bytes is more than its buffers may take"
			if got, want := strings.Count(log.String(), large), map[string]int{"90kB": 30}[limits[1]]; got != want {
				t.Errorf("%d steps are said to be too large, want %d:\n%s", got, want, &log)
			}
		})
	}
}

// TestAsyncErrors checks that a failed step is reported once, by the next call on its file or at the end.
func TestAsyncErrors(t *testing.T) {
	const tree = `
data: {i: int}
plugins:
  decl_hdf5:
    - {file: '@/none/a.h5', async: {}, on_event: a, write: [i]}
    - {file: '@/none/a.h5', on_event: look, read: [i]}
    - {file: '@/b.h5', async: , on_event: b, write: [i]}
`
	for _, again := range []bool{true, false} {
		dir := t.TempDir()
		s, err := start(t, dir, tree, nil)
		must(t, err)
		i := int32(7)
		event := func(name string) error {
			return s.MultiExpose(name, data.Item{Name: "i", Value: &i, Access: data.InOut})
		}
		must(t, event("a"), event("b"))
		want := "an earlier step: cannot write `" + dir + "/none/a.h5`: no such file or directory"
		if again {
			if event("look") == nil { // waits for the step
				t.Error("a file that is not there is read")
			}
			must(t, os.Mkdir(filepath.Join(dir, "none"), 0o777))
			if err := event("a"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the next call: %v", err)
			}
			must(t, event("a"), s.Close())
			must(t, readable(filepath.Join(dir, "none/a.h5"), "i", 1, 0))
		} else if err := s.Close(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the end: %v", err)
		}
		must(t, readable(filepath.Join(dir, "b.h5"), "i", 1, 0))
	}
}

// TestAsyncWaits checks that a call waits while the buffers are full, and that the log says how long.
func TestAsyncWaits(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.h5")
	var log bytes.Buffer
	s, err := start(t, dir, "data: {field: {type: array, subtype: double, size: 20000}}\nplugins: {decl_hdf5: {file: '@/a.h5', async: {buffers: 1}, write: {field: {collision_policy: replace, deflate: 9}}}}", &log)
	must(t, err)
	s.SetLevel(logging.Info)
	field := make([]float64, 20000)
	for i := range field {
		field[i] = float64(i*i%9973) / 7
	}
	const waited = "for a free buffer of `"
	for i := 0; i < 1000 && !strings.Contains(log.String(), waited); i++ { // compressing takes a thousand times as long as copying
		must(t, s.Expose("field", field, data.Out))
	}
	must(t, s.Close())
	if !strings.Contains(log.String(), waited+path+"`: 1 step and 512MB may wait to be written") {
		t.Errorf("no word about waiting:\n%s", &log)
	}
}

// TestAsyncRefused checks the invalid values of `async`.
func TestAsyncRefused(t *testing.T) {
	for config, want := range map[string]string{
		"{buffers: 0}":     "`buffers` is `0`: expected a whole number of at least 1",
		"{buffers: two}":   "`buffers` is `two`: expected a whole number of at least 1",
		"{memory: 0}":      "`memory` is `0`: expected a number of bytes, such as `512MB` or `2GiB`",
		"{memory: 5 ells}": "`memory` is `5 ells`: expected a number of bytes",
		"{memory: -1MB}":   "`memory` is `-1MB`: expected a number of bytes",
		"{memory: 1e300}":  "`memory` is `1e300`: expected a number of bytes",
		"{depth: 2}":       "unknown key `depth`: the keys are `buffers`, `memory`",
		"[2]":              "expected a mapping",
		"{memory: [1]}":    "expected a number",
	} {
		_, err := start(t, t.TempDir(), "data: {i: int}\nplugins: {decl_hdf5: {file: a.h5, async: "+config+", write: [i]}}", nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", config, err, want)
		}
	}
}
