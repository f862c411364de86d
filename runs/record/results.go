package record

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
)

// Result is a file that a run has written.
type Result struct {
	Path    string    `json:"path"`           // from Out
	Size    int64     `json:"size"`           // with its seal
	Hash    string    `json:"hash,omitempty"` // SHA-256 of all but its seal; empty: it is too large to be read for one, or Found
	Time    time.Time `json:"time"`
	Process string    `json:"process,omitempty"` // that wrote it, as in `heat.pipe/pictures`
	Edge    string    `json:"edge,omitempty"`    // by which its data came there, as in `paint.image`; empty: by several
	Found   bool      `json:"found,omitempty"`   // the run was killed, and it was there: it may be half a result
}

// Writes is what a run may write, by which its results are found.
type Writes struct {
	All bool     `json:"all,omitempty"` // whatever is new below Out; else what has the name of a result
	By  []Writer `json:"by,omitempty"`
}

// Writer is who writes files of a name.
type Writer struct {
	Pattern string `json:"pattern"` // from Out, as filepath.Match takes it
	Process string `json:"process,omitempty"`
	Edge    string `json:"edge,omitempty"`
}

// LockFile is the file that a run locks in the folder of its results. It says whose run it is, and is gone when the run is
// over.
const LockFile = ".pentode.lock"

// FilesBelow are the files of a folder and the folders in it, by path, but for seals and the lock.
func FilesBelow(dir string) map[string]fs.FileInfo {
	files := map[string]fs.FileInfo{}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == LockFile || strings.HasSuffix(e.Name(), seal.Ending) {
			return nil // a folder that was not made has no files
		}
		if info, err := e.Info(); err == nil {
			files[path] = info
		}
		return nil
	})
	return files
}

// FindResults lists what the run has written: of what it may write, what is new. The hash of a file is the one that was taken while
// it was written; hash is asked for that of any other.
func (r *Record) FindResults(notes map[string]outfile.Note, isNew func(path string, info fs.FileInfo) bool, hash func(path string, info fs.FileInfo) string) {
	files := map[string]fs.FileInfo{}
	if r.Writes.All {
		files = FilesBelow(r.Out)
	} else {
		for _, w := range r.Writes.By {
			list, _ := filepath.Glob(filepath.Join(Globbed(r.Out), w.Pattern)) // the pattern is our own
			for _, path := range list {
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !strings.HasSuffix(path, seal.Ending) {
					files[path] = info
				}
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		info := files[path]
		name, err := filepath.Rel(r.Out, path)
		if err != nil || !isNew(path, info) {
			continue
		}
		f := Result{Path: filepath.ToSlash(name), Size: info.Size(), Time: info.ModTime()}
		if note := notes[path]; note.Of(info) {
			f.Hash = note.Hash
		} else if info.Mode().IsRegular() {
			f.Hash = hash(path, info)
		}
		name = strings.TrimSuffix(name, outfile.Suffix) // half a result has the same writer
		if i := slices.IndexFunc(r.Writes.By, func(w Writer) bool { ok, _ := filepath.Match(w.Pattern, name); return ok }); i >= 0 {
			f.Process, f.Edge = r.Writes.By[i].Process, r.Writes.By[i].Edge
		}
		r.Results = append(r.Results, f)
	}
}

// Since reports whether a file was written after the run began. Some systems have times to the second.
func (r *Record) Since(_ string, info fs.FileInfo) bool {
	return !info.ModTime().Before(r.Started.Truncate(time.Second))
}

// Globbed is a text that stands for itself in a pattern of filepath.Match.
func Globbed(text string) string {
	if os.PathSeparator == '\\' {
		return text // there is no way to say it
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}
