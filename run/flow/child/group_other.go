//go:build !unix

package child

import "os/exec"

func ownGroup(*exec.Cmd) {}

func kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		cmd.Process.Kill()
	}
}

// terminate kills the program: there is no gentler way here.
func terminate(cmd *exec.Cmd) { kill(cmd) }
