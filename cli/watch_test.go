//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// watching is a verb with --watch, which runs until it is interrupted.
type watching struct {
	t    *testing.T
	errs *golden.Buffer // standard output and standard error
	end  func() int
}

func startWatching(t *testing.T, args ...string) *watching {
	w := &watching{t: t, errs: &golden.Buffer{}}
	cmd := process(t, args...)
	cmd.Stdout, cmd.Stderr = w.errs, w.errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.end = func() int {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		return exitOf(t, cmd.Wait())
	}
	return w
}

// until waits for a text, and then until the verb waits for changes.
func (w *watching) until(text string) {
	w.t.Helper()
	golden.Until(w.t, fmt.Sprintf("it waits for changes after %q", text), func() bool {
		_, after, ok := strings.Cut(w.errs.String(), text)
		return ok && strings.Contains(after, "watching ")
	}, w.errs)
}

const counts = "process n :: numbers\n  end = 3\nprocess s :: print_number\n  output = out.txt\nconnect from n.number to s.number\n"

// TestWatch: a change of a file that was read, of a file that was missing, or of a folder makes the
// verb print a new result; an interrupt ends it.
func TestWatch(t *testing.T) {
	need.Slow(t)
	inFolder(t, "include b.pipe\n")
	for _, c := range []struct {
		args  []string
		first string
	}{
		{[]string{"check", "--watch", "a.pipe"}, "`b.pipe`"},
		{[]string{"check", "--watch", "."}, "`b.pipe`"},
		{[]string{"graph", "--watch", "-o", "a.svg", "a.pipe"}, "`b.pipe`"},
	} {
		w := startWatching(t, c.args...)
		w.until(c.first)
		write(t, "b.pipe", counts)
		w.until("has changed")
		write(t, "b.pipe", "proces n :: numbers\n")
		w.until("--> b.pipe:1:1")
		if code := w.end(); code != 143 {
			t.Errorf("%q ended with %d, want 143", c.args, code)
		}
		if err := os.Remove("b.pipe"); err != nil {
			t.Fatal(err)
		}
	}
	picture, err := os.ReadFile("a.svg")
	if err != nil || !strings.HasPrefix(string(picture), "<svg") {
		t.Errorf("a.svg is %.40q, %v", picture, err)
	}
}

func TestWatchFormat(t *testing.T) {
	inFolder(t, counts)
	w := startWatching(t, "fmt", "--check", "--watch", "a.pipe")
	w.until("")
	write(t, "a.pipe", strings.Replace(counts, "  end", "       end", 1))
	w.until("a.pipe\n")
	w.end()
}

// TestWatchRun: a change stops the running pipeline in order before it is started again.
func TestWatchRun(t *testing.T) {
	inFolder(t, strings.Replace(counts, "= 3", "= 1000000000000", 1))
	w := startWatching(t, "run", "--watch", "a.pipe")
	golden.Until(t, "something is written", func() bool {
		info, err := os.Stat("out.txt.partial")
		return err == nil && info.Size() > 0
	}, w.errs)
	write(t, "a.pipe", counts)
	w.until("finished: ")
	if text, err := os.ReadFile("out.txt"); err != nil || string(text) != "0\n1\n2\n" {
		t.Errorf("out.txt has %.40q, %v", text, err)
	}
	if !strings.Contains(w.errs.String(), "interrupted: ") {
		t.Errorf("the first run was not stopped in order:\n%s", w.errs.String())
	}
	if code := w.end(); code != 143 {
		t.Errorf("it ended with %d, want 143", code)
	}
}
