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

// lockOut keeps other runs from using a folder of results until the returned function is called. shown is the folder as the user named it.
func lockOut(dir, shown string) (unlock func(), err error) {
	path := filepath.Join(dir, record.LockFile)
	for {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() { // writing through a link would change another file
			return nil, fmt.Errorf("the results cannot be written to `%s`: `%s` in it does not belong to a run; remove it", shown, record.LockFile)
		}
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, fmt.Errorf("the results cannot be written to `%s`: %w", shown, problem.Reason(err))
		}
		if err := lockFile(f); errors.Is(err, errHeld) {
			defer f.Close()
			return nil, &Misfit{fmt.Sprintf("another run writes its results to `%s`: %s", shown, holder(f)), "Results"}
		}
		if !sameFile(f, path) { // the run that held it ended and removed the file
			f.Close()
			continue
		}
		host, _ := os.Hostname() // the name may be empty
		_ = f.Truncate(0)        // the text about the holder is only for people
		_, _ = fmt.Fprintf(f, "process %d on %s, since %s\n", os.Getpid(), host, time.Now().Format(time.DateTime))
		return func() {
			_ = os.Remove(path) // remove it before other runs can lock it
			f.Close()
		}, nil
	}
}

// holder returns what a run has written about itself into its lock.
func holder(f *os.File) string {
	text, err := io.ReadAll(io.LimitReader(f, 200))
	if err != nil || len(text) == 0 {
		return "it has just begun"
	}
	return problem.Clip(string(text[:len(text)-1]), 200)
}

// sameFile reports whether an open file is the file at a path.
func sameFile(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// errHeld is returned for a lock that another run holds.
var errHeld = errors.New("another run holds it")
