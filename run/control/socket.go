package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// RuntimeDir returns the folder for the sockets of this user's running programs; getenv
// reads the environment.
func RuntimeDir(getenv func(string) string) (string, error) {
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "pentode"), nil
	}
	return StateDir(getenv)
}

// StateDir returns the folder for what programs of this user keep between runs.
func StateDir(getenv func(string) string) (string, error) {
	if dir := getenv("PENTODE_STATE"); filepath.IsAbs(dir) {
		return dir, nil
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "pentode"), nil
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "pentode"), nil
	}
	return "", errors.New("there is no folder for the state of runs: set XDG_STATE_HOME or HOME to a folder")
}

// Private makes a folder that only this user can enter. It returns an error if others can
// write to the folder.
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the folder `%s` for the state of runs cannot be created: %w; set XDG_STATE_HOME or XDG_RUNTIME_DIR to a folder that you may write to", dir, plain(err))
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("folder `%s` cannot be read: %w", dir, plain(err))
	}
	if !onlyOurs(info) {
		return fmt.Errorf("other users can write to the folder `%s`: it must belong to you and be writable only by you (`chmod 700`)", dir)
	}
	return nil
}

// OpenSocket listens on a socket that only this user can reach. It replaces the socket of
// a program that has ended. It does not replace the socket of a running program, or a
// file that is not a socket.
func OpenSocket(path string) (*net.UnixListener, error) {
	if err := removeStale(path); err != nil {
		return nil, err
	}
	var l *net.UnixListener
	err := shortPath(path, func(short string) (err error) {
		l, err = net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the socket `%s` cannot be created: %w", path, plain(err))
	}
	l.SetUnlinkOnClose(false) // a listener may know the socket by a temporary short path, under which it could not remove it
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("the socket `%s` cannot be made private: %w", path, plain(err))
	}
	return l, nil
}

// removeStale removes a socket if no server listens on it any more.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the place of the socket `%s` cannot be read: %w", path, plain(err))
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("`%s` exists and is not a socket: choose another place", path)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c, err := Dial(ctx, path); err == nil {
		c.Close()
		return fmt.Errorf("another program listens on `%s`", path)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("an old socket `%s` is in the way: %w", path, plain(err))
	}
	return nil
}

// Dial connects to a socket.
func Dial(ctx context.Context, path string) (net.Conn, error) {
	var c net.Conn
	err := shortPath(path, func(short string) (err error) {
		c, err = (&net.Dialer{}).DialContext(ctx, "unix", short)
		return err
	})
	return c, err
}

// shortPath calls f with a path that fits into a socket address, which has 107 bytes.
// For a longer path, it passes a path through an open descriptor of the
// socket's folder.
func shortPath(path string, f func(string) error) error {
	if len(path) < 100 {
		return f(path)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return f(filepath.Join("/proc/self/fd", strconv.Itoa(int(dir.Fd())), filepath.Base(path)))
}

// plain returns an error without the name of the failed system call.
func plain(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	if at := (*os.SyscallError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}
