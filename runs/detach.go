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

// detachedVariable is set for a run that continues without the command that started it.
const detachedVariable = "PENTODE_DETACHED"

// Detach runs the command of a program in the background, without its
// --detach flag. It returns the name of the run when the plan has begun. Until then the output of the command
// goes to log. A run that ends before it begins has no name, only an exit code. The end of
// the context ends the wait and the command.
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
	cmd.ExtraFiles = []*os.File{id} // file descriptor 3 of the command
	ownProcessGroup(cmd)
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
	unbind := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) }) // it may already have ended
	run, err = bufio.NewReader(began).ReadString('\n')
	unbind()
	if err != nil { // it ended before the run began
		relayed.Wait()
		return "", exitOfWait(cmd.Wait()), nil
	}
	return strings.TrimSpace(run), 0, nil
}

// exitOfWait returns the exit code of a program from the error of Wait.
func exitOfWait(err error) int {
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	if err != nil {
		return 1
	}
	return 0
}

// begun passes the name of the run to the command that started it in the background. From then on nothing reads the output of the run; the logs
// continue.
func begun(run string) {
	if os.Getenv(detachedVariable) == "" {
		return
	}
	signal.Ignore(syscall.SIGPIPE, syscall.SIGHUP)
	f := os.NewFile(3, "began")
	_, _ = fmt.Fprintln(f, run) // a command that has ended does not need it
	_ = f.Close()
	_ = os.Unsetenv(detachedVariable)
}

// A Process is a program that runs a plan or a folder. It registers its run as every launch does, and is controlled through its socket.
type Process struct{ cmd *exec.Cmd }

// Spawn starts this program again in a folder, to run a plan or a folder. log gets the output.
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
	ownProcessGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("`%s` cannot be started: %w", path, problem.Reason(err))
	}
	return &Process{cmd}, nil
}

// Pid returns the process ID.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Stop asks the process to stop its run.
func (p *Process) Stop() { _ = p.cmd.Process.Signal(os.Interrupt) } // it may already have ended

// Wait waits for the end of the process.
func (p *Process) Wait() error {
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("it ended with code %d", exit.ExitCode())
	}
	return err
}
