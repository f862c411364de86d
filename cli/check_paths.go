package cli

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// check looks at every path; folders are walked, and the run folders in them are looked at as a whole.
// Where some paths cannot be read there is a report about the others, and an error.
func (a *app) check(w *workspace.Workspace, paths []string) (*render.Report, error) {
	report := &render.Report{}
	configs, unread := a.configs(w, paths, report)
	if unread != nil && len(configs)+len(report.Files) == 0 {
		return nil, unread
	}
	if err := a.gather(w, paths, configs, report); err != nil {
		return nil, err
	}
	return report, unread
}

// gather adds the findings of configurations to a report, with those of the
// run folders they lie in.
func (a *app) gather(w *workspace.Workspace, paths []string, configs []*lang.Config, report *render.Report) error {
	found := report.Diagnostics
	var runs []*suite.Run
	if len(paths) > 0 { // else the layers were searched for, wherever they lie
		var err error
		if runs, configs, err = a.checkRuns(w, paths, configs, report); err != nil {
			return err
		}
	}
	var checked []*lang.Config
	for _, r := range runs {
		found = append(found, suite.Found(r, a.host())...)
		checked = append(checked, r.Files()...)
	}
	var shown diag.List
	includers := w.NewIncluders()
	for _, c := range configs {
		for _, d := range append(slices.Clone(c.Lower), c.Document) {
			report.Files = append(report.Files, render.File{Path: d.File.Path(), Language: d.Language.Name})
		}
		if a.given(paths, c) {
			shown = append(shown, a.inProject(w, includers, c)...)
			continue
		}
		found = append(found, c.Found()...)
		checked = append(checked, c)
	}
	planned(w, append(checked[:len(checked):len(checked)], configs...), found)
	report.Diagnostics = append(w.Problems(), workspace.Unique(append(shown, w.Review(found, checked...)...))...)
	seen := map[render.File]bool{} // one may be named by itself and lie in a folder
	report.Files = slices.DeleteFunc(report.Files, func(f render.File) bool {
		twice := seen[f]
		seen[f] = true
		return twice
	})
	return nil
}

// planned tells projects the programs of their launch plans, unless one of the plans has errors and may have more.
func planned(w *workspace.Workspace, configs []*lang.Config, found diag.List) {
	programs, unsure := map[*project.Project][]string{}, map[*project.Project]bool{}
	for _, c := range configs {
		p := w.Project(c.Document.File.Path())
		programs[p] = append(programs[p], paradyn.Programs(c)...)
		unsure[p] = unsure[p] || c.Document.Language.Name == "paradyn" && c.Found().HasErrors()
	}
	for p, list := range programs {
		if !unsure[p] {
			p.Planned(list, found)
		}
	}
}

// configs resolves every path: the files of a folder, the layers of a
// layered language together, every other file by itself. Paths that cannot be
// read are reported at once; the error is that there were some.
func (a *app) configs(w *workspace.Workspace, paths []string, report *render.Report) ([]*lang.Config, error) {
	if len(paths) == 0 {
		c, problems, err := a.config(w, nil)
		if err != nil {
			return nil, err
		}
		report.Diagnostics = append(report.Diagnostics, problems...)
		return []*lang.Config{c}, nil
	}
	var configs []*lang.Config
	var layers []*lang.Document
	unread := a.openAll(w, paths, report, func(docs []*lang.Document, folder bool) {
		if !folder && docs[0].Language.Layered {
			layers = append(layers, docs[0])
			return
		}
		var found []*lang.Config
		for _, d := range docs {
			found = append(found, w.Resolve(d))
		}
		configs = append(configs, workspace.Leaves(found)...)
	})
	if len(layers) > 0 {
		configs = append(configs, w.Layers(layers))
	}
	return configs, unread
}

// openAll opens every path, and of a folder all files. What cannot be read is a
// finding of the report in a folder; elsewhere it is said at once, and makes the
// error.
func (a *app) openAll(w *workspace.Workspace, paths []string, report *render.Report, visit func(docs []*lang.Document, folder bool)) (unread error) {
	for _, path := range paths {
		files, folder, finding := []string{path}, isFolder(path), workspace.Refused
		if folder {
			finding = workspace.Unreadable
			var err error
			if files, err = w.Walk(path); err != nil {
				fmt.Fprintf(a.err, "pentode: the folder `%s` cannot be read\n", path)
				unread = exitCode(exitMisuse)
			}
		}
		var docs []*lang.Document
		open := w.OpenNamed
		if folder {
			open = w.Open
		}
		for _, file := range files {
			if !folder && w.IsProject(file) {
				report.Files = append(report.Files, render.File{Path: file, Language: "project"})
				continue // its findings are those of the workspace
			}
			d, err := open(file)
			if err == nil {
				docs = append(docs, d)
			} else if found := finding(file, err); found != nil {
				name := found.Span.File.Path()
				report.Files = append(report.Files, render.File{Path: name, Language: w.LanguageOf(name)})
				report.Diagnostics.Add(found)
			} else if !folder {
				fmt.Fprintf(a.err, "pentode: %s\n", workspace.Explain(file, err))
				unread = exitCode(exitMisuse)
			}
		}
		if len(docs) > 0 {
			visit(docs, folder)
		}
	}
	return unread
}
