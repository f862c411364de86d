package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestResults: files whose names differ in their numbers only are one line, from two
// of them on; what was there before is not listed.
func TestResults(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old.txt", "x")
	before := filesBelow(dir)
	for _, name := range []string{"alone.txt", "pair_1.txt", "pair_2.txt", "three_9.txt", "three_10.txt", "three_11.txt"} {
		write(name, "xx")
	}
	var said bytes.Buffer
	(&app{err: &said}).results(dir, "out", before)
	const want = `
results in out:
  alone.txt                                          2 B
  pair_1.txt … pair_2.txt                            4 B  2 files
  three_9.txt … three_11.txt                         6 B  3 files
`
	if said.String() != want {
		t.Errorf("it says %s, want %s", said.String(), want)
	}
	said.Reset()
	(&app{err: &said}).results(dir, "out", filesBelow(dir))
	if said.String() != "nothing was written to out\n" {
		t.Errorf("of an old folder it says %s", said.String())
	}
}
