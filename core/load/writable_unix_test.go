//go:build unix

package load_test

import (
	"os"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
)

// TestWritable: no files can be created in a folder without write permission, except by root.
func TestWritable(t *testing.T) {
	env, dir := load.NewEnv(), t.TempDir()
	if !env.Writable(dir) {
		t.Error("a folder of our own is said to take no files")
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	if got, root := env.Writable(dir), os.Geteuid() == 0; got != root {
		t.Errorf("a folder without permission to write: writable %v, root %v", got, root)
	}
}
