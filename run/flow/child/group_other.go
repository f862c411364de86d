//go:build !unix

package child

import "os/exec"

func ownGroup(*exec.Cmd) {}

func kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		cmd.Process.Kill()
	}
}

// terminate kills the program: this system has no gentler way.
func terminate(cmd *exec.Cmd) { kill(cmd) }
