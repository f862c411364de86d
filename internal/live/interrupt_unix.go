//go:build unix

package live

import (
	"os"
	"syscall"
)

// interrupt is what Ctrl-C does where the terminal does not make a signal of it.
func interrupt() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) }
