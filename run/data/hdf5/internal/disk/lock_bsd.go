//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package disk

import (
	"os"
	"syscall"
)

// lockWriter excludes readers too, because there is only one kind of lock.
func lockWriter(f *os.File) error { return flock(f, syscall.LOCK_EX) }

func unlockWriter(*os.File) error { return nil } // it is the same lock

// openHereOnly would report whether no other program has the file open, but the system
// cannot tell.
func openHereOnly(*os.File) (only, known bool) { return false, false }
