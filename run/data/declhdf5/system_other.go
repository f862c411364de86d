//go:build !linux

package declhdf5

import "io/fs"

func systemOf(string) string { return "" }

func inode(fs.FileInfo) uint64 { return 0 }
