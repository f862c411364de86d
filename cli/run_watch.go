package cli

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"time"
)

// rerun runs a pipeline in a process of its own, and once more after every
// change of a file that belongs to it; a run that still goes on is stopped
// first, in order.
func (a *app) rerun(paths []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program cannot be started again: %w", err)
	}
	args := slices.DeleteFunc(slices.Clone(a.args), func(arg string) bool { return arg == "--watch" || arg == "--watch=true" })
	interrupted := ends()
	defer signal.Stop(interrupted)
	for {
		if err := a.begin(paths); err != nil {
			return err
		}
		w, err := a.workspace()
		if err != nil {
			return err
		}
		_, _ = a.check(w, paths) // for what it reads; the run itself says what is wrong
		cmd := exec.Command(self)
		cmd.Args = append([]string{os.Args[0]}, args...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("this program cannot be started again: %w", err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait() // it has said what is wrong
			a.sayWatching()
		}()
		path := a.watch.await(interrupted)
		if path == "" {
			// Ctrl-C reaches both processes, and twice would be at once; a signal
			// from elsewhere reached this one alone.
			select {
			case <-ended:
			case <-time.After(time.Second):
				_ = cmd.Process.Signal(os.Interrupt) // it may just have ended
				<-ended
			}
			return exitCode(exitInterrupted)
		}
		fmt.Fprintf(a.err, "`%s` has changed\n", path)
		_ = cmd.Process.Signal(os.Interrupt) // likewise
		<-ended
	}
}
