//go:build unix

package launch

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	sigPause     = syscall.SIGSTOP
	sigUserPause = syscall.SIGTSTP
	sigContinue  = syscall.SIGCONT
)

// steering returns the signals of this program that Run handles.
func steering() []os.Signal {
	return []os.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGPIPE,
	}
}

func signalName(sig syscall.Signal) string    { return unix.SignalName(sig) }
func signalNumber(name string) syscall.Signal { return unix.SignalNum(name) }

// pauseSelf stops this program, which gives the terminal back to the shell.
func pauseSelf() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) }
