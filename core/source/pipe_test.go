//go:build unix

package source_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestPipe: a pipe without a writer is an error, and a pipe with a writer is read
// like a file.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	need.Ability(t, "named pipes", syscall.Mkfifo(path, 0o600))
	_, err := source.Disk{}.OpenNamed(path)
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
	f, err := source.Disk{}.OpenNamed(fmt.Sprintf("/dev/fd/%d", r.Fd()))
	if err != nil || f.Text() != "text\n" {
		t.Errorf("a pipe with a text: %v, %v", f, err)
	}
}

// TestOnlyFiles: other kinds of files are not opened, so that reading never
// waits.
func TestOnlyFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "p"), filepath.Join(dir, "s")
	need.Ability(t, "named pipes", syscall.Mkfifo(pipe, 0o600))
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for path, want := range map[string]string{
		pipe: "it is a pipe", socket: "it is a socket", "/dev/zero": "it is a device", "/dev/tty": "it is a device",
		"/proc/self/environ": "it is a view into the system", "/proc/kmsg": "it is a view into the system", dir: "it is a folder",
	} {
		if _, err := os.Stat(path); err != nil {
			continue // does not exist on this system
		}
		if _, err := (source.Disk{}).Open(path); err == nil || !strings.Contains(source.Explain(path, err), want) && !os.IsPermission(err) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	for _, path := range []string{"/dev/zero", "/proc/self/environ"} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if _, err := (source.Disk{}).OpenNamed(path); err == nil {
			t.Errorf("%s is opened where the user names it, want one", path)
		}
	}
	if f, err := (source.Disk{}).Open(os.DevNull); err != nil || f.Len() != 0 {
		t.Errorf("%s: %v", os.DevNull, err)
	}
}
