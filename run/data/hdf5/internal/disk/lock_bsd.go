//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package disk

import (
	"os"
	"syscall"
)

// lockWriter keeps readers out too: there is one kind of lock.
func lockWriter(f *os.File) error { return flock(f, syscall.LOCK_EX) }

func unlockWriter(*os.File) error { return nil } // it is the same lock

// openHereOnly reports whether no other program has the file open: that is not known.
func openHereOnly(*os.File) (only, known bool) { return false, false }
