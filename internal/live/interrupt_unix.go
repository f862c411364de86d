//go:build unix

package live

import (
	"os"
	"syscall"
)

// interrupt does what Ctrl-C does if the terminal does not turn it into a signal.
func interrupt() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) }
