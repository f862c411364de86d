//go:build unix

package web

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/record"
)

// TestStartedTwice: if another run uses the results folder, the page says so, with advice that applies to the page.
func TestStartedTwice(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("PENTODE_OUT", t.TempDir())
	path := filepath.Join(t.TempDir(), "a.pipe")
	if err := os.WriteFile(path, []byte("process a :: numbers\n  end = 1000000000000\nprocess s :: sink\nconnect from a.number to s.sink\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Server{opt: Options{Workspace: runs.NewWorkspace(), Runs: &runs.Options{}}}
	first, err := s.startPipeline(path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		first.Stop()
		_ = first.Wait() // it was stopped
	}()
	_, err = s.startPipeline(path, io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), "another run writes its results to `") || !strings.HasSuffix(err.Error(), "; wait until it is over, and start again") {
		t.Errorf("%v", err)
	}
}

// TestStartedIsKept: a run started from the page has a record, as if it had been started in the folder of the pipeline, and its results
// contain their origin.
func TestStartedIsKept(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	dir := t.TempDir()
	t.Chdir(filepath.Dir(dir))
	path := filepath.Join(filepath.Base(dir), "a.pipe")
	if err := os.WriteFile(path, []byte("process a :: numbers\n  end = 3\nprocess w :: print_number\n  output = out.txt\nconnect from a.number to w.number\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Server{opt: Options{Workspace: runs.NewWorkspace(), Runs: &runs.Options{Record: &runs.Recording{}, Seal: true}}}
	run, err := s.startPipeline(path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	store, err := record.Here()
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.Newest(0)
	if err != nil {
		t.Fatal(err)
	}
	result, ok := r.Result("out.txt")
	if !slices.Equal(r.Command, []string{"run", "a.pipe"}) || r.Folder != dir || r.Out != dir || r.Files[0].Path != filepath.Join(dir, "a.pipe") || !ok || result.Hash == "" {
		t.Errorf("%+v, want `run a.pipe` of %s, and out.txt with its hash among the results", r, dir)
	}
	if s, err := seal.Read(filepath.Join(dir, "out.txt")); err != nil || s.Run != r.ID {
		t.Errorf("%+v, %v", s, err)
	}
}
