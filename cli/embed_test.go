//go:build unix

package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestEmbedded: a Python program can embed a pipeline, which this program runs for it.
func TestEmbedded(t *testing.T) {
	need.Slow(t)
	cmd := exec.Command(need.Python(t, "numpy"), "-m", "unittest", "tests.test_embed")
	cmd.Dir = filepath.Join(golden.Root(t), "python")
	cmd.Env = append(os.Environ(), noRaceNap, "PENTODE_PROGRAM="+filepath.Join(programFolder(t), "pentode"))
	if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("skipped")) {
		t.Errorf("%v\n%s", err, out)
	}
}
