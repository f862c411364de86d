package declhdf5

import (
	"io/fs"
	"syscall"
)

// systems are the network file systems on which writes of several machines to one page can be lost, by their
// number in the kernel.
var systems = map[uint32]string{0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB"}

// systemOf returns the name of such a file system if a file is on one, else "".
func systemOf(path string) string {
	var s syscall.Statfs_t
	if syscall.Statfs(path, &s) != nil {
		return ""
	}
	return systems[uint32(s.Type)]
}

// inode returns the number of a file in its file system, which all machines that share the file system agree on.
// It returns 0 if the number is unknown.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
