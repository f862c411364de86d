package cli

import (
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// inProject are the findings that a check of its project has for one file: as a
// part of its run, or of the files that include it, else of itself.
func (a *app) inProject(w *workspace.Workspace, includers *workspace.Includers, c *lang.Config) diag.List {
	alone := func() diag.List { return w.Review(c.Found(), c) }
	if len(c.Lower) > 0 || len(a.files.overrides) > 0 || w.Force != nil || a.files.read != nil {
		return alone() // the question is another one than that of the project
	}
	if run := a.runOf(w, c); run != nil {
		return within(suite.Diagnostics(run, a.host()), c.Files()...)
	}
	whole := includers.Of(c.Document)
	if len(whole) == 0 {
		return alone()
	}
	var found diag.List
	for _, by := range whole {
		found = append(found, by.Found()...)
	}
	return within(w.Review(found, whole...), c.Document.File)
}

// runOf is the run that a file is a part of, in its folder, or nil.
func (a *app) runOf(w *workspace.Workspace, c *lang.Config) *suite.Run {
	dir := filepath.Dir(c.Document.File.Path())
	if !suite.IsRunFolder(dir) {
		return nil
	}
	run, err := suite.Open(w, dir)
	if err != nil || !slices.ContainsFunc(run.Files(), func(part *lang.Config) bool { return part.Document.File.Path() == c.Document.File.Path() }) {
		return nil
	}
	return run
}

// within are the findings in some files.
func within(list diag.List, files ...*source.File) diag.List {
	return slices.DeleteFunc(list, func(d *diag.Diagnostic) bool {
		return d.Span.File == nil || !slices.ContainsFunc(files, func(f *source.File) bool {
			return filepath.Clean(f.Path()) == filepath.Clean(d.Span.File.Path())
		})
	})
}
