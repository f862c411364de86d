//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package disk

import "os"

func lockShared(*os.File) error { return errNoLocks }

func lockWriter(*os.File) error { return errNoLocks }

func unlockShared(*os.File) error { return nil }

func unlockWriter(*os.File) error { return nil }

func openHereOnly(*os.File) (only, known bool) { return false, false }
