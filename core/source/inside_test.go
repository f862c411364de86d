package source_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestInside: no file outside is opened, by whatever path, and the error does not show
// whether it exists.
func TestInside(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "in")
	for _, path := range []string{"in/a", "in/sub/b", "out/c"} {
		full := filepath.Join(base, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(path), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	need.Ability(t, "symbolic links", os.Symlink("../out", filepath.Join(dir, "link")))
	o := source.Inside{Dirs: []string{dir, filepath.Join(base, "nowhere")}, Under: source.Disk{}}
	for path, want := range map[string]error{
		"a": nil, "sub/b": nil, "sub/../a": nil, "none": os.ErrNotExist, "sub/none": os.ErrNotExist,
		"../out/c": source.ErrOutside, "../out/none": source.ErrOutside, "link/c": source.ErrOutside, "link/none": source.ErrOutside,
		"..": source.ErrOutside, "../innocent": source.ErrOutside,
	} {
		for name, open := range map[string]func(string) (*source.File, error){"Open": o.Open, "OpenNamed": o.OpenNamed} {
			if _, err := open(filepath.Join(dir, path)); !errors.Is(err, want) {
				t.Errorf("%s of %s: %v, want %v", name, path, err, want)
			}
		}
	}
}
