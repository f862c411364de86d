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
	Path    string    `json:"path"`           // relative to Out
	Size    int64     `json:"size"`           // including its seal
	Hash    string    `json:"hash,omitempty"` // SHA-256 without its seal; empty: the file is too large, or Found
	Time    time.Time `json:"time"`
	Process string    `json:"process,omitempty"` // the process that wrote it, such as `heat.pipe/pictures`
	Edge    string    `json:"edge,omitempty"`    // the edge through which its data came, such as `paint.image`; empty: several
	Found   bool      `json:"found,omitempty"`   // found after the run was killed: it may be incomplete
}

// Writes describes the files that a run may write, so that its results can be found.
type Writes struct {
	All bool     `json:"all,omitempty"` // every new file below Out; otherwise only files with the name of a result
	By  []Writer `json:"by,omitempty"`
}

// Writer is the process that writes the files with a name.
type Writer struct {
	Pattern string `json:"pattern"` // relative to Out, for filepath.Match
	Process string `json:"process,omitempty"`
	Edge    string `json:"edge,omitempty"`
}

// LockFile is the file that a run locks in the folder of its results. It names the run that holds it, and is removed when the run is over.
const LockFile = ".pentode.lock"

// FilesBelow returns the files of a folder and its subfolders by path, without seals and the lock.
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

// FindResults lists the files that the run has written: the new files among those that it may write. If a file was hashed while it was written, that
// hash is used; for other files, hash computes it.
func (r *Record) FindResults(notes map[string]outfile.Note, isNew func(path string, info fs.FileInfo) bool, hash func(path string, info fs.FileInfo) string) {
	files := map[string]fs.FileInfo{}
	if r.Writes.All {
		files = FilesBelow(r.Out)
	} else {
		for _, w := range r.Writes.By {
			list, _ := filepath.Glob(filepath.Join(Globbed(r.Out), w.Pattern)) // the pattern is ours, so it is valid
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
		name = strings.TrimSuffix(name, outfile.Suffix) // an incomplete result has the same writer
		if i := slices.IndexFunc(r.Writes.By, func(w Writer) bool { ok, _ := filepath.Match(w.Pattern, name); return ok }); i >= 0 {
			f.Process, f.Edge = r.Writes.By[i].Process, r.Writes.By[i].Edge
		}
		r.Results = append(r.Results, f)
	}
}

// Since reports whether a file was written after the run began. Some systems store times only to the second.
func (r *Record) Since(_ string, info fs.FileInfo) bool {
	return !info.ModTime().Before(r.Started.Truncate(time.Second))
}

// Globbed quotes a text, so that filepath.Match reads it literally.
func Globbed(text string) string {
	if os.PathSeparator == '\\' {
		return text // patterns cannot be quoted on Windows
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}
