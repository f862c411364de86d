package cli

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/workspace"
)

// checkHost says whether this machine has what a target asks for.
func (a *app) checkHost(w *workspace.Workspace, paths []string) error {
	if len(paths) != 1 {
		return errors.New("--host takes one COIL configuration, or the name of a preset")
	}
	t, err := a.target(w, paths[0])
	if err != nil {
		return err
	}
	tb, err := a.tables()
	if err != nil {
		return err
	}
	hosts, err := a.hosts(tb, t.PU)
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
		if v = target.Satisfies(tb, h, t); v.OK() {
			break
		}
	}
	return a.verdict(v, "text", fmt.Sprintf("this machine satisfies %s", paths[0]), no)
}

// hosts are the processing units of a kind that this machine has.
func (a *app) hosts(tb *table.Tables, pu string) ([]target.Target, error) {
	switch pu {
	case "CPU":
		host, err := target.Detect(tb, target.ThisHost())
		return []target.Target{host}, err
	case "GPU":
		gpus, notes := target.DetectGPUs(tb, target.ThisHost())
		for _, n := range notes {
			fmt.Fprintf(a.err, "pentode: %s\n", n)
		}
		return gpus, nil
	}
	return nil, nil
}
