//go:build unix

package runs

import (
	"os/exec"
	"syscall"
)

// ownProcessGroup keeps terminal signals from a program: the program that started it also ends it.
func ownProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
