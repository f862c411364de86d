package hdf5

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// tool runs a program of hdf5-tools and returns its output.
func tool(t testing.TB, name string, args ...string) string {
	t.Helper()
	path := need.Program(t, name)
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func inTemp(t testing.TB, name string) string { return filepath.Join(t.TempDir(), name) }

func create(t testing.TB, path string) *File {
	t.Helper()
	f, err := Create(path)
	must(t, err)
	return f
}

// reopen opens a file for the rest of the test without locking it.
func reopen(t testing.TB, path string) *File {
	t.Helper()
	r, err := os.Open(path)
	must(t, err)
	info, err := r.Stat()
	must(t, err)
	f, err := NewReader(r, info.Size())
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// openRW opens a file for changing; it assumes that readers left open by a test need little time.
func openRW(t testing.TB, path string) *File {
	t.Helper()
	f, err := OpenRW(path)
	must(t, err)
	f.disk.ReaderTime = 10 * time.Millisecond
	return f
}
