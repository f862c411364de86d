package cli

import (
	"fmt"
	"path/filepath"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// runFolder runs a folder, and lists the results. takes refuses flags that the
// language of what is started does not have.
func (a *app) runFolder(w *workspace.Workspace, dir string, pipe *pipeFlags, psdl *psdlFlags, takes func(*lang.Language, ...string) error) error {
	run, err := a.openWhole(w, dir)
	if err != nil {
		return err
	}
	title := dir
	if started := run.Starts(); started != nil {
		title = started.Document.File.Path()
		if err := takes(started.Document.Language, forFolders...); err != nil {
			return err
		}
	}
	v := newRunView(a, title, pipe.stats)
	defer v.close()
	o, err := v.runOptions(w, pipe, psdl)
	if err != nil {
		return err
	}
	o.Record = a.recording(dir)
	if pipe.dryRun {
		return a.planFolder(run, o)
	}
	result, err := runs.Folder(v.ctx, run, o)
	v.close()
	if run.Starts() == run.Configs[suite.Flow] {
		err = v.pipelineEnded(result, err)
	} else {
		err = a.planResult(result, err)
	}
	if result.Results != "" {
		a.results(result.Results, result.Made)
	}
	return err
}

// planFolder prints what a folder would start.
func (a *app) planFolder(run *suite.Run, o runs.Options) error {
	programs, pipeline, opt, err := runs.PlanFolder(run, o)
	switch {
	case err != nil:
		return a.notRun(err)
	case programs == nil:
		return a.pipelinePlan(pipeline, opt)
	}
	return a.writePlan(programs, programs.WriteText)
}

// results lists what a run has written to a folder.
func (a *app) results(folder string, list []runs.Made) {
	if len(list) == 0 {
		fmt.Fprintf(a.err, "nothing was written to %s\n", folder)
		return
	}
	fmt.Fprintf(a.err, "\nresults in %s:\n", folder)
	for _, m := range list {
		name := m.First
		if m.Count > 1 {
			name += " … " + filepath.Base(m.Last)
		}
		line := fmt.Sprintf("  %-44s %9s", name, byteCount(m.Bytes))
		if m.Count > 1 {
			line += fmt.Sprintf("  %d files", m.Count)
		}
		fmt.Fprintln(a.err, line)
	}
}

func byteCount(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// forFolders are the flags of pipelines that a folder takes whatever is started in it.
var forFolders = []string{"out", "allow-outside", "dry-run"}
