//go:build unix

package runs

import (
	"os/exec"
	"syscall"
)

// apart keeps the signals of the terminal from a program: who started it ends it.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
