package runs

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/runs/record"
)

// Made is a series of files in one folder whose names differ only in a number.
type Made struct {
	First, Last string // relative to the folder of the results
	Count       int
	Bytes       int64
}

// unchanged reports whether a file is the same as before; before is nil if it did not exist.
func unchanged(before, now fs.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// madeSince lists the files that a run has written below a folder, without the files that were there before. It returns names of files that exist.
func madeSince(dir string, before map[string]fs.FileInfo) []Made {
	var list []*Made
	byName := map[string]*Made{}
	folders := map[string]bool{}
	files := record.FilesBelow(dir)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		info := files[path]
		if unchanged(before[path], info) {
			continue
		}
		folders[filepath.Dir(path)] = true
		name := Numberless(path)
		m := byName[name]
		if m == nil {
			m = &Made{First: path}
			byName[name] = m
			list = append(list, m)
		}
		m.Count, m.Bytes = m.Count+1, m.Bytes+info.Size()
		// The list is sorted by name, in which 100 comes before 99.
		if len(path) < len(m.First) {
			m.First = path
		}
		if len(path) >= len(m.Last) {
			m.Last = path
		}
	}
	for folder := range folders {
		outfile.SyncFolder(folder)
	}
	made := make([]Made, len(list))
	for i, m := range list {
		m.First, _ = filepath.Rel(dir, m.First) // both are absolute, or neither
		m.Last, _ = filepath.Rel(dir, m.Last)
		made[i] = *m
	}
	return made
}

// Numberless returns a path without the digits in its name: it is the same for all files of a series.
func Numberless(path string) string {
	dir, name := filepath.Split(path)
	return dir + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, name)
}
