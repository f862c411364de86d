//go:build unix

package child

import (
	"net"
	"os"
	"syscall"
)

// socketPair makes two ends of a socket: one for this program, one for the
// child.
func socketPair() (ours net.Conn, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	file := os.NewFile(uintptr(fds[0]), "socket")
	ours, err = net.FileConn(file)
	file.Close()
	theirs = os.NewFile(uintptr(fds[1]), "socket")
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// A sender hands descriptors to a program that runs.
type sender struct{ conn net.Conn }

func (s *sender) send(files []*os.File) error {
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	_, _, err := s.conn.(*net.UnixConn).WriteMsgUnix([]byte{1}, syscall.UnixRights(fds...), nil)
	return err
}
