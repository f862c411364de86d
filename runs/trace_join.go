package runs

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace/collect"
)

// programTraces are the folders of traces that the programs of a process have left
// below its results in this run.
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

// openProgramTrace reads the trace of a program as the JSON that traces are joined
// from, with times that count from zero, and its name. One that is cut off ends as such.
func openProgramTrace(dir string, zero time.Time) (string, io.ReadCloser) {
	program, where := regionNames(dir)
	out, in := io.Pipe()
	go func() {
		err := collect.Perfetto(in, filepath.Join(dir, "ctf"), zero.UnixNano(), func(address uint64) string { return where[address] })
		if err != nil {
			err = io.ErrUnexpectedEOF
		}
		in.CloseWithError(err)
	}()
	return program, out
}

// regionNames says whose trace it is, and where in its program the addresses are. A program
// that was killed has not written it, and is called like its folder.
func regionNames(dir string) (program string, names map[uint64]string) {
	names = map[uint64]string{}
	var file struct {
		Program string
		Regions []region
	}
	text, err := os.ReadFile(filepath.Join(dir, regionsFile))
	if err != nil || json.Unmarshal(text, &file) != nil {
		return filepath.Base(dir), names
	}
	for _, r := range file.Regions {
		if address, err := strconv.ParseUint(r.Address, 0, 64); err == nil && r.Function+r.File != "" {
			names[address] = pinsight.Where(debuginfo.Frame{Function: r.Function, File: r.File, Line: r.Line}, true)
		}
	}
	return filepath.Base(file.Program), names
}
