package cli

import (
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// checkRuns looks at every run folder among the files that were found in
// folders, and returns the other files: those of a run are checked as they are in it.
func (a *app) checkRuns(w *workspace.Workspace, paths []string, found []*lang.Config, report *render.Report) ([]*lang.Config, error) {
	var rest []*lang.Config
	seen := map[string]bool{}
	for _, c := range found {
		path := c.Document.File.Path()
		dir := filepath.Dir(path)
		if slices.Contains(paths, path) || slices.Contains(paths, "-") && path == a.files.filename || !seen[dir] && !suite.IsRunFolder(dir) {
			rest = append(rest, c)
			continue
		}
		if seen[dir] {
			if !seen[path] {
				rest = append(rest, c)
			}
			continue
		}
		seen[dir] = true
		run, err := a.openRun(w, dir)
		if err != nil {
			return nil, err
		}
		for _, c := range run.Files() {
			seen[c.Document.File.Path()] = true
			report.Files = append(report.Files, fileOf(c))
		}
		report.Diagnostics = append(report.Diagnostics, suite.Diagnostics(run, suite.Host{})...)
		if !seen[path] {
			rest = append(rest, c)
		}
	}
	return rest, nil
}

func fileOf(c *lang.Config) render.File {
	return render.File{Path: c.Document.File.Path(), Language: c.Document.Language.Name}
}
