package runs

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/runs/traced"
	"github.com/pentode-dev/pentode/workspace/project"
)

// aroundTrace describes the run around a traced program.
func (o *Options) aroundTrace() traced.Around {
	in := environmentPlan()
	return traced.Around{Workspace: o.Workspace, In: o.In, Out: o.Out, Log: o.Log, Found: o.found, Warn: o.warn, Launch: in.launch, Node: in.node}
}

// Trace runs a program with its arguments, and traces what the configuration selects. If one
// launcher starts several ranks on a node, the first rank collects; the others become the
// program, and Trace does not return. Signals of this program are passed on, and the end of
// the context sends the program a SIGTERM.
func Trace(ctx context.Context, args []string, o Options) (traced.Result, error) {
	o = o.configured(project.FileName)
	r, err := traced.New(ctx, args, o.Trace, o.aroundTrace())
	if err != nil {
		return traced.Result{}, err
	}
	defer r.Close()
	out, err := claimTrace(o.Trace.Out, r.Program(), r.Node())
	if err != nil {
		return traced.Result{}, err
	}
	kept := recordTrace(&o, r, out)
	o.sealResults()
	result, err := r.Trace(ctx, traced.Keep{Out: out, Seals: o.seals, Ledger: o.ledger, Expect: o.recorder.expect, Begin: o.recorder.begin})
	o.endSeals()
	kept.traced(&o, &result, err)
	return result, err
}

// TraceOffers runs a program only to find out which events its OpenMP runtime offers.
func TraceOffers(ctx context.Context, args []string, o Options) ([]traced.Offer, error) {
	o = o.configured(project.FileName)
	r, err := traced.New(ctx, args, o.Trace, o.aroundTrace())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Offers(ctx)
}

// recordTrace begins the record of a program that is traced into a folder.
func recordTrace(o *Options, r *traced.Run, out string) *recorder {
	path, text, config := r.Configured()
	name := config.Document.File.Path()
	kept := newRecorder(o, record.Trace, cmp.Or(path, name))
	if kept == nil {
		return nil
	}
	if path != "" {
		kept.file(source.NewFile(path, text))
		kept.settings(filepath.Base(path), config, nil)
	}
	if sum, err := config.Fingerprint(); err == nil {
		kept.Fingerprints[filepath.Base(name)] = sum.String()
	}
	kept.program(r.Program())
	kept.resultsIn(beneath(kept.here, out), map[string]fs.FileInfo{}) // the folder is new
	return kept
}

// traced writes the record of a program that was traced.
func (r *recorder) traced(o *Options, result *traced.Result, err error) {
	if r == nil {
		return
	}
	if result.Counts == nil {
		r.abandon()
		return
	}
	r.Ended, r.Process = time.Now(), state.Identity{}
	if r.Exit = result.Code; err != nil {
		r.Exit, r.End = 1, r.hidden.Replace(err.Error())
	}
	r.Stats = []record.Figure{
		{Name: "time", Value: r.Ended.Sub(r.Started).Seconds(), Unit: "s"}, {Name: "events", Value: float64(result.Counts.Events)},
		{Name: "threads", Value: float64(result.Counts.Threads)}, {Name: "dropped events", Value: float64(result.Counts.Dropped)},
	}
	r.results()
	r.write(o)
}
