package cli

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// checkRuns opens every run folder among the files that were found in folders,
// and returns the other files: those of a run are checked as they are in it.
func (a *app) checkRuns(w *workspace.Workspace, paths []string, found []*lang.Config, report *render.Report) ([]*suite.Run, []*lang.Config, error) {
	var list []*suite.Run
	given := func(c *lang.Config) bool { return a.given(paths, c) } // it is checked by itself
	inRun := map[string]bool{}
	for _, dir := range foldersOf(found, given) {
		if !suite.IsRunFolder(dir) {
			continue
		}
		run, err := runs.OpenFolder(w, dir)
		if err != nil {
			return nil, nil, err
		}
		if first := run.Starts(); first != nil && inRun[first.Document.File.Path()] {
			continue // a part of the run above it
		}
		for _, c := range run.Files() {
			if path := c.Document.File.Path(); !inRun[path] {
				inRun[path] = true
				report.Files = append(report.Files, fileOf(c))
			}
		}
		list = append(list, run)
	}
	return list, slices.DeleteFunc(slices.Clone(found), func(c *lang.Config) bool {
		return inRun[c.Document.File.Path()] && !given(c)
	}), nil
}

// foldersOf are the folders of files, but for given ones, those above others
// first.
func foldersOf(found []*lang.Config, given func(*lang.Config) bool) []string {
	var dirs []string
	for _, c := range found {
		if !given(c) {
			dirs = append(dirs, filepath.Dir(c.Document.File.Path()))
		}
	}
	depth := func(dir string) int {
		if dir = filepath.Clean(dir); dir == "." {
			return -1 // above those that are named without it
		}
		return strings.Count(dir, string(filepath.Separator))
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(depth(a)-depth(b), cmp.Compare(a, b)) })
	return slices.Compact(dirs)
}

func fileOf(c *lang.Config) render.File {
	return render.File{Path: c.Document.File.Path(), Language: c.Document.Language.Name}
}

// given reports whether a file was given by its own name.
func (a *app) given(paths []string, c *lang.Config) bool {
	path := c.Document.File.Path()
	return slices.Contains(paths, path) || slices.Contains(paths, "-") && path == a.files.filename
}
