package runs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/runs/record"
)

// TestResults: two or more files whose names differ only in their numbers are one entry; files that existed before are not listed.
func TestResults(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old.txt", "x")
	before := record.FilesBelow(dir)
	for _, name := range []string{"alone.txt", "pair_1.txt", "pair_2.txt", "three_9.txt", "three_10.txt", "three_11.txt"} {
		write(name, "xx")
	}
	want := []Made{
		{"alone.txt", "alone.txt", 1, 2},
		{"pair_1.txt", "pair_2.txt", 2, 4},
		{"three_9.txt", "three_11.txt", 3, 6},
	}
	if have := madeSince(dir, before); !slices.Equal(have, want) {
		t.Errorf("it has made %+v, want %+v", have, want)
	}
	if have := madeSince(dir, record.FilesBelow(dir)); len(have) > 0 {
		t.Errorf("an old folder has %+v, want at most 0", have)
	}
}
