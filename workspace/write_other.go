//go:build !unix

package workspace

import (
	"io/fs"
	"os"
)

// lock closes the file: this system has no locks, and cannot replace an open file.
func lock(f *os.File) bool {
	f.Close()
	return true
}

func keepOwner(*os.File, fs.FileInfo) {}
