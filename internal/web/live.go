package web

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/runs/record"
)

// maxVisited is how many files and folders are looked at for what a run has written so far.
const maxVisited = 20_000

// writtenSoFar is what a run that goes on has left until now: the files below the folder of its results that were written since it
// began. Its record gets them when it ends, with what has written each.
func writtenSoFar(r *record.Record) []record.Result {
	root, err := os.OpenRoot(r.Out)
	if err != nil {
		return nil
	}
	defer root.Close()
	var list []record.Result
	visited := 0
	// What cannot be looked at is left out: the run may be removing it. Links are not followed.
	_ = fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		if visited++; visited > maxVisited || len(list) == maxResults {
			return fs.SkipAll
		}
		switch {
		case err != nil:
			return nil
		case e.IsDir() && path != "." && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		if info, err := e.Info(); err == nil && !info.ModTime().Before(r.Started) {
			list = append(list, record.Result{Path: filepath.ToSlash(path), Size: info.Size(), Time: info.ModTime()})
		}
		return nil
	})
	return list
}
