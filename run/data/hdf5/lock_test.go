//go:build unix

package hdf5

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// A file has one writer, or any number of readers.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path); !errors.Is(err, ErrLocked) {
		t.Errorf("Create beside another: %v", err)
	}
	must(t, w.Flush())
	for name, open := range map[string]func(string) (*File, error){"Open": Open, "OpenRW": OpenRW, "Create": Create} {
		if _, err := open(path); !errors.Is(err, ErrLocked) {
			t.Errorf("%s beside a writer: %v", name, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("the second writer has emptied the file: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	first, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := Open(path)
	if err != nil {
		t.Fatalf("two readers: %v", err)
	}
	second.Close()
	if _, err := OpenRW(path); !errors.Is(err, ErrLocked) {
		t.Errorf("a writer beside a reader: %v", err)
	}
	for _, off := range []string{"FALSE", "0"} {
		t.Setenv("HDF5_USE_FILE_LOCKING", off)
		f, err := OpenRW(path)
		if err != nil {
			t.Fatalf("HDF5_USE_FILE_LOCKING=%s: %v", off, err)
		}
		f.Close()
	}
}

// HDF5's own tools and this package keep each other out.
func TestLockAgainstTools(t *testing.T) {
	need.Program(t, "h5dump")
	path := filepath.Join(t.TempDir(), "a.h5")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	must(t, w.Flush())
	cmd := exec.Command("h5dump", "-H", path)
	cmd.Env = append(os.Environ(), "HDF5_USE_FILE_LOCKING=TRUE")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("h5dump reads a file that is being written:\n%s", out)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command("h5dump", "-H", path)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "GROUP") {
		t.Errorf("h5dump of a closed file: %v\n%s", err, out)
	}
}
