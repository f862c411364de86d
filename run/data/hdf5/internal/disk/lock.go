package disk

import (
	"errors"
	"os"
	"strings"
)

// errNoLocks is the error of a file system without locks.
var errNoLocks = errors.New("the file system has no locks; HDF5_USE_FILE_LOCKING=BEST_EFFORT works without them")

// lock locks a file. Both readers and writers take the read lock of HDF5's own library. It
// excludes programs that write the file with that library, because readers could see their
// incomplete changes; it excludes no readers. A writer takes a second lock, unknown to that
// library, which excludes other writers of this package.
//
// unlock releases both. The variable HDF5_USE_FILE_LOCKING has the same meaning as for the
// library; if it is not set, a file system without locks is accepted.
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

// unlock releases the locks of a file that is about to be closed. Closing alone does not
// release them if a child process has the file open too, as between fork and exec.
func unlock(f *os.File) {
	_ = unlockShared(f)
	_ = unlockWriter(f)
}
