//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the program in its own process group, so that its children can be ended with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { kill(cmd); return nil }
}

func kill(cmd *exec.Cmd) { signal(cmd, syscall.SIGKILL) }

// terminate asks the program to end.
func terminate(cmd *exec.Cmd) { signal(cmd, syscall.SIGTERM) }

func signal(cmd *exec.Cmd, sig syscall.Signal) {
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, sig)
	}
}
