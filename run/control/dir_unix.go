//go:build unix

package control

import (
	"io/fs"
	"os"
	"syscall"
)

// onlyOurs reports whether no other user owns or writes to a folder.
func onlyOurs(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return info.Mode().Perm()&0o022 == 0 && (!ok || int(owner.Uid) == os.Getuid())
}
