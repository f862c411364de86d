package handoff

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// A Memory is memory that two processes share. It has no name by which another program
// could open it, and it is freed when neither process uses it any more. Neither process
// can shrink it, because the other one would crash at its next access.
type Memory struct {
	Bytes []byte
	File  *os.File // the descriptor to send to the other process; closed by HandedOver
}

// NewMemory makes a shared memory of n bytes. A page takes physical memory only when it
// is written. If readOnly is set, the other process can only read the memory.
func NewMemory(n int, readOnly bool) (*Memory, error) {
	fd, err := unix.MemfdCreate("pentode", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	m := &Memory{File: os.NewFile(uintptr(fd), "shared memory")}
	if err := m.prepare(fd, n); err != nil {
		m.Close()
		return nil, err
	}
	if !readOnly {
		return m, nil
	}
	theirs, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		m.Close()
		return nil, err
	}
	m.File.Close()
	m.File = theirs
	return m, nil
}

func (m *Memory) prepare(fd, n int) (err error) {
	if err = unix.Ftruncate(fd, int64(n)); err != nil {
		return err
	}
	if _, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		return err
	}
	m.Bytes, err = unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return err
}

// OpenMemory maps n bytes of memory that another process has made. It closes the
// descriptor.
func OpenMemory(fd, n int) (*Memory, error) {
	file := os.NewFile(uintptr(fd), "shared memory")
	defer file.Close()
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil, err
	}
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	switch {
	case err != nil || seals&unix.F_SEAL_SHRINK == 0:
		return nil, errors.New("the process that made the memory could still shrink it")
	case stat.Size != int64(n):
		return nil, fmt.Errorf("the memory has %d bytes, but %d were agreed", stat.Size, n)
	}
	m := &Memory{File: file}
	m.Bytes, err = unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return m, err
}

// HandedOver closes the descriptor of the memory. It is called after the other process
// has received its copy.
func (m *Memory) HandedOver() { m.File.Close() }

// Close unmaps the memory. Bytes must not be used after that.
func (m *Memory) Close() {
	m.File.Close()
	if m.Bytes != nil {
		unix.Munmap(m.Bytes)
		m.Bytes = nil
	}
}
