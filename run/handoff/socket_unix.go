//go:build unix

package handoff

import (
	"io"
	"net"
	"os"
	"syscall"
)

// SocketPair returns a connected pair of sockets: one end for this program, one for a
// program that it starts.
func SocketPair() (ours *net.UnixConn, theirs *os.File, err error) {
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
	theirs = os.NewFile(uintptr(fds[1]), "socket")
	if ours, err = FileConn(os.NewFile(uintptr(fds[0]), "socket")); err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// FileConn returns a connection for the socket in a file, and closes the file.
func FileConn(f *os.File) (*net.UnixConn, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		c.Close()
		return nil, syscall.ENOTSOCK
	}
	return u, nil
}

// SendFiles writes bytes to a socket. The descriptors of the files are sent together with
// the first byte.
func SendFiles(c *net.UnixConn, b []byte, files ...*os.File) error {
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	return send(c, b, syscall.UnixRights(fds...))
}

// send writes all bytes. If the other side is gone, it returns an error and prevents the
// signal SIGPIPE, which could kill the program.
func send(c *net.UnixConn, b, rights []byte) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	for len(b) > 0 {
		var n int
		var failed error
		err := raw.Write(func(fd uintptr) bool {
			n, failed = syscall.SendmsgN(int(fd), b, rights, nil, noSignal)
			return failed != syscall.EAGAIN
		})
		if err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
		b, rights = b[n:], nil
	}
	return nil
}

// receive fills b and returns the descriptors that were sent with its first bytes. It
// returns at most as many as wanted and closes the others.
func receive(c *net.UnixConn, b []byte, wanted int) (fds []int, err error) {
	rights := make([]byte, syscall.CmsgSpace(4*16))
	n, count, _, _, err := c.ReadMsgUnix(b, rights)
	if err != nil {
		return nil, Torn(err)
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:count])
	if err != nil {
		return nil, err
	}
	for i := range messages {
		got, err := syscall.ParseUnixRights(&messages[i])
		if err == nil {
			fds = append(fds, got...)
		}
	}
	for i, fd := range fds {
		if syscall.CloseOnExec(fd); i >= wanted {
			syscall.Close(fd)
		}
	}
	fds = fds[:min(len(fds), wanted)]
	if _, err = io.ReadFull(c, b[n:]); err != nil {
		err = Torn(err)
	}
	return fds, err
}

// closeAll closes descriptors.
func closeAll(fds []int) {
	for _, fd := range fds {
		syscall.Close(fd)
	}
}
