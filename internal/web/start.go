package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/internal/web/watch"
	"github.com/pentode-dev/pentode/runs"
)

// startPipeline runs a pipeline inside this program, so that the page can read its
// figures directly. The run is like one in a terminal, in the folder of the pipeline.
func (s *Server) startPipeline(path string, log io.Writer) (watch.Pipeline, error) {
	o := *s.opt.Runs
	o.Workspace = s.opt.Workspace.With(s.opt.Workspace.Env) // the file may have changed
	o.Out, o.Log = log, log
	o.Events = func(e runs.Event) { tell(log, e) }
	o.Pipeline.Dir = filepath.Dir(path)
	if o.Record != nil {
		kept := *o.Record
		kept.Paths, kept.Command, kept.Folder = []string{path}, []string{"run", filepath.Base(path)}, o.Pipeline.Dir
		o.Record = &kept
	}
	config, err := o.Workspace.Config(path)
	if err != nil {
		return nil, errors.New(source.Explain(path, err))
	}
	run, err := runs.StartPipeline(context.Background(), config, o)
	if err == nil {
		fmt.Fprintf(log, "the results go to %s\n", visible.Text(run.Results()))
		return run, nil
	}
	var refused *runs.Refusal
	if errors.As(err, &refused) {
		tell(log, runs.Found{Findings: refused.Findings})
		return nil, fmt.Errorf("`%s` has errors, and is not started: %s", path, refused.Findings.Error())
	}
	var misfit *runs.Misfit
	if errors.As(err, &misfit) { // the page has no options to change, so it can only wait
		return nil, errors.New(misfit.What + "; wait until it is over, and start again")
	}
	return nil, err
}

// tell writes an event of a run to its log.
func tell(log io.Writer, e runs.Event) {
	switch e := e.(type) {
	case runs.Found:
		_ = render.Terminal(log, e.Findings, false) // the log is in memory, so writing cannot fail
	case runs.Said:
		fmt.Fprintln(log, visible.Text(e.String()))
	case runs.Unsteered:
		fmt.Fprintf(log, "warning: the run cannot be controlled: %s\n", e.Err)
	case runs.Warning:
		fmt.Fprintf(log, "warning: %s\n", visible.Text(e.Text))
	}
}

// startPlan runs a plan or a folder in a separate process.
func (s *Server) startPlan(path string, log io.Writer) (watch.Plan, error) {
	p, err := runs.Spawn(s.opt.Runs.Program, s.root, path, log)
	if err != nil {
		return nil, err
	}
	return p, nil
}
