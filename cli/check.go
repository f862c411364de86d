package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

func (a *app) checkVerb() *cobra.Command {
	var as format
	var strict, fix, dryRun, host, watch, group bool
	cmd := &cobra.Command{
		Use:     "check PATH...",
		Short:   "Report the problems in files and folders",
		Example: examples("pentode check examples/heat", "pentode check --format sarif examples > findings.sarif"),
	}
	once := func(paths []string) error {
		w, err := a.workspace()
		if err != nil {
			return err
		}
		if host {
			return a.checkHost(w, paths, as)
		}
		if group && as != asText {
			return errors.New("--group prints text only: leave --format out")
		}
		if group {
			as = asGroups
		}
		report, err := a.checkOrFix(w, paths, fix, dryRun, as)
		if err != nil {
			return err
		}
		if report.Diagnostics.HasErrors() || strict && report.Diagnostics.Count(diag.Warning) > 0 {
			return exitCode(exitNo)
		}
		return nil
	}
	cmd.RunE = func(_ *cobra.Command, paths []string) error {
		if a.files.lang == "" { // with --lang, the language may have its own search
			paths = orHere(paths)
		}
		switch {
		case !watch:
			return once(paths)
		case fix:
			return errors.New("--watch waits for your changes and --fix makes changes; give only one of them")
		}
		return a.again(paths, func() error { return once(paths) })
	}
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "`text|short|json|sarif`")
	cmd.Flags().BoolVar(&group, "group", false, "print one line for each kind of finding: their number and the first place")
	cmd.Flags().BoolVar(&strict, "strict", false, "count warnings as errors")
	cmd.Flags().BoolVar(&fix, "fix", false, "apply the fixes marked safe")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "with --fix: show what would change, write nothing")
	cmd.Flags().BoolVar(&host, "host", false, "report whether this machine satisfies a COIL target")
	watchFlag(cmd, &watch)
	return a.reads(cmd)
}

// checkOrFix checks the paths, after fixing them if asked, and prints the findings.
// If standard output gets a fixed text or a diff, it prints only their number, to standard error.
func (a *app) checkOrFix(w *workspace.Workspace, paths []string, fix, dryRun bool, as format) (*render.Report, error) {
	if !fix {
		if dryRun {
			return nil, errors.New("--dry-run needs --fix; `pentode fmt --diff` shows what formatting would change")
		}
		report, err := a.check(w, paths)
		if report == nil {
			return nil, err
		}
		return report, cmp.Or(a.print(report, as), err)
	}
	report, err := a.fix(w, paths, dryRun)
	if err != nil {
		return nil, err
	}
	if dryRun || slices.Contains(paths, "-") {
		fmt.Fprintln(a.err, report.Summary())
		return report, nil
	}
	return report, a.print(report, as)
}

// asGroups is the output format of --group.
const asGroups format = "groups"

// summary prints the end of a report: the number of findings, and what would fix many of them at once.
func (a *app) summary(r *render.Report) {
	fmt.Fprintln(a.err, r.Summary())
	if settled := suite.Settled(r.Diagnostics); settled != "" {
		fmt.Fprintln(a.err, settled)
	}
}

// print writes a report in a format.
func (a *app) print(r *render.Report, as format) error {
	switch as {
	case asText:
		if err := render.Terminal(visible.Below(a.out), r.Diagnostics, a.colours(a.out)); err != nil {
			return err
		}
		if len(r.Diagnostics) > 0 {
			fmt.Fprintln(a.out)
		}
		if len(r.Diagnostics) > render.Many {
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
	}
	return render.SARIF(a.out, r, Version)
}

// inProject returns the findings for one file in the context of its project: as a
// part of its run, or of the files that include it, else by itself.
func (a *app) inProject(w *workspace.Workspace, includers *workspace.Includers, c *lang.Config) diag.List {
	alone := func() diag.List { return w.Review(c.Found(), c) }
	if len(c.Lower) > 0 || len(a.files.overrides) > 0 || w.Force != nil || a.files.read != nil {
		return alone() // the flags change how the file is read, so its findings in the project do not apply
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

// runOf returns the run in the folder of a file if the file is part of it, else nil.
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

// within returns the findings in the given files.
func within(list diag.List, files ...*source.File) diag.List {
	return slices.DeleteFunc(list, func(d *diag.Diagnostic) bool {
		return d.Span.File == nil || !slices.ContainsFunc(files, func(f *source.File) bool {
			return filepath.Clean(f.Path()) == filepath.Clean(d.Span.File.Path())
		})
	})
}

// checkRuns opens the run folders of the files that were found in folders. It returns the runs, and the
// files outside them; the files of a run are checked as parts of it.
func (a *app) checkRuns(w *workspace.Workspace, paths []string, found []*lang.Config, report *render.Report) ([]*suite.Run, []*lang.Config, error) {
	var list []*suite.Run
	given := func(c *lang.Config) bool { return a.given(paths, c) } // a file named on the command line is checked by itself
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
			continue // part of the run in a folder above
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

// foldersOf returns the folders of the files that were not given by name, each folder before
// the folders inside it.
func foldersOf(found []*lang.Config, given func(*lang.Config) bool) []string {
	var dirs []string
	for _, c := range found {
		if !given(c) {
			dirs = append(dirs, filepath.Dir(c.Document.File.Path()))
		}
	}
	depth := func(dir string) int {
		if dir = filepath.Clean(dir); dir == "." {
			return -1 // `.` is above all relative paths
		}
		return strings.Count(dir, string(filepath.Separator))
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(depth(a)-depth(b), cmp.Compare(a, b)) })
	return slices.Compact(dirs)
}

func fileOf(c *lang.Config) render.File {
	return render.File{Path: c.Document.File.Path(), Language: c.Document.Language.Name}
}

// given reports whether the command line names this file.
func (a *app) given(paths []string, c *lang.Config) bool {
	path := c.Document.File.Path()
	return slices.Contains(paths, path) || slices.Contains(paths, "-") && path == a.files.filename
}

// checkHost reports whether this machine satisfies a target.
func (a *app) checkHost(w *workspace.Workspace, paths []string, as format) error {
	if len(paths) != 1 {
		return errors.New("--host takes one COIL configuration, or the name of a preset")
	}
	t, err := a.target(w, paths[0])
	if err != nil {
		return err
	}
	machines, err := a.machines()
	if err != nil {
		return err
	}
	hosts, err := a.hosts(machines, t.PU)
	if err != nil {
		return err
	}
	no := fmt.Sprintf("this machine does not satisfy %s", paths[0])
	if len(hosts) == 0 && as == asText {
		fmt.Fprintf(a.out, "%s: no %s was found that can be queried\n", no, t.PU)
		return exitCode(exitNo)
	}
	v := target.Verdict{{Key: target.KeyPU, A: t.PU}} // the result if no device of this kind can be queried
	for _, h := range hosts {                         // one match is enough
		if v = machines.Satisfies(h, t); v.OK() {
			break
		}
	}
	return a.verdict(v, string(as), fmt.Sprintf("this machine satisfies %s", paths[0]), no)
}

// hosts returns the processing units of a kind on this machine.
func (a *app) hosts(machines target.Machines, pu string) ([]target.Target, error) {
	switch pu {
	case "CPU":
		host, err := machines.Detect(target.ThisHost())
		return []target.Target{host}, err
	case "GPU":
		gpus, notes := machines.DetectGPUs(target.ThisHost())
		a.notes(notes)
		return gpus, nil
	}
	return nil, nil
}

// check checks every path. Folders are walked, and each run folder in them is also checked as a whole.
// If some paths cannot be read, it returns an error, and a report about the others.
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

// gather adds the findings of configurations, and of the run folders that contain them,
// to a report.
func (a *app) gather(w *workspace.Workspace, paths []string, configs []*lang.Config, report *render.Report) error {
	found := report.Diagnostics
	var runs []*suite.Run
	if len(paths) > 0 { // without paths, the search found the layers, which may be in any folder
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
	a.work.Begin("checking", "files")
	for i, c := range configs {
		a.work.Set(int64(i), int64(len(configs)))
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
	seen := map[render.File]bool{} // a file may be named itself and also be in a named folder
	report.Files = slices.DeleteFunc(report.Files, func(f render.File) bool {
		twice := seen[f]
		seen[f] = true
		return twice
	})
	return nil
}

// planned tells each project which programs its launch plans start. Plans with errors are skipped, because
// they may be incomplete.
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
// layered language together, every other file by itself. It reports unreadable paths
// at once, and then returns an error.
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
		a.work.Begin("resolving", "files")
		for i, d := range docs {
			a.work.Set(int64(i), int64(len(docs)))
			found = append(found, w.Resolve(d))
		}
		configs = append(configs, workspace.Leaves(found)...)
	})
	if len(layers) > 0 {
		configs = append(configs, w.Layers(layers))
	}
	return configs, unread
}

// openAll opens every path and all files of folders. An unreadable file in a folder becomes a
// finding of the report; an unreadable path is reported at once, and openAll returns an
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
		a.work.Begin("reading", "files")
		for i, file := range files {
			a.work.Set(int64(i), int64(len(files)))
			if !folder && w.IsProject(file) {
				report.Files = append(report.Files, render.File{Path: file, Language: "project"})
				continue // the workspace reports this finding itself
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

// fix applies safe fixes, also in included files, and reports the remaining findings.
// With dryRun it shows what would change and writes nothing.
func (a *app) fix(w *workspace.Workspace, paths []string, dryRun bool) (*render.Report, error) {
	fromStdin := slices.Contains(paths, "-")
	if fromStdin && len(paths) > 1 {
		return nil, errors.New("--fix takes either files, or - alone")
	}
	draft := w.Draft()
	report := &render.Report{}
	configs, err := a.configs(w, paths, report)
	if err != nil {
		return nil, err
	}
	if err := a.unsound(w); err != nil {
		return nil, err
	}
	var done []string
	for i, c := range configs {
		fixed, err := draft.Fix(c)
		if err != nil {
			return nil, err
		}
		path := c.Document.File.Path()
		if configs[i] = fixed.Config; fixed.Made > 0 {
			done = append(done, fmt.Sprintf("%s: %d fixed, %d left\n", path, fixed.Made, fixed.Config.Diagnostics().Total()))
		}
		if fixed.Refused > 0 {
			done = append(done, fmt.Sprintf("%s: %s not made, because other settings would change with it or more would be wrong\n", path, quantity.Count(fixed.Refused, "fix is", "fixes are")))
		}
	}
	if err := a.gather(w, paths, configs, report); err != nil {
		return nil, err
	}
	switch {
	case dryRun:
		err = writeDiff(a.out, draft.Changes())
	case fromStdin:
		_, err = io.WriteString(a.exact(), configs[0].Document.File.Text())
	default:
		err = draft.Write()
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprint(a.err, strings.Join(done, ""))
	return report, nil
}
