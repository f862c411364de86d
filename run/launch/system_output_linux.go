package launch

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// output is our end of the pipe that a process writes to.
type output struct {
	file  *os.File
	ended sync.Once
	left  int // how much may still be read, once it is drained; 0: it is not
}

// mostPiped is what a pipe holds at most, unless an administrator allows more.
const mostPiped = 1 << 20

// drain lets reading end behind what the pipe holds, even if somebody still has its other end.
func (o *output) drain() {
	o.ended.Do(func() { o.file.SetReadDeadline(time.Unix(1, 0)) })
}

func (o *output) Read(b []byte) (int, error) {
	if o.left > 0 {
		return o.rest(b)
	}
	n, err := o.file.Read(b)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	o.left = mostPiped
	o.file.SetReadDeadline(time.Time{})
	return o.rest(b)
}

// rest reads without waiting.
func (o *output) rest(b []byte) (n int, err error) {
	conn, err := o.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = conn.Read(func(fd uintptr) bool {
		for failed = unix.EINTR; failed == unix.EINTR; {
			n, failed = unix.Read(int(fd), b[:min(len(b), o.left)])
		}
		return true
	})
	if err != nil || failed != nil || n == 0 { // of a pipe that is empty, EAGAIN
		return 0, io.EOF
	}
	if o.left -= n; o.left == 0 {
		return n, io.EOF
	}
	return n, nil
}
