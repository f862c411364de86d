package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// runFolder runs a folder: it checks the files, then starts the plan, or the one
// pipeline where there is no plan. takes refuses flags that the language of what
// is started does not have.
func (a *app) runFolder(w *workspace.Workspace, dir string, pipe *pipeRun, psdl *psdlRun, takes func(*lang.Language) error) error {
	run, err := a.openWhole(w, dir)
	if err != nil {
		return err
	}
	started := run.Starts()
	if started != nil {
		if err := takes(started.Document.Language); err != nil {
			return err
		}
	}
	found := suite.Diagnostics(run, a.host())
	for _, d := range found {
		if started == nil && d.Code.ID == "suite/ambiguous" {
			d.Severity = diag.Error // to check it is a warning; a run must know its plan
		}
	}
	a.say(found)
	if started == nil || found.HasErrors() && !psdl.keepGoing {
		return exitCode(exitNo)
	}
	return a.startFolder(w, run, pipe, psdl)
}

// startFolder starts the plan or the pipeline, and lists the results.
func (a *app) startFolder(w *workspace.Workspace, run *suite.Run, pipe *pipeRun, psdl *psdlRun) error {
	here, err := filepath.Abs(run.Dir)
	if err != nil {
		return err
	}
	if pipe.out == "" {
		pipe.out = filepath.Base(here) + "-out"
	}
	shown := pipe.out
	out, err := filepath.Abs(shown)
	if err != nil {
		return err
	}
	var before map[string]fs.FileInfo
	if !pipe.dryRun {
		tidy, err := makeOut(out, shown)
		if err != nil {
			return err
		}
		defer tidy()
		before = filesBelow(out)
	}
	if started := run.Starts(); started == run.Configs[suite.Flow] {
		pipe.traceBy(run.Configs[suite.Trace])
		pipe.dir = here
		err = pipe.run(a, runJob{workspace: w, config: started})
	} else {
		err = a.startRun(run, pipe, psdl, here, out, before)
	}
	var ended exitCode
	if !pipe.dryRun && (err == nil || errors.As(err, &ended)) { // else nothing was started
		a.results(out, shown, before)
	}
	return err
}

// traceBy lets the trace configuration of a folder, if it has one, decide what is
// traced, unless the command line does.
func (p *pipeRun) traceBy(config *lang.Config) {
	if config == nil {
		return
	}
	if p.policy == "" {
		p.policy = config.Document.File.Path()
	}
	if p.trace == "" {
		p.trace = "trace.json"
	}
}

// makeOut makes the folder of the results, and sees that something can be
// written there, before anything is started. What it returns takes the folder
// away again if nothing was.
func makeOut(dir, shown string) (tidy func(), err error) {
	tidy = func() {}
	if _, missing := os.Stat(dir); missing != nil {
		tidy = func() { _ = os.Remove(dir) } // fails where it has something in it
	}
	if err = os.MkdirAll(dir, 0o755); err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".probe"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the results cannot be written to `%s`: %w", shown, flow.Reason(err))
	}
	return tidy, nil
}

// startRun starts the plan of a run in its folder. Every process leaves its
// results in a folder of its own below out.
func (a *app) startRun(run *suite.Run, pipe *pipeRun, psdl *psdlRun, here, out string, before map[string]fs.FileInfo) error {
	config := run.Configs[suite.Launch]
	inFolder := func(o *launch.Options) { o.Dir = here }
	if pipe.dryRun {
		plan, err := a.launchPlan(config, &psdl.plan, inFolder)
		if err != nil {
			return err
		}
		return plan.WriteText(a.out)
	}
	unlock, err := lockOut(out, pipe.out)
	if err != nil {
		return err
	}
	defer unlock()
	result, err := psdl.start(a, config, inFolder, func(n *launch.Node) {
		n.Env = append(n.Env, launch.Var{Name: outVariable, Value: filepath.Join(out, state.FileName(n.ID))})
		if pipe.allowOutside {
			n.Env = append(n.Env, launch.Var{Name: outsideVariable, Value: "1"})
		}
	})
	if result != nil {
		a.joinTraces(run, result, psdl.sites, out, before)
	}
	return err
}

// openWhole opens the run of a folder for a verb that treats it as one thing.
func (a *app) openWhole(w *workspace.Workspace, dir string) (*suite.Run, error) {
	switch {
	case len(a.files.overrides) > 0:
		return nil, errors.New("-s overrides a setting of one file, and a folder has several; give the file, or edit it with `pentode set`")
	case w.Force != nil:
		return nil, errors.New("--lang is for one file; the files of a folder have languages of their own")
	}
	run, err := a.openRun(w, dir)
	if err != nil {
		return nil, err
	}
	return run, a.unsound(w)
}

// openRun opens the run of a folder.
func (a *app) openRun(w *workspace.Workspace, dir string) (*suite.Run, error) {
	if !suite.IsRunFolder(dir) {
		return nil, fmt.Errorf("`%s` is not the folder of a run: it has neither a launch plan (.psdl) nor exactly one pipeline (.pipe)", dir)
	}
	run, err := suite.Open(w, dir)
	if err != nil {
		return nil, fmt.Errorf("the folder `%s` cannot be read", dir)
	}
	return run, nil
}

// joinTraces makes one trace of those that the processes have left. A run
// that has none, or a broken one, has failed in louder ways.
func (a *app) joinTraces(run *suite.Run, result *launch.Result, sites *planSites, out string, before map[string]fs.FileInfo) {
	var list []suite.Traced
	for rank, p := range run.Processes {
		if p.Trace == nil || filepath.IsAbs(p.Trace.Text) {
			continue
		}
		f := ownTrace(filepath.Join(out, state.FileName(p.Node.ID), p.Trace.Text), before)
		if f == nil {
			continue
		}
		defer f.Close()
		list = append(list, suite.Traced{Name: p.Node.ID, Rank: rank, Start: startOf(result, sites, p.Node.ID).Sub(result.Started), Text: f})
	}
	if len(list) == 0 {
		return
	}
	a.writeJoined(outfile.Replace, filepath.Join(out, "trace.json"), list)
}

// ownTrace opens a trace that a process of this run has written: all of it, or
// what one that was killed has left. nil: there is none.
func ownTrace(path string, before map[string]fs.FileInfo) *os.File {
	for _, name := range []string{path, path + outfile.Suffix} {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		if info, err := f.Stat(); err == nil && info.Size() > 0 && !unchanged(before[name], info) {
			return f
		}
		f.Close()
	}
	return nil
}

// startOf is when the trace of a process begins. Sites say it themselves;
// otherwise it is when the process was started.
func startOf(result *launch.Result, sites *planSites, node string) time.Time {
	if began := sites.began(node); !began.IsZero() {
		return began
	}
	for _, n := range result.Nodes {
		if n.ID == node {
			return n.Started
		}
	}
	return result.Started
}
