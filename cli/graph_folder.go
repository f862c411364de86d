package cli

import (
	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// graphFolder draws one picture of a run.
func (a *app) graphFolder(w *workspace.Workspace, dir string, format graph.Format) error {
	run, err := a.openWhole(w, dir)
	if err != nil {
		return err
	}
	if err := suite.Graph(run).Write(a.out, format); err != nil {
		return err
	}
	return a.judge(run)
}
