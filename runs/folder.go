package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// OpenFolder opens a run folder.
func OpenFolder(w *workspace.Workspace, dir string) (*suite.Run, error) {
	if !suite.IsRunFolder(dir) {
		return nil, fmt.Errorf("`%s` is not the folder of a run: it has neither a launch plan (.psdl) nor exactly one pipeline (.pipe)", dir)
	}
	run, err := suite.Open(w, dir)
	if err != nil {
		return nil, fmt.Errorf("the folder `%s` cannot be read", dir)
	}
	return run, nil
}

// Folder runs a folder: it checks the files, then starts the plan, or, without a plan, the only pipeline. It returns the errors of Plan and Pipeline.
func Folder(ctx context.Context, run *suite.Run, o Options) (Result, error) {
	here, err := filepath.Abs(run.Dir)
	if err != nil {
		return Result{}, err
	}
	o = o.configured(filepath.Join(run.Dir, project.FileName))
	o.files = run
	found, err := checkFolder(run, &o)
	if err != nil {
		return Result{Findings: found}, err
	}
	kept := newRecorder(&o, record.Folder, run.Starts().Document.File.Path())
	kept.files(&o, run)
	o.sealResults()
	result, err := startFolder(ctx, run, here, &o)
	var refused *Refusal
	if result.Findings = found; errors.As(err, &refused) { // the files are correct, but may not be run here
		result.Findings = refused.Findings
	}
	o.endSeals()
	kept.end(&o, &result, err)
	return result, err
}

// PlanFolder checks a folder and returns what Folder would start: a plan, or a pipeline's plan and the options with which it runs. It starts nothing.
func PlanFolder(run *suite.Run, o Options) (*launch.Plan, *pipe.Plan, flow.Options, error) {
	var opt flow.Options
	o = o.configured(filepath.Join(run.Dir, project.FileName))
	here, err := filepath.Abs(run.Dir)
	if err != nil {
		return nil, nil, opt, err
	}
	if _, err := checkFolder(run, &o); err != nil {
		return nil, nil, opt, err
	}
	o.Pipeline.Dir, o.Plan.Launch.Dir = here, here
	if run.Starts() != run.Configs[suite.Flow] {
		plan, err := newPlan(run.Starts(), &o)
		return plan, nil, opt, err
	}
	plan, opt, err := PlanPipeline(run.Starts(), o)
	return nil, plan, opt, err
}

// checkFolder reports the findings of all files.
func checkFolder(run *suite.Run, o *Options) (diag.List, error) {
	host := o.Host
	host.AllowOutside = host.AllowOutside || o.AllowOutside
	found := suite.Diagnostics(run, host)
	if run.Starts() == nil || found.HasErrors() && !o.Plan.KeepGoing {
		return found, &Refusal{found}
	}
	if len(found) > 0 {
		o.Events(Found{found})
	}
	return found, nil
}

// startFolder starts the plan or the pipeline, and collects the results.
func startFolder(ctx context.Context, run *suite.Run, here string, o *Options) (Result, error) {
	if o.Results == "" {
		o.Results = filepath.Base(here) + "-out"
	}
	out, err := filepath.Abs(o.Results)
	if err != nil {
		return Result{}, err
	}
	tidy, err := makeOut(out, o.Results)
	if err != nil {
		return Result{}, err
	}
	defer tidy()
	before := record.FilesBelow(out)
	o.recorder.resultsIn(out, before)
	var result Result
	if started := run.Starts(); started == run.Configs[suite.Flow] {
		traceBy(&o.Pipeline, run.Configs[suite.Trace])
		o.Pipeline.Dir = here
		result, err = Pipeline(ctx, started, *o)
	} else {
		o.Plan.Launch.Dir = here
		result, err = startPrograms(ctx, run, o, out, before)
	}
	var refused *Refusal
	var failed *Failure
	if err == nil || errors.As(err, &refused) || errors.As(err, &failed) || errors.Is(err, flow.ErrStopped) { // for other errors, nothing was started
		result.Results, result.Made = o.Results, madeSince(out, before)
	}
	return result, err
}

// traceBy makes the trace configuration of a folder, if it has one, decide what is traced, unless the options name another one.
func traceBy(p *PipelineOptions, config *lang.Config) {
	if config == nil {
		return
	}
	p.Policy = cmp.Or(p.Policy, config.Document.File.Path())
	p.Trace = cmp.Or(p.Trace, "trace.json")
}

// makeOut makes the folder of the results, and checks that it can be written, before anything is started. The function that it returns removes the
// folder if it is still empty.
func makeOut(dir, shown string) (tidy func(), err error) {
	tidy = func() {}
	if _, missing := os.Stat(dir); missing != nil {
		tidy = func() { _ = os.Remove(dir) } // fails if it is not empty
	}
	if err = os.MkdirAll(dir, 0o755); err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".probe"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the results cannot be written to `%s`: %w", shown, problem.Reason(err))
	}
	return tidy, nil
}

// startPrograms starts the plan of a run in its folder. Every process gets its own folder for results below out.
func startPrograms(ctx context.Context, run *suite.Run, o *Options, out string, before map[string]fs.FileInfo) (result Result, err error) {
	unlock, err := lockOut(out, o.Results)
	if err != nil {
		return result, err
	}
	defer unlock()
	var folders []string
	defer func() {
		for _, dir := range folders {
			_ = os.Remove(dir) // fails if it is not empty
		}
	}()
	var sites *planSites
	result.Plan, sites, err = startPlan(ctx, run.Configs[suite.Launch], o, func(n *launch.Node) {
		dir := filepath.Join(out, state.FileName(n.ID))
		n.Env = append(append(n.Env, launch.Var{Name: outVariable, Value: dir}), o.resultVariables(n.ID)...)
		if _, here := n.Starter.(launch.Local); here && os.Mkdir(dir, 0o755) == nil { // without the folder, the process itself reports that it cannot write
			folders = append(folders, dir)
		}
		if o.AllowOutside {
			n.Env = append(n.Env, launch.Var{Name: outsideVariable, Value: "1"})
		}
	})
	if result.Plan != nil {
		result.Began = true
		joinTraces(o, run, result.Plan, sites, out, before)
	}
	return result, err
}

// joinTraces joins the traces that the processes have left into one. It skips missing and broken traces, because their processes have reported the
// cause.
func joinTraces(o *Options, run *suite.Run, result *launch.Result, sites *planSites, out string, before map[string]fs.FileInfo) {
	var list []suite.Traced
	add := func(t suite.Traced, results string) {
		for _, dir := range programTraces(results, before) {
			t.Programs = true
			t.Program, t.Text = openProgramTrace(dir, beganAt(result, t.Name))
			list = append(list, t)
		}
	}
	defer func() {
		for _, t := range list {
			if c, ok := t.Text.(io.Closer); ok {
				c.Close()
			}
		}
	}()
	for _, p := range run.Programs {
		if p.Node.Kind == launch.KindDaemon && p.Own != nil {
			add(suite.Traced{Name: p.Node.ID, Daemon: true}, filepath.Join(out, state.FileName(p.Node.ID)))
		}
	}
	for rank, p := range run.Processes {
		results := filepath.Join(out, state.FileName(p.Node.ID))
		add(suite.Traced{Name: p.Node.ID, Rank: rank}, results)
		if p.Trace == nil || filepath.IsAbs(p.Trace.Text) {
			continue
		}
		f := ownTrace(filepath.Join(results, p.Trace.Text), before)
		if f == nil {
			continue
		}
		traced := suite.Traced{Name: p.Node.ID, Rank: rank, Start: startOf(result, sites, p.Node.ID).Sub(result.Started), Text: f}
		// The clock of another machine may be unknown; but a site has reported its start by our clock.
		if at := beganAt(result, p.Node.ID); p.Local || !at.Equal(result.Started) && sites.began(p.Node.ID).IsZero() {
			traced.Zero = at
		}
		list = append(list, traced)
	}
	if len(list) == 0 {
		return
	}
	writeJoined(o, outfile.Replace, filepath.Join(out, "trace.json"), list)
}

// ownTrace opens a trace that a process of this run has written: the complete trace, or the part that a killed process has left. It returns nil if
// there is none.
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

// beganAt returns the start of the run by the clock of a node's machine, as far as that clock is known.
func beganAt(result *launch.Result, node string) time.Time {
	for _, n := range result.Nodes {
		if n.ID == node && n.Clock != nil {
			return result.Started.Add(*n.Clock)
		}
	}
	return result.Started
}

// startOf returns the time at which the trace of a process begins. Sites report this time; for other processes it is their start.
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
