package disk

import (
	"errors"
	"os"
	"strings"
)

// errNoLocks is the error of a file system that has no locks.
var errNoLocks = errors.New("the file system has no locks; HDF5_USE_FILE_LOCKING=BEST_EFFORT does without")

// lock locks a file. Readers and writers alike take the lock of HDF5's own library
// for reading: it keeps out programs that change the file in that library's way, where
// readers could meet half a change, and no reader of any kind. A writer takes a second
// lock, which that library does not know, and which keeps out other writers of this package.
//
// unlock ends both. The variable HDF5_USE_FILE_LOCKING has the
// library's meaning; where it is not set, a file system may be without locks.
func lock(f *os.File, write bool) error {
	mode := strings.ToUpper(os.Getenv("HDF5_USE_FILE_LOCKING"))
	if mode == "FALSE" || mode == "0" {
		return nil
	}
	err := lockShared(f)
	if err == nil && write {
		err = lockWriter(f)
	}
	if errors.Is(err, errNoLocks) && mode != "TRUE" && mode != "1" {
		return nil
	}
	return err
}

// unlock ends the locks of a file that is about to be closed. Closing alone does not end
// them where a child process has the file too, as between fork and exec.
func unlock(f *os.File) {
	_ = unlockShared(f)
	_ = unlockWriter(f)
}
