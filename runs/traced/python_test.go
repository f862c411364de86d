package traced

import (
	"os"
	"path/filepath"
	"testing"
)

// This program is recognised by its file, whatever its name.
func TestIsOwn(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link, other := filepath.Join(t.TempDir(), "link"), filepath.Join(t.TempDir(), "pentode")
	if err := os.Symlink(own, link); err != nil {
		t.Skip("no links here")
	}
	if err := os.WriteFile(other, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{own: true, link: true, other: false, filepath.Join(t.TempDir(), "none"): false} {
		if got := isOwn(path); got != want {
			t.Errorf("`%s` is this program: %v, want %v", path, got, want)
		}
	}
}

// Names of Python interpreters are recognised.
func TestIsPython(t *testing.T) {
	for path, want := range map[string]bool{"/usr/bin/python3": true, "python3.12": true, "./pypy": false, "/opt/python/bin/solver": false} {
		if got := isPython(path); got != want {
			t.Errorf("`%s` is Python: %v, want %v", path, got, want)
		}
	}
}
