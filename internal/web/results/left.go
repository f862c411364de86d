// Package results reads the results of runs for the page: pictures, texts, tables, datasets and traces.
//
//	record ──▶ left (only unchanged files) ──┬──▶ picture, table, datasets
//	                                         └──▶ traces ──▶ time lines
//
// The record of a run names its results. A result is opened only if it is unchanged since the run: no link in its path, the same
// size and time. Everything that a file can make large has a limit.
package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/record"
)

// MaxListed is the maximum number of results listed for a run.
const MaxListed = 2000

// Entry is a result in the list of a run.
type Entry struct {
	record.Result
	Shows  string `json:"shows,omitempty"` // picture, table, datasets or text; empty: only listed
	Series string `json:"series"`          // the same for files whose names differ only in a number
	Gone   string `json:"gone,omitempty"`  // why it is not shown; empty: it is unchanged
}

// Why a result is not shown.
var (
	errMissing = errors.New("is gone")
	errChanged = errors.New("was written again after the run")
	errLink    = errors.New("is a link, and links are not followed")
)

// List returns the first results of a run.
func List(r *record.Record) []Entry {
	list := []Entry{}
	root, err := os.OpenRoot(r.Out)
	if err == nil {
		defer root.Close()
	}
	for _, f := range r.Results[:min(len(r.Results), MaxListed)] {
		e := Entry{Result: f, Shows: ShowsAs(f.Path), Series: runs.Numberless(f.Path)}
		why := errMissing
		if root != nil {
			_, why = asLeft(root, f)
		}
		if why != nil {
			e.Gone = why.Error()
		}
		list = append(list, e)
	}
	return list
}

// Open opens a file that the record of a run names as a result, and no other.
func Open(rec *record.Record, path string) (*os.File, record.Result, error) {
	r, err := Named(rec, path)
	if err != nil {
		return nil, r, err
	}
	f, err := openAsLeft(rec.Out, r)
	if err != nil {
		return nil, r, notAsLeft(path, err)
	}
	return f, r, nil
}

// Named returns the result with a name.
func Named(rec *record.Record, path string) (record.Result, error) {
	r, ok := rec.Result(path)
	if !ok {
		return r, guard.NotFound("run `" + rec.ID + "` has no result `" + path + "`")
	}
	return r, nil
}

// asLeft finds a result below the folder of the results: a file without a link in its path, unchanged since the run.
func asLeft(root *os.Root, r record.Result) (fs.FileInfo, error) {
	name := filepath.FromSlash(r.Path)
	if !filepath.IsLocal(name) {
		return nil, errMissing // the record is damaged
	}
	if record.Linked(root, name) {
		return nil, errLink
	}
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, errMissing
	case !info.Mode().IsRegular() || info.Size() != r.Size || !info.ModTime().Equal(r.Time):
		return nil, errChanged
	}
	return info, nil
}

func openAsLeft(out string, r record.Result) (*os.File, error) {
	root, err := os.OpenRoot(out)
	if err != nil {
		return nil, errMissing
	}
	defer root.Close()
	info, err := asLeft(root, r)
	if err != nil {
		return nil, err
	}
	// If the file was replaced by a pipe, opening it must not wait for a writer.
	f, err := root.OpenFile(filepath.FromSlash(r.Path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		f.Close()
		return nil, errChanged // or a link replaced it
	}
	return f, nil
}

func notAsLeft(path string, why error) error {
	return guard.NotFound("the result `" + path + "` " + why.Error())
}

// maxVisited is the maximum number of files and folders visited by WrittenSoFar.
const maxVisited = 20_000

// WrittenSoFar returns the results of a live run so far: the files below the folder of its results that were written since it
// started. Its record lists them only when the run ends, with the process that wrote each.
func WrittenSoFar(r *record.Record) []record.Result {
	root, err := os.OpenRoot(r.Out)
	if err != nil {
		return nil
	}
	defer root.Close()
	var list []record.Result
	visited := 0
	// Unreadable files are left out: the run may be removing them. Links are not followed.
	_ = fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		if visited++; visited > maxVisited || len(list) == MaxListed {
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
