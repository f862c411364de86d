package cli

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// runFolder does what all files of a folder say: it checks them, then starts
// the plan, or the one pipeline where there is no plan.
func (a *app) runFolder(w *workspace.Workspace, dir string, pipe *pipeRun, psdl *psdlRun) error {
	run, err := a.openRun(w, dir)
	if err != nil {
		return err
	}
	found := suite.Diagnostics(run, suite.Host{})
	a.say(found)
	if found.HasErrors() && !psdl.keepGoing {
		return exitCode(exitNo)
	}
	here, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if pipe.out == "" {
		pipe.out = filepath.Base(here) + "-out"
	}
	shown := pipe.out
	out, err := filepath.Abs(shown)
	if err != nil {
		return err
	}
	began := time.Now()
	switch {
	case run.Configs[suite.Launch] != nil:
		err = psdl.start(a, run.Configs[suite.Launch],
			func(o *launch.Options) { o.Dir = here },
			func(n *launch.Node) {
				n.Env = append(n.Env, launch.Var{Name: outVariable, Value: filepath.Join(out, n.ID)})
			})
	default:
		err = pipe.run(a, runJob{workspace: w, config: run.Configs[suite.Flow]})
	}
	a.results(out, shown, began)
	return err
}

// openRun opens the run of a folder.
func (a *app) openRun(w *workspace.Workspace, dir string) (*suite.Run, error) {
	if !suite.IsRunFolder(dir) {
		return nil, fmt.Errorf("`%s` is not the folder of a run: it has neither a launch plan (.psdl) nor exactly one pipeline (.pipe)", dir)
	}
	run, err := suite.Open(w, dir)
	if err != nil {
		return nil, fmt.Errorf("the folder `%s` cannot be read", dir)
	}
	return run, nil
}
