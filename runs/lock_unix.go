//go:build unix

package runs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks a file until it is closed. On a file system without locks, it returns no error.
func lockFile(f *os.File) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return errHeld
	}
	return nil
}
