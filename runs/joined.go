package runs

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/run/trace/export"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// programTraces returns the folders of traces that the programs of a process have left below its results in this run.
func programTraces(results string, before map[string]fs.FileInfo) (list []string) {
	_ = filepath.WalkDir(results, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return nil // a process that wrote nothing has no folder
		}
		description := filepath.Join(path, "ctf", "metadata")
		if info, err := os.Stat(description); err == nil {
			if !unchanged(before[description], info) {
				list = append(list, path)
			}
			return fs.SkipDir
		}
		return nil
	})
	return list
}

// openProgramTrace reads the trace of a program as JSON for joining, with times that count from zero, and its name. A truncated trace ends with an
// error. A program that was killed has not written its name; its trace is named after its folder.
func openProgramTrace(dir string, zero time.Time) (string, io.ReadCloser) {
	out, in := io.Pipe()
	t, err := recorded.Open(dir)
	if err != nil {
		in.CloseWithError(io.ErrUnexpectedEOF)
		return filepath.Base(dir), out
	}
	go func() {
		err := export.Perfetto(in, t, zero.UnixNano())
		if err != nil {
			err = io.ErrUnexpectedEOF
		}
		in.CloseWithError(err)
	}()
	if program := t.Program(); program != "" {
		return program, out
	}
	return filepath.Base(dir), out
}
