package declhdf5

import (
	"io/fs"
	"syscall"
)

// systems are the file systems of a network on which writes of several machines into one page get lost,
// by the number that the kernel has for them.
var systems = map[uint32]string{0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB"}

// systemOf is the name of such a file system that a file is on, or nothing.
func systemOf(path string) string {
	var s syscall.Statfs_t
	if syscall.Statfs(path, &s) != nil {
		return ""
	}
	return systems[uint32(s.Type)]
}

// inode is the number of a file in its file system, which is the same on all machines that share that; 0 where it
// is not known.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
