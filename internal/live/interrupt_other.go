//go:build !unix

package live

import "os"

// interrupt does what Ctrl-C does if the terminal does not turn it into a signal.
func interrupt() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Signal(os.Interrupt)
	}
}
