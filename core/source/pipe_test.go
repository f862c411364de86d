//go:build unix

package source_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
)

// TestPipe: a pipe without a writer is an error, and one with a writer is a file.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	_, err := source.Disk{}.Open(path)
	if err == nil || !strings.Contains(source.Explain("p", err), "it is a pipe, and nothing comes out of it") {
		t.Errorf("an idle pipe: %v", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("text\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	f, err := source.Disk{}.Open(fmt.Sprintf("/dev/fd/%d", r.Fd()))
	if err != nil || f.Text() != "text\n" {
		t.Errorf("a pipe with a text: %v, %v", f, err)
	}
}
