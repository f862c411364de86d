package hdf5

import (
	"errors"
	"os"
	"strings"
)

// errNoLocks is the error of a file system that has no locks.
var errNoLocks = errors.New("the file system has no locks; HDF5_USE_FILE_LOCKING=BEST_EFFORT does without")

// lock locks a file as HDF5's own library does, so that it and this package keep
// each other out: for one that writes, or for any number that read. The lock
// ends when the file is closed. The variable HDF5_USE_FILE_LOCKING has the
// library's meaning; where it is not set, a file system may be without locks.
func lock(f *os.File, write bool) error {
	mode := strings.ToUpper(os.Getenv("HDF5_USE_FILE_LOCKING"))
	if mode == "FALSE" || mode == "0" {
		return nil
	}
	err := flock(f, write)
	if errors.Is(err, errNoLocks) && mode != "TRUE" && mode != "1" {
		return nil
	}
	return err
}
