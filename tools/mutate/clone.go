package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Clone is a copy of the newest commit. Mutants are written and tested there,
// so that mutants and the files of their tests do not touch the checkout.
type Clone struct {
	dir string
}

// NewClone makes a clone, or updates the existing one to the newest commit.
func NewClone(checkout, dir string) (*Clone, error) {
	c := &Clone{dir: dir}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		if _, err := output("", "git", "clone", "-q", "--shared", "--no-checkout", checkout, dir); err != nil {
			return nil, err
		}
	}
	head, err := output(checkout, "git", "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	// A shared clone sees every commit of the checkout without fetching it.
	if _, err := output(dir, "git", "checkout", "-qf", "--detach", strings.TrimSpace(head)); err != nil {
		return nil, err
	}
	return c, c.Reset()
}

// Reset undoes every change.
func (c *Clone) Reset() error {
	if _, err := output(c.dir, "git", "checkout", "-qf", "."); err != nil {
		return err
	}
	_, err := output(c.dir, "git", "clean", "-ffdxq")
	return err
}

// clean removes files of failed tests, such as failing inputs.
func (c *Clone) clean() error {
	_, err := output(c.dir, "git", "clean", "-ffdxq", "-e", switchName)
	return err
}

// compile builds the test program of a package. The error has the compiler's output.
func (c *Clone) compile(pkg, to string, flags ...string) error {
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-w", "-o", to}, flags...)
	_, err := output(c.dir, "go", append(args, "./"+pkg)...)
	return err
}

// contain starts a program in a namespace: it sees no other process, has its own /tmp and
// shared memory, and can write only there, in the clone, in the build cache and in the
// folder for coverage, because a mutant may kill or delete anything. When the first
// process ends, all processes that it started end too.
const contain = `
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /dev/shm
for dir in "$1" "$2" "$3"; do mount --bind "$dir" "$dir"; done
mount -o remount,bind,ro /
cd "$4"
shift 4
"$@"
`

var errTimeout = errors.New("time-out")

// run runs the test program of a package in the clone.
func (c *Clone) run(pkg, coverDir string, limit time.Duration, env []string, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cache, err := output(c.dir, "go", "env", "GOCACHE")
	if err != nil {
		return "", err
	}
	shell := []string{"--pid", "--mount", "--fork", "--kill-child", "--mount-proc", "sh", "-euc", contain, "sh", c.dir, strings.TrimSpace(cache), coverDir, filepath.Join(c.dir, pkg), program}
	if os.Getuid() != 0 {
		shell = append([]string{"--user", "--map-root-user"}, shell...)
	}
	cmd := exec.CommandContext(ctx, "unshare", append(shell, args...)...)
	cmd.Env = append(os.Environ(), "HOME=/tmp", "TMPDIR=/tmp", "GOCACHE="+strings.TrimSpace(cache))
	cmd.Env = append(cmd.Env, env...)
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if ctx.Err() != nil {
		err = errTimeout
	}
	return out.String(), err
}

// output runs a command and returns its output; if it fails, the error contains its
// messages.
func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w\n%s", name, args[0], err, failure.Bytes())
	}
	return string(out), nil
}
