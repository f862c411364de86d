package results

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/trace/recorded"
	"github.com/pentode-dev/pentode/runs/record"
)

// Files are the results of a run as a file system. It contains only files that the record names and that are unchanged since
// the run, and no other file of their folders.
type Files struct {
	out     string
	results map[string]record.Result
	folders map[string][]fs.DirEntry
}

// NewFiles returns the results of a run as a file system.
func NewFiles(rec *record.Record) *Files {
	l := &Files{out: rec.Out, results: map[string]record.Result{}, folders: map[string][]fs.DirEntry{".": nil}}
	for _, r := range rec.Results {
		if !fs.ValidPath(r.Path) || r.Path == "." {
			continue // the record is damaged
		}
		l.results[r.Path] = r
		var entry fs.DirEntry = leftEntry{path.Base(r.Path), r.Size, r.Time, 0}
		for dir := path.Dir(r.Path); ; dir = path.Dir(dir) {
			_, known := l.folders[dir]
			l.folders[dir] = append(l.folders[dir], entry)
			if known || dir == "." {
				break
			}
			entry = leftEntry{path.Base(dir), 0, time.Time{}, fs.ModeDir}
		}
	}
	return l
}

// trace returns the files of a trace: all files below a folder with streams, and the files that give source positions; or the
// trace of a pipeline.
func (l *Files) trace(name string) (parts []string, ok bool) {
	if _, is := l.results[name]; is {
		return []string{name}, path.Ext(name) == path.Ext(recorded.TimelineFile)
	}
	for p := range l.results {
		if name != "." && !strings.HasPrefix(p, name+"/") {
			continue
		}
		parts = append(parts, p)
		ok = ok || path.Base(p) == "metadata"
	}
	if regions := path.Join(path.Dir(name), recorded.RegionsFile); ok && name != "." && l.results[regions].Path != "" {
		parts = append(parts, regions)
	}
	slices.Sort(parts)
	return parts, ok
}

// check refuses results that have changed since the run.
func (l *Files) check(parts []string) error {
	root, err := os.OpenRoot(l.out)
	if err != nil {
		return notAsLeft(parts[0], errMissing)
	}
	defer root.Close()
	for _, name := range parts {
		if _, err := asLeft(root, l.results[name]); err != nil {
			return notAsLeft(name, err)
		}
	}
	return nil
}

// key returns the name of the index of some results. It changes when any of them changes.
func (l *Files) key(parts []string) string {
	sum := sha256.New()
	for _, p := range parts {
		r := l.results[p]
		fmt.Fprintf(sum, "%q %d %d\n", p, r.Size, r.Time.UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (l *Files) Open(name string) (fs.File, error) {
	r, ok := l.results[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return openAsLeft(l.out, r)
}

func (l *Files) ReadDir(name string) ([]fs.DirEntry, error) {
	list, ok := l.folders[name]
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

func (l *Files) Stat(name string) (fs.FileInfo, error) {
	if r, ok := l.results[name]; ok {
		return leftEntry{path.Base(name), r.Size, r.Time, 0}, nil
	}
	if _, ok := l.folders[name]; ok {
		return leftEntry{path.Base(name), 0, time.Time{}, fs.ModeDir}, nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// leftEntry is a file or a folder of Files.
type leftEntry struct {
	name string
	size int64
	time time.Time
	mode fs.FileMode
}

func (e leftEntry) Name() string               { return e.name }
func (e leftEntry) Size() int64                { return e.size }
func (e leftEntry) Mode() fs.FileMode          { return e.mode }
func (e leftEntry) Type() fs.FileMode          { return e.mode }
func (e leftEntry) ModTime() time.Time         { return e.time }
func (e leftEntry) IsDir() bool                { return e.mode.IsDir() }
func (e leftEntry) Sys() any                   { return nil }
func (e leftEntry) Info() (fs.FileInfo, error) { return e, nil }
