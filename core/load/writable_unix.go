//go:build unix

package load

import "syscall"

// writable reports whether the user of this process can create files in a
// folder.
func writable(folder string) bool {
	const write = 2
	err := syscall.Access(folder, write)
	return err != syscall.EACCES && err != syscall.EROFS && err != syscall.EPERM
}
