package debuginfo

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestSources checks that a program lists the files it was compiled from, in every version of the
// line tables.
func TestSources(t *testing.T) {
	need.Slow(t)
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "part.h"), []byte("static inline int part(int x) { return x * 3; }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		program := compile(t, dir, "#include \"part.h\"\nint main(int argc, char **argv) { return part(argc); }\n", "-g", version)
		got, err := open(t, program, Options{}).Sources()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"main.c", "part.h"} {
			if !slices.Contains(got, filepath.Join(dir, name)) {
				t.Errorf("%s: %s is not among %q", version, name, got)
			}
		}
	}
}

// TestSourcesStripped: without debug information there are no sources.
func TestSourcesStripped(t *testing.T) {
	program := compile(t, t.TempDir(), "int main(void) { return 0; }\n", "-s")
	if got, err := open(t, program, Options{DebugDirs: []string{}}).Sources(); err != nil || len(got) > 0 {
		t.Errorf("the sources are %q, %v", got, err)
	}
}
