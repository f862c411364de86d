package hdf5

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/golden"
)

// TestGoldenDump compares h5dump's output for our file with a checked output.
func TestGoldenDump(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sample.h5")
	f := create(t, path)
	writeSample(t, f)
	must(t, f.Close())
	out := tool(t, "h5dump", path)
	out = strings.Replace(out, path, "sample.h5", 1)
	recorded := filepath.Join("testdata", "sample.dump")
	if golden.Updating() {
		must(t, os.MkdirAll("testdata", 0o777))
		must(t, os.WriteFile(recorded, []byte(out), 0o666))
	}
	want, err := os.ReadFile(recorded)
	must(t, err)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(out, "\n")); diff != "" {
		t.Fatalf("%v; want nothing", diff)
	}
	checked := tool(t, "h5dump", "-p", "-H", "-d", "/chunk/checked", path)
	for _, line := range []string{"CHUNKED ( 7, 5 )", "PREPROCESSING SHUFFLE", "COMPRESSION DEFLATE { LEVEL 1 }", "CHECKSUM FLETCHER32"} {
		if !strings.Contains(checked, line) {
			t.Errorf("h5dump -p does not say `%s`:\n%s", line, checked)
		}
	}
}
