//go:build unix

package state

import (
	"io/fs"
	"os"
	"syscall"
)

const sigContinue = syscall.SIGCONT

func kill(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }

// onlyOurs says whether nobody else owns or writes to a folder.
func onlyOurs(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return info.Mode().Perm()&0o022 == 0 && (!ok || int(owner.Uid) == os.Getuid())
}
