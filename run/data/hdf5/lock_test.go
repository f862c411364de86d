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

// TestLock checks that a file has at most one writer, and any number of readers at the same time.
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
	for name, open := range map[string]func(string) (*File, error){"OpenRW": OpenRW, "Create": Create} {
		if _, err := open(path); !errors.Is(err, ErrLocked) {
			t.Errorf("%s beside a writer: %v", name, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("the second writer has emptied the file: %v", err)
	}
	first, err := Open(path)
	if err != nil {
		t.Fatalf("a reader beside a writer: %v", err)
	}
	defer first.Close()
	must(t, w.Close())
	second, err := Open(path)
	if err != nil {
		t.Fatalf("two readers: %v", err)
	}
	defer second.Close()
	for name, open := range map[string]func(string) (*File, error){"OpenRW": OpenRW, "Create": Create} {
		f, err := open(path)
		if err != nil {
			t.Fatalf("%s beside readers: %v", name, err)
		}
		must(t, f.Close())
	}
	w = openRW(t, path)
	defer w.Close()
	for _, off := range []string{"FALSE", "0"} {
		t.Setenv("HDF5_USE_FILE_LOCKING", off)
		f, err := OpenRW(path)
		if err != nil {
			t.Fatalf("HDF5_USE_FILE_LOCKING=%s: %v", off, err)
		}
		f.Close()
	}
}

// TestLockAgainstTools checks that HDF5's own library can read but not change the file
// while this package writes it, and that this package does not open a file that the
// library is changing.
func TestLockAgainstTools(t *testing.T) {
	need.Slow(t)
	python := need.Python(t, "h5py")
	path := filepath.Join(t.TempDir(), "a.h5")
	w := create(t, path)
	must(t, w.Flush())
	h5py := func(code string) (string, error) {
		cmd := exec.Command(python, "-c", "import h5py, sys\n"+code, path)
		cmd.Env = append(os.Environ(), "HDF5_USE_FILE_LOCKING=TRUE")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := h5py("h5py.File(sys.argv[1], 'r')"); err != nil {
		t.Errorf("a reader beside a writer: %v\n%s", err, out)
	}
	if out, err := h5py("h5py.File(sys.argv[1], 'r+')"); err == nil || !strings.Contains(out, "unable to lock") {
		t.Errorf("another writer: %v\n%s", err, out)
	}
	must(t, w.Close())
	cmd := exec.Command(python, "-c", "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+'); print(); sys.stdout.flush(); sys.stdin.read()", path)
	cmd.Env = append(os.Environ(), "HDF5_USE_FILE_LOCKING=TRUE")
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	_, err = out.Read(make([]byte, 1))
	must(t, err)
	for name, open := range map[string]func(string) (*File, error){"Open": Open, "OpenRW": OpenRW, "Create": Create} {
		if _, err := open(path); !errors.Is(err, ErrLocked) {
			t.Errorf("%s beside a writer of another library: %v", name, err)
		}
	}
	must(t, in.Close())
	must(t, cmd.Wait())
	must(t, openRW(t, path).Close())
}
