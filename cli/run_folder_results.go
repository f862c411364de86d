package cli

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/outfile"
)

// made is files of one folder that differ only in a number.
type made struct {
	first, last string
	count       int
	bytes       int64
}

// filesBelow are the files of a folder and the folders in it, by path.
func filesBelow(dir string) map[string]fs.FileInfo {
	files := map[string]fs.FileInfo{}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == lockName {
			return nil // a folder that was not made has no files
		}
		if info, err := e.Info(); err == nil {
			files[path] = info
		}
		return nil
	})
	return files
}

// unchanged reports whether a file is as it was before; nil: it was not there.
func unchanged(before, now fs.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// results lists what a run has written below a folder, which is shown by
// another name. What was there before is not its own. The names of what it
// lists are on the disk.
func (a *app) results(dir, shown string, before map[string]fs.FileInfo) {
	var list []*made
	byName := map[string]*made{}
	folders := map[string]bool{}
	files := filesBelow(dir)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		info := files[path]
		if unchanged(before[path], info) {
			continue
		}
		folders[filepath.Dir(path)] = true
		name := numberless(path)
		m := byName[name]
		if m == nil {
			m = &made{first: path}
			byName[name] = m
			list = append(list, m)
		}
		m.count, m.bytes = m.count+1, m.bytes+info.Size()
		// The list is by name, and 100 comes before 99.
		if len(path) < len(m.first) {
			m.first = path
		}
		if len(path) >= len(m.last) {
			m.last = path
		}
	}
	for folder := range folders {
		outfile.SyncFolder(folder)
	}
	if len(list) == 0 {
		fmt.Fprintf(a.err, "nothing was written to %s\n", shown)
		return
	}
	fmt.Fprintf(a.err, "\nresults in %s:\n", shown)
	for _, m := range list {
		name, _ := filepath.Rel(dir, m.first)
		if m.count > 1 {
			name += " … " + filepath.Base(m.last)
		}
		line := fmt.Sprintf("  %-44s %9s", name, byteCount(m.bytes))
		if m.count > 1 {
			line += fmt.Sprintf("  %d files", m.count)
		}
		fmt.Fprintln(a.err, line)
	}
}

// numberless is a name with its digits taken out.
func numberless(path string) string {
	dir, name := filepath.Split(path)
	return dir + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, name)
}

func byteCount(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
