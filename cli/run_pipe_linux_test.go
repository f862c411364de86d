package cli_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// openTerminal creates a pseudoterminal of 24 lines and 90 columns, and returns the user's end and
// the program's end.
func openTerminal(t *testing.T) (person, program *os.File) {
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	need.Ability(t, "a terminal", err)
	t.Cleanup(func() { person.Close() })
	fd := int(person.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 90}); err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	need.Ability(t, "a terminal", err)
	t.Cleanup(func() { program.Close() })
	return person, program
}

// TestLiveView runs on a pseudoterminal: the picture is drawn, output of the pipeline and its
// children appears above it, Ctrl-C stops the run, and the cursor is visible again at the end.
func TestLiveView(t *testing.T) {
	need.Slow(t)
	inFolder(t, "process src :: numbers\n  end = 1000000000000\nprocess c :: exec\n  command = sh -c 'echo hello from below >&2; exec cat >/dev/null'\nprocess w :: sink\n"+
		"connect from src.number to c.n\nconnect from src.number to w.sink\n")
	person, program := openTerminal(t)
	cmd := process(t, "run", "a.pipe")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	var seen strings.Builder
	typed := false
	buf := make([]byte, 1<<16)
	for {
		n, err := person.Read(buf)
		seen.Write(buf[:n])
		if text := seen.String(); !typed && strings.Contains(text, "src.number → w.sink") && strings.Contains(text, "of 40") && strings.Contains(text, "c: hello from below") {
			typed = true
			if _, err := person.WriteString("\x03"); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil {
			break // the program has closed its end
		}
	}
	if code := exitOf(t, cmd.Wait()); code != 130 {
		t.Errorf("exit %d, want 130", code)
	}
	text := seen.String()
	for _, want := range []string{"c: hello from below", "src.number → w.sink", "of 40", "stopping: ", "interrupted: "} {
		if !strings.Contains(text, want) {
			t.Errorf("the terminal lacks %q", want)
		}
	}
	if hidden, shown := strings.LastIndex(text, "\x1b[?25l"), strings.LastIndex(text, "\x1b[?25h"); shown < hidden {
		t.Error("the cursor stays hidden")
	}
	for _, question := range []string{"\x1b[c", "\x1b[6n", "$p", "\x1b]11;?"} {
		if strings.Contains(text, question) {
			t.Errorf("the terminal is asked %q, but nobody reads the answer", question)
		}
	}
	if t.Failed() {
		t.Logf("%q", text)
	}
}

// TestMomentOnTerminal: a run that ends at once prints only text, without a live view. So does any
// run on a dumb terminal.
func TestMomentOnTerminal(t *testing.T) {
	need.Slow(t)
	const moment = "process src :: numbers\n  end = 3\nprocess w :: text_write\n  file_name = -\nconnect from src.number to w.text\n"
	const longer = "process src :: numbers\n  end = 3\nprocess c :: exec\n  command = sh -c 'while read l; do sleep 0.2; echo \"{\\\"n\\\":1}\"; done'\nprocess w :: text_write\n  file_name = -\n" +
		"connect from src.number to c.n\nconnect from c.n to w.text\n"
	shown := func(text, term string) string {
		inFolder(t, text)
		person, program := openTerminal(t)
		cmd := process(t, "run", "a.pipe")
		cmd.Env = append(cmd.Env, "TERM="+term)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		program.Close()
		seen, _ := io.ReadAll(person) // reading ends with an error when the program closes its end
		if code := exitOf(t, cmd.Wait()); code != 0 {
			t.Errorf("exit %d, want 0", code)
		}
		return withoutProgress(string(seen)) // a slow machine may show progress
	}
	plain := func(text, lines string) bool {
		return strings.HasPrefix(text, lines+"finished: ") && !strings.Contains(text, "\x1b")
	}
	if text := shown(longer, "dumb"); !plain(text, "1\r\n1\r\n1\r\n") {
		t.Errorf("a terminal that only prints has %q", text)
	}
	text := shown(moment, "xterm")
	for end := time.Now().Add(golden.Patience); !plain(text, "0\r\n1\r\n2\r\n") && time.Now().Before(end); { // on a slow machine the run may take long enough for a live view
		text = shown(moment, "xterm")
	}
	if !plain(text, "0\r\n1\r\n2\r\n") {
		t.Errorf("after a moment the terminal has %q", text)
	}
}

// TestTinyTerminal: a terminal that is too small for the live view gets none.
func TestTinyTerminal(t *testing.T) {
	need.Slow(t)
	for _, size := range []unix.Winsize{{Row: 24, Col: 19}, {Row: 3, Col: 90}, {}} {
		inFolder(t, "process src :: numbers\n  end = 3\nprocess c :: exec\n  command = sh -c 'while read l; do sleep 0.2; echo \"{\\\"n\\\":1}\"; done'\nprocess w :: sink\n"+
			"connect from src.number to c.n\nconnect from c.n to w.sink\n")
		person, program := openTerminal(t)
		if err := unix.IoctlSetWinsize(int(person.Fd()), unix.TIOCSWINSZ, &size); err != nil {
			t.Fatal(err)
		}
		cmd := process(t, "run", "a.pipe")
		cmd.Env = append(cmd.Env, "TERM=xterm")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		program.Close()
		seen, _ := io.ReadAll(person) // reading ends with an error when the program closes its end
		if code := exitOf(t, cmd.Wait()); code != 0 || strings.Contains(string(seen), "\x1b") || !strings.Contains(string(seen), "finished: ") {
			t.Errorf("%d lines of %d columns: exit %d, the terminal has %q; want code = 0, no %q in seen and %q in seen", size.Row, size.Col, code, seen, "\x1b", "finished: ")
		}
	}
}

// TestWatchOnTerminal: each new result is shown on a cleared screen, if the terminal can be
// cleared.
func TestWatchOnTerminal(t *testing.T) {
	const emptied = "\x1b[H\x1b[2J"
	for term, want := range map[string]bool{"xterm": true, "dumb": false} {
		inFolder(t, "process a :: numbers\n")
		person, program := openTerminal(t)
		cmd := process(t, "check", "--watch", "a.pipe")
		cmd.Env = append(cmd.Env, "TERM="+term)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		program.Close()
		var seen strings.Builder
		buf := make([]byte, 1<<16)
		for !strings.Contains(seen.String(), "Ctrl-C ends") {
			n, err := person.Read(buf)
			seen.Write(buf[:n])
			if err != nil {
				t.Fatalf("%s: %v after %q", term, err, seen.String())
			}
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code := exitOf(t, cmd.Wait()); code != 130 {
			t.Errorf("exit %d, want 130", code)
		}
		if have := strings.HasPrefix(seen.String(), emptied); have != want {
			t.Errorf("%s: the screen was emptied: %v, want %v: %q", term, have, want, seen.String())
		}
	}
}

// TestReplOnTerminal: on a terminal, a line can be edited, the tab key completes a name, the up key
// brings back an earlier line, and Ctrl-D ends the session.
func TestReplOnTerminal(t *testing.T) {
	inFolder(t, "")
	write(t, "sim.yml", "metadata:\n  rows: int\n  rounds: int\n  columns: int\n")
	person, program := openTerminal(t)
	cmd := process(t, "data", "eval", "--spec", "sim.yml", "--repl")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	var seen strings.Builder
	buf := make([]byte, 1<<12)
	steps := []struct{ typed, wanted string }{
		{"", "pdi> "},
		{"rows = 40\r", "pdi> "},
		{"$row\t + 1\r", "41\r\n"},
		{"rounds = 7\r", "pdi> "},
		{"$ro\tun\t\r", "7\r\n"},                            // `ro` is the common beginning of two names
		{"$co\t\r", "the datum has no value: none was set"}, // the completed datum has no value
		{"\x1b[A\x1b[A\x1b[A\x1b[A\r", "41\r\n"},
		{"\x04", ""},
	}
	for _, step := range steps {
		from := seen.Len()
		if _, err := person.WriteString(step.typed); err != nil {
			t.Fatal(err)
		}
		for step.wanted == "" || !strings.Contains(seen.String()[from:], step.wanted) {
			n, err := person.Read(buf)
			seen.Write(buf[:n])
			if err != nil { // the program has closed its end
				if step.wanted != "" {
					t.Fatalf("typed %q, and it went: %q; want nothing", step.typed, seen.String()[from:])
				}
				break
			}
		}
	}
	if code := exitOf(t, cmd.Wait()); code != 0 {
		t.Errorf("exit %d: %q, want 0", code, seen.String())
	}
}
