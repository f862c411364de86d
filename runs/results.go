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

// Made is files of one folder that differ only in a number.
type Made struct {
	First, Last string // as seen from the folder of the results
	Count       int
	Bytes       int64
}

// unchanged reports whether a file is as it was before; nil: it was not there.
func unchanged(before, now fs.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// madeSince lists what a run has written below a folder. What was there before is
// not its own. The names of what it lists are on the disk.
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
		// The list is by name, and 100 comes before 99.
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
		m.First, _ = filepath.Rel(dir, m.First) // both are absolute, or neither is
		m.Last, _ = filepath.Rel(dir, m.Last)
		made[i] = *m
	}
	return made
}

// Numberless is a path with the digits of its name taken out: files of a series have the same one.
func Numberless(path string) string {
	dir, name := filepath.Split(path)
	return dir + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, name)
}
