package runs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/runs/record"
)

// lockOut keeps other runs from a folder of results until the function that it
// returns is called. shown is the folder as the user named it.
func lockOut(dir, shown string) (unlock func(), err error) {
	path := filepath.Join(dir, record.LockFile)
	for {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() { // what a link leads to would be written over
			return nil, fmt.Errorf("the results cannot be written to `%s`: `%s` in it is no file of a run; remove it", shown, record.LockFile)
		}
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, fmt.Errorf("the results cannot be written to `%s`: %w", shown, problem.Reason(err))
		}
		if err := lockFile(f); errors.Is(err, errHeld) {
			defer f.Close()
			return nil, &Misfit{fmt.Sprintf("another run writes its results to `%s`: %s", shown, holder(f)), "Results"}
		}
		if !sameFile(f, path) { // its run ended, and took it away
			f.Close()
			continue
		}
		host, _ := os.Hostname() // a machine without a name is none
		_ = f.Truncate(0)        // who holds it is for people
		_, _ = fmt.Fprintf(f, "process %d on %s, since %s\n", os.Getpid(), host, time.Now().Format(time.DateTime))
		return func() {
			_ = os.Remove(path) // before it is free for others
			f.Close()
		}, nil
	}
}

// holder is what a run says about itself in its lock.
func holder(f *os.File) string {
	text, err := io.ReadAll(io.LimitReader(f, 200))
	if err != nil || len(text) == 0 {
		return "it has just begun"
	}
	return problem.Clip(string(text[:len(text)-1]), 200)
}

// sameFile reports whether an open file is the one at a path.
func sameFile(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// errHeld is the error of a lock that another run has.
var errHeld = errors.New("another run holds it")
