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

// RuntimeDir is the folder in which running programs of this user leave their
// sockets, given a way to read the environment.
func RuntimeDir(getenv func(string) string) (string, error) {
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "pentode"), nil
	}
	return StateDir(getenv)
}

// StateDir is the folder in which runs of this user leave what outlives them.
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
	return "", errors.New("there is no place for the state of a run: set XDG_STATE_HOME or HOME to a folder")
}

// Private makes a folder that only this user can enter, or refuses one that
// others can write to.
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("`%s`, where the state of runs is kept, cannot be made: %w; set XDG_STATE_HOME or XDG_RUNTIME_DIR to a folder that you may write", dir, plain(err))
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("folder `%s` cannot be read: %w", dir, plain(err))
	}
	if !onlyOurs(info) {
		return fmt.Errorf("folder `%s` can be written by others: expected one that only you own and write (`chmod 700`)", dir)
	}
	return nil
}

// OpenSocket listens on a socket that only this user can reach. One that an
// ended program left there is replaced; nothing else is.
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
		return nil, fmt.Errorf("the socket `%s` cannot be made: %w", path, plain(err))
	}
	l.SetUnlinkOnClose(false) // the listener may know it by a short path that is gone
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("the socket `%s` cannot be made private: %w", path, plain(err))
	}
	return l, nil
}

// removeStale removes a socket at which no server answers any more.
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

// shortPath calls f with a path that fits into a socket address, which holds
// 107 bytes: a long one goes through a descriptor of its folder.
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

// plain is an error without the system call that had it.
func plain(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	if at := (*os.SyscallError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}
