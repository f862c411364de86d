package cli

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/workspace"
)

// checkHost reports whether this machine has what a target asks for.
func (a *app) checkHost(w *workspace.Workspace, paths []string) error {
	if len(paths) != 1 {
		return errors.New("--host takes one COIL configuration, or the name of a preset")
	}
	t, err := a.target(w, paths[0])
	if err != nil {
		return err
	}
	machines, err := a.machines()
	if err != nil {
		return err
	}
	hosts, err := a.hosts(machines, t.PU)
	if err != nil {
		return err
	}
	no := fmt.Sprintf("this machine does not satisfy %s", paths[0])
	if len(hosts) == 0 {
		fmt.Fprintf(a.out, "%s: it has no %s that can be asked\n", no, t.PU)
		return exitCode(exitNo)
	}
	var v target.Verdict
	for _, h := range hosts { // one that fits is enough
		if v = machines.Satisfies(h, t); v.OK() {
			break
		}
	}
	return a.verdict(v, "text", fmt.Sprintf("this machine satisfies %s", paths[0]), no)
}

// hosts are the processing units of a kind that this machine has.
func (a *app) hosts(machines target.Machines, pu string) ([]target.Target, error) {
	switch pu {
	case "CPU":
		host, err := machines.Detect(target.ThisHost())
		return []target.Target{host}, err
	case "GPU":
		gpus, notes := machines.DetectGPUs(target.ThisHost())
		a.notes(notes)
		return gpus, nil
	}
	return nil, nil
}
