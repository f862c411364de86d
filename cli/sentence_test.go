package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/workspace"
)

// TestSentence: errors of Go's packages are reworded for users, and the text around them is kept.
func TestSentence(t *testing.T) {
	dir := t.TempDir()
	file, missing := filepath.Join(dir, "file"), filepath.Join(dir, "none", "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, opened := os.Open(missing)
	_, listened := net.Listen("tcp", "192.0.2.1:80")
	_, number := strconv.Atoi("many")
	for want, err := range map[string]error{
		"`" + missing + "` cannot be opened: no such file or directory":                   opened,
		"the trace: `" + missing + "` cannot be opened: no such file or directory":        fmt.Errorf("the trace: %w", opened),
		"`" + file + "/sub` cannot be made: not a directory":                              os.Mkdir(file+"/sub", 0o700),
		"`" + missing + "` cannot become `" + file + "`: no such file or directory":       os.Rename(missing, file),
		"`192.0.2.1:80` cannot be listened on: cannot assign requested address":           listened,
		"program `no-such-program` cannot be started: executable file not found in $PATH": exec.Command("no-such-program").Run(),
		"`many` is out of range, or not a number":                                         number,
		"invalid JSON at byte 1": json.Unmarshal([]byte("x"), new(int)),
		"the JSON has a string at byte 3, but another type is expected there": json.Unmarshal([]byte(`"x"`), new(int)),
		"`/dev/stdout` cannot be written: no space left on device":            &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC},
		"an error of ours": errors.New("an error of ours"),
	} {
		if err == nil {
			t.Errorf("there is no error for `%s`", want)
		} else if got := sentence(err); got != want {
			t.Errorf("%v\nis said as\n%s\nwant\n%s", err, got, want)
		}
	}
}

// TestCodeOf: every error has one exit code.
func TestCodeOf(t *testing.T) {
	interrupt, cancel := context.WithCancelCause(t.Context())
	cancel(exitBy(syscall.SIGTERM))
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {errors.New("no such flag"), 2}, {exitCode(7), 7}, {failure{errors.New("no")}, 1}, {fmt.Errorf("it: %w", failure{errors.New("no")}), 1},
		{&fs.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}, 1}, {&fs.PathError{Op: "open", Path: "a", Err: syscall.EACCES}, 1},
		{&fs.PathError{Op: "open", Path: "a/b", Err: syscall.ENOENT}, 2}, {&workspace.Unwritten{Path: "a", Err: errors.New("it is marked read-only")}, 1},
		{interrupted(interrupt, errors.New("given up")), 143}, {interrupted(t.Context(), errors.New("wrong")), 2}, {exitBy(os.Interrupt), 130}, {exitBy(syscall.SIGHUP), 129},
	} {
		if got := codeOf(c.err); got != c.want {
			t.Errorf("%v ends with %d, want %d", c.err, got, c.want)
		}
	}
}
