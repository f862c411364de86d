//go:build !unix

package launch

import (
	"os"
	"syscall"
)

const (
	sigPause     = syscall.Signal(19)
	sigUserPause = syscall.Signal(20)
	sigContinue  = syscall.Signal(18)
)

// steering returns the signals of this program that Run handles.
func steering() []os.Signal { return []os.Signal{syscall.SIGINT, syscall.SIGTERM} }

func signalName(syscall.Signal) string   { return "" }
func signalNumber(string) syscall.Signal { return 0 }

func pauseSelf() {}
