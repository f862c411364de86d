package cli

import (
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// graphFolder draws one picture of a run.
func (a *app) graphFolder(w *workspace.Workspace, dir, format, output string) error {
	run, err := a.openWhole(w, dir)
	if err != nil {
		return err
	}
	if err := a.draw(suite.Graph(run), format, output); err != nil {
		return err
	}
	return a.judge(run)
}
