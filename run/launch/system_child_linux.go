package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
	"golang.org/x/sys/unix"
)

// child is a process of this machine that we started or adopted.
type child struct {
	sys     *system
	pid     int
	ours    bool         // we are its parent, so we can collect its exit status
	pidfd   *os.File     // readable when it has ended; nil on old kernels
	rssKB   int64        // the memory of this program when it forked
	peakKB  atomic.Int64 // the largest value measured so far
	out     [2]*output
	stdin   *os.File // the lifeline, or nil
	mu      sync.Mutex
	reaped  bool
	emptied bool // the group is empty: its number may be reused
}

// start runs a command as the leader of its own session, so that no terminal signal reaches it and its group can be signalled as a whole. If this
// program dies, the system sends it SIGTERM.
func (s *system) start(c Command) (Proc, error) {
	file, err := c.find()
	if err != nil {
		return nil, err
	}
	p := &child{sys: s, ours: true, rssKB: ownPeakKB()}
	var theirs []int
	defer func() {
		for _, fd := range theirs {
			unix.Close(fd)
		}
	}()
	stdin, err := p.openStdin(c.Lifeline)
	if err != nil {
		return nil, err
	}
	theirs = append(theirs, stdin)
	for i := range p.out {
		r, w, err := pipe()
		if err != nil {
			p.Close()
			return nil, err
		}
		p.out[i] = &output{file: os.NewFile(uintptr(r), "output")}
		theirs = append(theirs, w)
	}
	pidfd := -1
	s.mu.Lock()
	p.pid, err = syscall.ForkExec(file, c.Argv, &syscall.ProcAttr{
		Dir:   c.Dir,
		Env:   environ(c.Env),
		Files: []uintptr{uintptr(theirs[0]), uintptr(theirs[1]), uintptr(theirs[2])},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM, PidFD: &pidfd},
	})
	if err == nil {
		s.leaders[p.pid], s.sessions[p.pid] = true, true
	}
	s.mu.Unlock()
	if err != nil {
		p.Close()
		return nil, explainStart(file, c.Dir, err)
	}
	p.watch(pidfd)
	if c.Secret != "" && p.stdin != nil {
		_, _ = p.stdin.WriteString(c.Secret) // a pipe has room for it; a child that has ended does not need it
	}
	go p.sample(5 * time.Millisecond)
	return p, nil
}

// sample measures the peak memory of the process, and again after ever longer pauses: the value that the system reports at the end is never less than
// this program had when it forked. Between two samples there is only a timer, no goroutine, because a plan may have thousands of programs.
func (p *child) sample(pause time.Duration) {
	p.mu.Lock()
	reaped := p.reaped // its process ID may belong to another process now
	p.mu.Unlock()
	_, peak, ok := state.ReadMemory(p.pid)
	if reaped || !ok {
		return
	}
	p.peakKB.Store(max(p.peakKB.Load(), peak))
	time.AfterFunc(pause, func() { p.sample(min(4*pause, 2*time.Second)) })
}

func (p *child) openStdin(lifeline bool) (int, error) {
	if !lifeline {
		fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return -1, fmt.Errorf("open %s: %w", os.DevNull, err)
		}
		return fd, nil
	}
	r, w, err := pipe()
	if err != nil {
		return -1, err
	}
	// Only our end may be non-blocking: programs do not expect that of theirs.
	unix.SetNonblock(r, false)
	unix.SetNonblock(w, true)
	p.stdin = os.NewFile(uintptr(w), "lifeline")
	return r, nil
}

// pipe returns a non-blocking read end and a blocking write end.
func pipe() (r, w int, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return 0, 0, explainStart("", "", err)
	}
	unix.SetNonblock(fds[0], true)
	return fds[0], fds[1], nil
}

// watch lets the runtime's poller wait for the end, instead of a thread for
// each process.
func (p *child) watch(pidfd int) {
	if pidfd >= 0 {
		unix.SetNonblock(pidfd, true)
		p.pidfd = os.NewFile(uintptr(pidfd), "pidfd")
	}
}

func explainStart(file, dir string, err error) error {
	switch {
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return &StartError{126, "too many open files to start another program: raise `ulimit -n`, or start fewer at a time"}
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENOMEM):
		return &StartError{126, "this machine allows no more processes: raise `ulimit -u`, or start fewer at a time"}
	case errors.Is(err, unix.ENOEXEC):
		return &StartError{126, fmt.Sprintf("`%s` is neither a program for this machine nor a script with a `#!` line", file)}
	case errors.Is(err, unix.E2BIG):
		return &StartError{126, fmt.Sprintf("the arguments of `%s` are longer than this machine allows", file)}
	}
	if info, serr := os.Stat(dir); dir != "" && (serr != nil || !info.IsDir()) {
		return &StartError{126, fmt.Sprintf("directory `%s` does not exist", dir)}
	}
	return &StartError{126, fmt.Sprintf("program `%s` did not start: %s", file, err)}
}

func (p *child) Pid() int { return p.pid }

func (p *child) Output() (stdout, stderr io.Reader) {
	if p.out[0] == nil {
		return nil, nil
	}
	return p.out[0], p.out[1]
}

func (p *child) Wait() Exit {
	var status unix.WaitStatus
	var usage unix.Rusage
	e := Exit{Code: -1}
	if p.ours {
		p.sys.mu.Lock()
		p.sys.leaders[p.pid] = true // an adopted process is ours to collect from now on
		p.sys.mu.Unlock()
	}
	// collect reports whether the process has ended, whoever its parent is.
	collect := func(options int) bool {
		if !p.ours {
			seen, ok := state.ReadProcess(p.pid)
			return !ok || seen.Zombie()
		}
		for {
			got, err := unix.Wait4(p.pid, &status, options, &usage)
			if err == unix.EINTR {
				continue
			}
			if got == p.pid {
				e = p.exit(status, usage)
			}
			return got == p.pid || err != nil
		}
	}
	if p.pidfd == nil || !p.poll(func() bool { return collect(unix.WNOHANG) }) {
		for !collect(0) {
			time.Sleep(20 * time.Millisecond) // no child of ours: nothing to block on
		}
	}
	p.sys.mu.Lock()
	delete(p.sys.leaders, p.pid)
	p.sys.mu.Unlock()
	p.mu.Lock()
	p.reaped = true
	p.mu.Unlock()
	return e
}

// poll waits for the pidfd until done; it returns false if the poller does not support it.
func (p *child) poll(done func() bool) bool {
	conn, err := p.pidfd.SyscallConn()
	if err != nil {
		return false
	}
	return conn.Read(func(uintptr) bool { return done() }) == nil
}

func (p *child) exit(status unix.WaitStatus, usage unix.Rusage) Exit {
	e := Exit{User: time.Duration(usage.Utime.Nano()), System: time.Duration(usage.Stime.Nano()), PeakKB: usage.Maxrss}
	if seen := p.peakKB.Load(); e.PeakKB <= p.rssKB && seen > 0 {
		e.PeakKB = seen
	} else {
		e.AtMost = e.PeakKB <= p.rssKB
	}
	if status.Signaled() {
		e.Signal = status.Signal()
	} else {
		e.Code = status.ExitStatus()
	}
	return e
}

func ownPeakKB() int64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return usage.Maxrss
}

// killDelay is how long a remote wrapper has to pass a kill on before the connection is closed.
const killDelay = 500 * time.Millisecond

func (p *child) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.emptied {
		return nil
	}
	if p.stdin == nil || p.reaped {
		return p.signalGroup(sig)
	}
	p.stdin.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	_, err := p.stdin.WriteString(SignalName(sig) + "\n")
	if sig == syscall.SIGKILL {
		time.AfterFunc(killDelay, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if !p.emptied {
				p.signalGroup(sig)
			}
		})
		return nil
	}
	return err
}

func (p *child) signalGroup(sig syscall.Signal) error {
	target := -p.pid
	if pgid, err := unix.Getpgid(p.pid); err == nil && pgid != p.pid {
		target = p.pid // an adopted process that leads no group
	}
	if err := unix.Kill(target, sig); err != nil && err != unix.ESRCH {
		return fmt.Errorf("signal %s to process %d: %w", SignalName(sig), p.pid, err)
	}
	return nil
}

// Alive also collects adopted members of the group that have ended, which would otherwise count as live.
func (p *child) Alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.emptied || !p.reaped {
		return !p.emptied
	}
	for {
		got, err := unix.Wait4(-p.pid, nil, unix.WNOHANG, nil)
		if got <= 0 && err != unix.EINTR {
			break
		}
	}
	p.emptied = unix.Kill(-p.pid, 0) == unix.ESRCH
	return !p.emptied
}

func (p *child) Drain() {
	for _, o := range p.out {
		if o != nil {
			o.drain()
		}
	}
}

func (p *child) Close() {
	files := []*os.File{p.pidfd, p.stdin}
	for _, o := range p.out {
		if o != nil {
			files = append(files, o.file)
		}
	}
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// output is our end of the pipe that a process writes to.
type output struct {
	file  *os.File
	ended sync.Once
	left  int // how much may still be read after drain; 0: not drained
}

// maxPiped is the largest size of a pipe, unless an administrator allows more.
const maxPiped = 1 << 20

// drain makes reading end after what the pipe contains, even if another process still has its other end open.
func (o *output) drain() {
	o.ended.Do(func() { o.file.SetReadDeadline(time.Unix(1, 0)) })
}

func (o *output) Read(b []byte) (int, error) {
	if o.left > 0 {
		return o.readNow(b)
	}
	n, err := o.file.Read(b)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	o.left = maxPiped
	o.file.SetReadDeadline(time.Time{})
	return o.readNow(b)
}

// readNow reads without waiting.
func (o *output) readNow(b []byte) (n int, err error) {
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
	if err != nil || failed != nil || n == 0 { // EAGAIN if the pipe is empty
		return 0, io.EOF
	}
	if o.left -= n; o.left == 0 {
		return n, io.EOF
	}
	return n, nil
}
