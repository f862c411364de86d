//go:build unix

package web

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/runs"
)

// TestStartedTwice: where another run has the folder of the results, the page says what
// a person there can do.
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
