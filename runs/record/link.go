package record

import (
	"io/fs"
	"os"
)

// Linked reports whether a file below a folder is a link, or a part of its path is.
func Linked(root *os.Root, name string) bool {
	for i := 1; i <= len(name); i++ {
		if i < len(name) && !os.IsPathSeparator(name[i]) {
			continue
		}
		if info, err := root.Lstat(name[:i]); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}
