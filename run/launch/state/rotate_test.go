package state

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRotate: a log that has reached its size becomes a compressed piece, the
// oldest pieces are dropped, and reading gives the lines that are left, in
// order, also to who follows.
func TestRotate(t *testing.T) {
	d, err := Create(t.TempDir(), Run{ID: "r", Started: time.Now(), Nodes: []Node{{ID: "n"}}})
	if err != nil {
		t.Fatal(err)
	}
	path := d.LogFile("n", "out")
	w, err := OpenLog(path, 100)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range 200 {
		line := fmt.Sprintf("line %04d\n", i) // ten bytes
		all = append(all, line)
		if _, err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	pieces, _ := filepath.Glob(path + ".*.gz")
	info, err := os.Stat(path)
	if err != nil || len(pieces) != keptLogs || info.Size() != 100 {
		t.Errorf("%d pieces, %v, %v", len(pieces), info, err)
	}
	var got bytes.Buffer
	if err := d.Logs(t.Context(), &got, "n", false); err != nil || got.String() != strings.Join(all[200-10*(keptLogs+1):], "") {
		t.Errorf("%v\n%s", err, got.String())
	}
	// It is opened again where it was left.
	if w, err = OpenLog(path, 100); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Write([]byte("more\n")); err != nil {
		t.Fatal(err)
	}
	got.Reset()
	if err := copyPiece(&got, piece(path, 1), 90); err != nil || got.String() != all[199] {
		t.Errorf("%v %q", err, got.String())
	}
}
