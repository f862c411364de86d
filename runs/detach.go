package runs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/pentode-dev/pentode/core/problem"
)

// detachedVariable is set for a run that goes on without the command that
// started it.
const detachedVariable = "PENTODE_DETACHED"

// Detach carries out the command of a program in the background, without its
// --detach, and returns when the plan that it runs has begun, with the name of the
// run. Until then log gets what it says. A run that has ended before it began has no
// name, and an exit code. The end of the context ends the wait and the command.
func Detach(ctx context.Context, p Program, log io.Writer) (run string, code int, err error) {
	cmd, err := p.command(slices.DeleteFunc(slices.Clone(p.Args), func(arg string) bool { return arg == "--detach" || arg == "--detach=true" })...)
	if err != nil {
		return "", 0, err
	}
	began, id, err := os.Pipe()
	if err != nil {
		return "", 0, fmt.Errorf("a run in the background cannot be started: %w", err)
	}
	defer began.Close()
	cmd.Env = append(os.Environ(), detachedVariable+"=1")
	cmd.ExtraFiles = []*os.File{id} // its file 3
	apart(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", 0, err
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		return "", 0, err
	}
	err = cmd.Start()
	id.Close()
	if err != nil {
		return "", 0, fmt.Errorf("a run in the background cannot be started: %w", err)
	}
	var relayed sync.WaitGroup
	relayed.Go(func() { _, _ = io.Copy(log, out) })
	relayed.Go(func() { _, _ = io.Copy(log, errs) })
	unbind := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) }) // it may have ended
	run, err = bufio.NewReader(began).ReadString('\n')
	unbind()
	if err != nil { // it has ended before it began
		relayed.Wait()
		return "", exitOfWait(cmd.Wait()), nil
	}
	return strings.TrimSpace(run), 0, nil
}

// exitOfWait is the exit code of a program that was waited for.
func exitOfWait(err error) int {
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	if err != nil {
		return 1
	}
	return 0
}

// begun tells the command that started a run in the background its name. From
// then on the output is not read; the logs go on.
func begun(run string) {
	if os.Getenv(detachedVariable) == "" {
		return
	}
	signal.Ignore(syscall.SIGPIPE, syscall.SIGHUP)
	f := os.NewFile(3, "began")
	_, _ = fmt.Fprintln(f, run) // who is gone does not need it
	_ = f.Close()
	_ = os.Unsetenv(detachedVariable)
}

// A Process is a program that runs a plan or a folder. It registers its run as every
// launch does, and is steered through its socket.
type Process struct{ cmd *exec.Cmd }

// Spawn starts the program once more in a folder, to run a plan or a folder. log gets
// what it writes.
func Spawn(p Program, folder, path string, log io.Writer) (*Process, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	args := []string{"run", full}
	if info, err := os.Stat(full); err == nil && info.IsDir() {
		args = append(args, "-o", filepath.Join(full, filepath.Base(full)+"-out"))
	}
	cmd, err := p.command(args...)
	if err != nil {
		return nil, err
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, log, log
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("`%s` cannot be started: %w", path, problem.Reason(err))
	}
	return &Process{cmd}, nil
}

// Pid is the number of the process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Stop asks it to stop what it runs.
func (p *Process) Stop() { _ = p.cmd.Process.Signal(os.Interrupt) } // it may have ended

// Wait waits for its end.
func (p *Process) Wait() error {
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("it ended with code %d", exit.ExitCode())
	}
	return err
}
