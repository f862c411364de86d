//go:build unix

package state

import (
	"syscall"
)

const sigContinue = syscall.SIGCONT

func kill(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }
