package source

import (
	"os"
	"syscall"
)

// ofKernel reports whether the kernel generates the contents of a file when
// they are read. Some of these have no end.
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
