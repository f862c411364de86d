package cli

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// showFolder shows a run on one screen.
func (a *app) showFolder(w *workspace.Workspace, dir string, as format) error {
	run, err := a.openWhole(w, dir)
	if err != nil {
		return err
	}
	parts := suite.Summary(run)
	switch as {
	case asText:
		for i, p := range parts {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			fmt.Fprintf(a.out, "%-7s %s\n", strings.ToLower(string(p.Role)), p.Path)
			for _, line := range p.Lines {
				fmt.Fprintf(a.out, "        %s\n", line)
			}
		}
	case asJSON:
		err = a.json(struct {
			Version int          `json:"version"`
			Path    string       `json:"path"`
			Parts   []suite.Part `json:"parts"`
		}{1, dir, parts})
	default:
		err = fmt.Errorf("--format takes text or json for a folder, not `%s`", as)
	}
	if err != nil {
		return err
	}
	return a.judge(run)
}
