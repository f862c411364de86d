//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the program in a process group, so that what it starts can
// be ended with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { kill(cmd); return nil }
}

func kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
