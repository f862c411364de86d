package source

import (
	"os"
	"syscall"
)

// ofKernel reports whether a file has no contents of its own: the kernel makes
// them up as they are read, some without end.
func ofKernel(f *os.File) bool {
	var s syscall.Statfs_t
	if syscall.Fstatfs(int(f.Fd()), &s) != nil {
		return false
	}
	switch uint32(s.Type) {
	case 0x9fa0, 0x62656572, 0x64626720, 0x74726163: // proc, sysfs, debugfs, tracefs
		return true
	}
	return false
}
