package control

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

func TestAdmits(t *testing.T) {
	for caller, ok := range map[uint32]bool{1000: true, 0: true, 1001: false} {
		if err := admits(caller, 1000); (err == nil) != ok {
			t.Errorf("user %d: %v", caller, err)
		}
	}
}

// TestUnknownPeer checks that a caller is refused if the kernel does not know its user.
func TestUnknownPeer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	serve(t, path, methods)
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	if err := SameUser(c); err != nil {
		t.Errorf("our own connection: %v", err)
	}
	if err := SameUser(fileAsConn(t, path)); !errors.Is(err, unix.ENOTSOCK) {
		t.Errorf("a connection that is a file: %v", err)
	}
	c.Close()
	if SameUser(c) == nil {
		t.Error("a closed connection is admitted")
	}
	if SameUser(new(net.UnixConn)) == nil {
		t.Error("a connection without a socket is admitted")
	}
}

// fileAsConn returns a connection whose descriptor refers to a file.
func fileAsConn(t *testing.T, path string) *net.UnixConn {
	t.Helper()
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = unix.Dup3(int(null.Fd()), int(fd), unix.O_CLOEXEC) }); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return c
}

// as calls f as another user, which requires root.
func as(t *testing.T, user uintptr, f func()) {
	t.Helper()
	runtime.LockOSThread() // only the user of this thread changes
	defer runtime.UnlockOSThread()
	become := func(user uintptr) {
		if _, _, err := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), user, ^uintptr(0)); err != 0 {
			t.Fatal(err)
		}
	}
	become(user)
	f()
	become(0)
}

// TestSocketInTheWay checks the error for an old socket that may not be removed.
func TestSocketInTheWay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "socket")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	open := func() { _, err = OpenSocket(path) }
	if os.Getuid() == 0 {
		var shut error
		as(t, 1000, func() { _, shut = os.Stat(path) })
		need.Ability(t, "a folder for temporary files that every user can enter", shut)
		as(t, 1000, open)
	} else {
		open()
	}
	if want := "an old socket `" + path + "` is in the way: permission denied"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestOtherUser checks that the kernel's information about the caller is used. Only root
// can briefly act as another user.
func TestOtherUser(t *testing.T) {
	need.Root(t)
	conn := func(user uintptr) *net.UnixConn {
		var pair [2]int
		var err error
		as(t, user, func() { pair, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0) })
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(pair[1])
		f := os.NewFile(uintptr(pair[0]), "pair")
		defer f.Close()
		c, err := net.FileConn(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c.(*net.UnixConn)
	}
	if err := SameUser(conn(0)); err != nil {
		t.Errorf("the same user: %v", err)
	}
	if p := (*problem.Problem)(nil); !errors.As(SameUser(conn(1000)), &p) || p.Kind != OtherUser {
		t.Errorf("another user: %v, want it refused with %v", p, OtherUser)
	}
}

// TestTooManyFiles checks that a server that may open no more files answers again once it may.
func TestTooManyFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	serve(t, path, methods)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	low := unix.Rlimit{Cur: min(limit.Cur, 256), Max: limit.Max}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
	var files []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		t.Fatal("no file can be opened")
	}
	files[0].Close() // for the caller
	answered := make(chan error, 1)
	go func() { answered <- Call(context.Background(), path, "echo", nil, nil) }()
	golden.Until(t, "the server could not take the call, and waits", func() bool { return golden.Waits("(*Server).accept", "sleep") })
	for _, f := range files[1:] {
		f.Close()
	}
	select {
	case err := <-answered:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(golden.Patience):
		t.Error("the server answers no more")
	}
}
