package results

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/trace/recorded"
	"github.com/pentode-dev/pentode/runs/record"
)

// maxTrace is the size up to which the page summarizes a trace.
const maxTrace = 2 << 30

// Traces names the traces among the results of a run: the metadata file of each, or its trace.json. If a folder has both, the second was
// made from the first and does not count.
func Traces(r *record.Record) []string {
	list, made := []string{}, map[string]bool{}
	for _, f := range r.Results {
		if strings.HasSuffix("/"+f.Path, "/ctf/metadata") {
			list = append(list, f.Path)
			made[path.Dir(path.Dir(f.Path))] = true
		}
	}
	for _, f := range r.Results {
		if dir, name := path.Dir(f.Path), path.Base(f.Path); name == "trace.json" && !made[dir] {
			list = append(list, f.Path)
		}
	}
	return list
}

// UnreadableTrace returns the error for a damaged trace.
func UnreadableTrace(name string) error {
	return fmt.Errorf("the trace `%s` cannot be read to its end; `pentode trace report` shows why", name)
}

// OpenTrace opens a trace among the results of a run. All of its files must be unchanged results of that run.
func OpenTrace(r *record.Record, name string) (*recorded.Trace, error) {
	if !slices.Contains(Traces(r), name) {
		return nil, guard.NotFound("run `" + r.ID + "` has no trace `" + name + "`")
	}
	root, err := os.OpenRoot(r.Out)
	if err != nil {
		return nil, guard.NotFound("the trace `" + name + "` " + errMissing.Error())
	}
	defer root.Close()
	at := name
	if path.Base(name) == "metadata" {
		at = path.Dir(name)
	}
	if err := traceAsLeft(root, r, name, at); err != nil {
		return nil, err
	}
	t, err := recorded.Open(filepath.Join(r.Out, filepath.FromSlash(at)))
	if err != nil {
		return nil, UnreadableTrace(name)
	}
	return t, nil
}

// traceAsLeft refuses a trace with a file that has changed since the run: at is the file or the folder of the trace.
func traceAsLeft(root *os.Root, r *record.Record, name, at string) error {
	left := NewFiles(r).results
	size := int64(0)
	check := func(file string) error {
		f, ok := left[file]
		if !ok {
			return guard.NotFound("`" + file + "` of the trace `" + name + "` is not a result of the run")
		}
		info, err := asLeft(root, f)
		if err != nil {
			return guard.NotFound("`" + file + "` of the trace `" + name + "` " + err.Error())
		}
		if size += info.Size(); size > maxTrace {
			return fmt.Errorf("the trace `%s` has more than %d bytes, too many for the page; use `pentode trace report`", name, int64(maxTrace))
		}
		return nil
	}
	if err := check(name); err != nil || at == name {
		return err
	}
	if regions := path.Join(path.Dir(at), recorded.RegionsFile); exists(root, regions) {
		if err := check(regions); err != nil {
			return err
		}
	}
	return fs.WalkDir(root.FS(), at, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return guard.NotFound("the trace `" + name + "` " + errMissing.Error())
		}
		if e.IsDir() || file == name || strings.HasSuffix(file, seal.Ending) { // the seal of a file that cannot contain one is a separate file
			return nil
		}
		return check(file)
	})
}

func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(filepath.FromSlash(name))
	return err == nil
}
