//go:build !unix

package child

import "os/exec"

func ownGroup(*exec.Cmd) {}

func kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		cmd.Process.Kill()
	}
}

// terminate kills the program, because this system cannot ask a program to end.
func terminate(cmd *exec.Cmd) { kill(cmd) }
