//go:build !unix

package live

import "os"

// interrupt is what Ctrl-C does where the terminal does not make a signal of it.
func interrupt() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Signal(os.Interrupt)
	}
}
