package child

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// A memory is shared with a program. It has no name that another program could
// open, goes with its last user, and is sealed: a program that made it smaller
// would kill the pipeline at its next access.
type memory struct {
	bytes []byte
	file  *os.File // for the program; closed once that has it
}

// newMemory makes one of n bytes, which take room only where they are used.
// Of one that is only read, the program's descriptor lets it do no more.
func newMemory(n int, readOnly bool) (*memory, error) {
	fd, err := unix.MemfdCreate("pentode", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	m := &memory{file: os.NewFile(uintptr(fd), "shared memory")}
	if err := m.prepare(fd, n); err != nil {
		m.close()
		return nil, err
	}
	if !readOnly {
		return m, nil
	}
	theirs, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		m.close()
		return nil, err
	}
	m.file.Close()
	m.file = theirs
	return m, nil
}

func (m *memory) prepare(fd, n int) (err error) {
	if err = unix.Ftruncate(fd, int64(n)); err != nil {
		return err
	}
	if _, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		return err
	}
	m.bytes, err = unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return err
}

// handedOver closes the descriptor that the program has got.
func (m *memory) handedOver() {
	m.file.Close()
}

func (m *memory) close() {
	m.file.Close()
	if m.bytes != nil {
		unix.Munmap(m.bytes)
		m.bytes = nil
	}
}
