package disk

import (
	"errors"
	"io"
	"math"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// remote are the file systems that several machines can write to. On them both kinds of locks are the same, and the
// system cannot tell who has a file open.
var remote = []int64{unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC, lustre, gpfs}

const lustre, gpfs = 0x0bd00bd0, 0x47504653

func isRemote(f *os.File) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(int(f.Fd()), &st) != nil || slices.Contains(remote, int64(uint32(st.Type)))
}

// lockWriter locks a byte far after the end of every file. On a file system of several machines, that would exclude
// readers, so writers are not excluded there.
func lockWriter(f *os.File) error {
	if isRemote(f) {
		return nil
	}
	err := setByteLock(f, unix.F_WRLCK)
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
		return ErrLocked
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOLCK):
		return errNoLocks
	}
	return err
}

func unlockWriter(f *os.File) error { return setByteLock(f, unix.F_UNLCK) }

func setByteLock(f *os.File, kind int16) error {
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: math.MaxInt64 - 1, Len: 1})
}

// openHereOnly reports whether no other program has the file open, and whether that is known. The system grants a
// write lease only if no other process has the file open. A process that opens the file at that moment waits until the
// lease is returned, and does not fail. The system would inform the owner of the lease with a signal; the signal
// chosen here is ignored unless a program asks for it.
func openHereOnly(f *os.File) (only, known bool) {
	if isRemote(f) {
		return false, false
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETSIG, int(unix.SIGURG)); err != nil {
		return false, false
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		return false, errors.Is(err, unix.EAGAIN)
	}
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	return err == nil, err == nil
}
