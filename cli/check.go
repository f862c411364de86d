package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

func (a *app) checkVerb() *cobra.Command {
	var as format
	var strict, fix, diffOnly, host, watch, group bool
	cmd := &cobra.Command{
		Use:     "check PATH...",
		Short:   "Say what is wrong with files and folders",
		Example: examples("pentode check examples/heat", "pentode check --format sarif examples > findings.sarif"),
	}
	once := func(paths []string) error {
		w, err := a.workspace()
		if err != nil {
			return err
		}
		if host {
			return a.checkHost(w, paths)
		}
		if group && as != asText {
			return errors.New("--group is for people: give it without --format")
		}
		if group {
			as = asGroups
		}
		report, err := a.checkOrFix(w, paths, fix, diffOnly, as)
		if err != nil {
			return err
		}
		if report.Diagnostics.HasErrors() || strict && report.Diagnostics.Count(diag.Warning) > 0 {
			return exitCode(exitNo)
		}
		return nil
	}
	cmd.RunE = func(_ *cobra.Command, paths []string) error {
		switch {
		case !watch:
			return once(paths)
		case fix:
			return errors.New("--watch waits for your changes, and --fix makes some; give one of the two")
		}
		return a.again(paths, func() error { return once(paths) })
	}
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "`text|short|json|sarif`")
	cmd.Flags().BoolVar(&group, "group", false, "one line for each kind of finding: how many, and where the first is")
	cmd.Flags().BoolVar(&strict, "strict", false, "warnings count as errors")
	cmd.Flags().BoolVar(&fix, "fix", false, "apply the fixes that are marked safe")
	cmd.Flags().BoolVar(&diffOnly, "diff", false, "with --fix: show what would change, write nothing")
	cmd.Flags().BoolVar(&host, "host", false, "say whether this machine satisfies a COIL target")
	watchFlag(cmd, &watch)
	return a.reads(cmd)
}

// checkOrFix prints what is wrong, after the fixes where these were asked for.
// Where a fixed text or a diff is on standard output, the rest is not.
func (a *app) checkOrFix(w *workspace.Workspace, paths []string, fix, diffOnly bool, as format) (*render.Report, error) {
	if !fix {
		if diffOnly {
			return nil, errors.New("--diff goes with --fix; `pentode fmt -d` shows what formatting would change")
		}
		report, err := a.check(w, paths)
		if report == nil {
			return nil, err
		}
		return report, cmp.Or(a.print(report, as), err)
	}
	report, err := a.fix(w, paths, diffOnly)
	if err != nil {
		return nil, err
	}
	if diffOnly || slices.Contains(paths, "-") {
		fmt.Fprintln(a.err, report.Summary())
		return report, nil
	}
	return report, a.print(report, as)
}

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
	report.Diagnostics = append(w.Problems(), workspace.Unique(append(shown, w.Review(found, checked...)...))...)
	seen := map[render.File]bool{} // one may be named by itself and lie in a folder
	report.Files = slices.DeleteFunc(report.Files, func(f render.File) bool {
		twice := seen[f]
		seen[f] = true
		return twice
	})
	return nil
}

// given reports whether a file was given by its own name.
func (a *app) given(paths []string, c *lang.Config) bool {
	path := c.Document.File.Path()
	return slices.Contains(paths, path) || slices.Contains(paths, "-") && path == a.files.filename
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
				fmt.Fprintf(a.err, "pentode: %s\n", explainOpen(file, err))
				unread = exitCode(exitMisuse)
			}
		}
		if len(docs) > 0 {
			visit(docs, folder)
		}
	}
	return unread
}

// asGroups is the text of --group.
const asGroups format = "groups"

// manyFindings is the number of findings above which they are summed up by code.
const manyFindings = 20

// summary ends a report: how much was found, and how much of it is a matter of
// declarations that an installation has.
func (a *app) summary(r *render.Report) {
	fmt.Fprintln(a.err, r.Summary())
	settled := 0
	for _, d := range r.Diagnostics {
		if d.Code.ID == "sprokit/"+string(flow.UnknownType) || strings.HasSuffix(d.Message, flow.ImportHint) {
			settled++
		}
	}
	if len(r.Diagnostics) > manyFindings && settled > 0 {
		fmt.Fprintf(a.err, "%d of %d findings are about process types of another program: `pentode flow import` reads their declarations from its sources, and `--types` uses them\n", settled, len(r.Diagnostics))
	}
}

// print writes a report in a format.
func (a *app) print(r *render.Report, as format) error {
	switch as {
	case asText:
		if err := render.Terminal(visible.Below(a.out), r.Diagnostics, colour(a.out)); err != nil {
			return err
		}
		if len(r.Diagnostics) > 0 {
			fmt.Fprintln(a.out)
		}
		if len(r.Diagnostics) > manyFindings {
			if err := render.Grouped(a.err, render.Groups(r.Diagnostics)); err != nil {
				return err
			}
		}
		a.summary(r)
		return nil
	case asGroups:
		if err := render.Grouped(a.out, render.Groups(r.Diagnostics)); err != nil {
			return err
		}
		a.summary(r)
		return nil
	case asShort:
		return render.Short(a.out, r.Diagnostics)
	case asJSON:
		return render.JSON(a.out, r)
	case asSARIF:
		return render.SARIF(a.out, r, Version)
	}
	return fmt.Errorf("--format takes text, short, json or sarif, not `%s`", as)
}

// say shows findings that were not asked for.
func (a *app) say(list diag.List) {
	if len(list) > 0 {
		_ = render.Terminal(visible.Below(a.err), list, colour(a.err)) // nowhere is left to complain
	}
}
