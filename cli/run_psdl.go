package cli

import (
	"fmt"
	"github.com/pentode-dev/pentode/lang"

	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/workspace"
)

// planResult is the exit code of a plan.
func (a *app) planResult(r runs.Result, err error) error {
	switch {
	case err != nil:
		return a.notRun(err)
	case r.Plan == nil:
		a.sayNothing()
	case r.Plan.Code != 0:
		return exitCode(r.Plan.Code)
	}
	return nil
}

// permit wants a word of the user before anything that the search found in the
// working directory is started.
func (a *app) permit(w *workspace.Workspace, layers []*lang.Document, yes bool) error {
	a.sayFound(layers)
	for _, d := range layers {
		if paradyn.Implicit(w.Env, d.File) && !yes {
			return fmt.Errorf("`%s` of the working directory was found, but nobody named it, so nothing is started; "+
				"`pentode launch plan` shows what it says, `--yes` or its path starts it", d.File.Path())
		}
	}
	return nil
}
