//go:build linux

package live_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pentode-dev/pentode/internal/live"
)

// pty returns a pseudoterminal, and a function that returns what a user sees on it.
func pty(t *testing.T) (terminal *os.File, seen func() string) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal can be made: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(person) // reading ends with an error when the terminal is closed
		text <- string(all)
	}()
	return terminal, func() string {
		terminal.Close()
		return <-text
	}
}

// TestWork: progress of long work is shown after a second, counts up, and is removed at the end.
func TestWork(t *testing.T) {
	terminal, seen := pty(t)
	w := live.NewWork(terminal, func() int { return 40 })
	w.Begin("checking", "files")
	began := time.Now()
	for i := int64(0); time.Since(began) < 1800*time.Millisecond; i++ {
		w.Set(i, 12_345)
		time.Sleep(10 * time.Millisecond)
	}
	w.End()
	if _, err := io.WriteString(terminal, "the answer"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(seen(), "\r\x1b[K")
	if n := len(lines); n < 4 || n > 7 || lines[0] != "" || lines[n-1] != "the answer" {
		t.Fatalf("the terminal got %q; want nothing, then two to five lines of work, then the answer", lines)
	}
	last := 0
	for i, line := range lines[1 : len(lines)-1] {
		var done int
		if n, err := fmt.Sscanf(line, "checking: %d of 12,345 files", &done); n != 1 || err != nil || done < 50 || i > 0 && done <= last {
			t.Errorf("line %d of the work is %q, want a larger number of 12,345 files each time", i, line)
		}
		last = done
	}
}

// TestShortWork: work that takes less than a second is not shown, and a nil Work shows nothing.
func TestShortWork(t *testing.T) {
	var out strings.Builder
	w := live.NewWork(&out, func() int { return 80 })
	for range 3 {
		w.Begin("reading", live.Bytes)
		w.Set(1, 2)
		time.Sleep(50 * time.Millisecond)
	}
	w.End()
	w.End()
	time.Sleep(1100 * time.Millisecond)
	if out.String() != "" {
		t.Errorf("short work was shown: %q", out.String())
	}
	var none *live.Work
	none.Begin("reading", "")
	none.Set(1, 2)
	none.Clear()
	none.End()
}

// TestWideWork: a progress line that is wider than the terminal is cut, because a wrapped line
// could not be removed.
func TestWideWork(t *testing.T) {
	terminal, seen := pty(t)
	w := live.NewWork(terminal, func() int { return 20 })
	w.Begin("reading the trace of a whole night", live.Bytes)
	w.Set(3<<20, 1<<30)
	time.Sleep(1100 * time.Millisecond)
	w.End()
	if got, want := seen(), "\r\x1b[Kreading the trace …\r\x1b[K"; got != want {
		t.Errorf("the terminal got %q, want %q", got, want)
	}
}
