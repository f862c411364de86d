package declhdf5

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// TestStepFails checks that a fault of the library in a background step is an error of the file and does not crash the program.
func TestStepFails(t *testing.T) {
	var none []int
	s := &step{path: "a.h5", run: func() error { none[len(t.Name())]++; return nil }}
	err := s.safely()
	if err == nil || data.StatusOf(err) != data.StatusSystem || !strings.HasPrefix(err.Error(), "writing `a.h5` failed: this library has a fault in run/data/declhdf5/step_test.go:") {
		t.Errorf("%v", err)
	}
}

// TestStepOrder checks that steps of one file of the tree are written one after the other, even under different names, and so
// are steps of one file on disk. Other steps do not wait for them.
func TestStepOrder(t *testing.T) {
	b := newBackground()
	files := map[byte]*file{}
	for _, name := range "abc" {
		files[byte(name)] = &file{settings: &settings{Steps: Steps{Async: &Async{}}}, background: b}
	}
	var mu sync.Mutex
	var order []string
	gate, other := make(chan bool), make(chan bool)
	steps := map[string]*step{}
	for _, name := range []string{"a p", "a q", "b p", "c r", "c p"} {
		s := &step{file: files[name[0]], path: name[2:]}
		s.run = func() error {
			switch name {
			case "a p":
				<-gate
			case "c r":
				defer close(other)
			}
			mu.Lock()
			defer mu.Unlock()
			order = append(order, name)
			return nil
		}
		steps[name] = s
		b.put(s)
	}
	<-other // written before the first step is
	b.mu.Lock()
	if steps["a q"].started || steps["b p"].started || steps["c p"].started {
		t.Error("a step has begun before an earlier one has ended")
	}
	b.mu.Unlock()
	close(gate)
	if err := b.end(); err != nil {
		t.Error(err)
	}
	at := func(name string) int { return slices.Index(order, name) }
	if len(order) != 5 || order[0] != "c r" || order[1] != "a p" || at("b p") > at("c p") {
		t.Errorf("the order is %v, want 5 steps: c r, a p, and b p before c p", order)
	}
}

// TestManyFiles checks that threads that write more files than are kept do not find a file locked by a thread that ends it.
func TestManyFiles(t *testing.T) {
	dir, files := t.TempDir(), &closedFiles{}
	errs := make([]error, 3)
	var all sync.WaitGroup
	for thread := range errs {
		all.Go(func() {
			for i := 0; i < 120 && errs[thread] == nil; i++ {
				path := filepath.Join(dir, fmt.Sprintf("%d of %d.h5", i%8, thread))
				var h *hdf5.File
				var err error
				if i < 8 {
					h, err = files.create(path, hdf5.Create)
				} else {
					h, err = files.open(path)
				}
				if err == nil {
					err = errors.Join(h.Root().SetAttribute("i", hdf5.Int(4), hdf5.Space{}, make([]byte, 4)), h.Pause(), files.keep(h))
				}
				errs[thread] = err
			}
		})
	}
	all.Wait()
	if err := errors.Join(append(errs, files.end())...); err != nil {
		t.Error(err)
	}
}
