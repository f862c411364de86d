package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/remote"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch/guard"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/suite"
)

// pipeRun is a pipeline that is ready to run.
type pipeRun struct {
	Options
	resolved
	ticket *remote.Ticket // from the program that started this site; nil: none
	unlock func()         // releases the folder of the results
	result Result
}

// resolved is a pipeline as this program runs it. It is resolved once, when it is read.
type resolved struct {
	path     string // its file
	model    *sprokit.Model
	plan     *pipe.Plan
	problems problem.List // of the plan
	engine   flow.Options // how it runs
}

// Pipeline runs a pipeline to its end. Its error is a *Refusal, a *Failure, ErrInterrupted, flow.ErrStopped, or the reason why it could not be
// started.
func Pipeline(ctx context.Context, config *lang.Config, o Options) (Result, error) {
	o = o.configured(config.Document.File.Path())
	ended := o.recordPipeline(config)
	result, err := runPipeline(ctx, config, o)
	ended(&result, err)
	return result, err
}

// recordPipeline begins the record and the seals of a pipeline. The returned function completes them.
func (o *Options) recordPipeline(config *lang.Config) (ended func(*Result, error)) {
	kept := recordFile(o, record.Pipeline, filepath.Dir(config.Document.File.Path()), config)
	o.sealResults()
	return func(result *Result, err error) {
		if kept != nil || o.recorder == nil { // otherwise the recorder of the folder has them
			o.endSeals()
		}
		kept.end(o, result, err)
	}
}

func runPipeline(ctx context.Context, config *lang.Config, o Options) (Result, error) {
	p, err := newPipeRun(config, o)
	if err != nil {
		return p.result, err
	}
	if err := p.makeReady(); err != nil {
		return p.result, err
	}
	if p.Pipeline.Local {
		defer p.unlock()
		err := p.runSites(ctx)
		return p.result, err
	}
	run, err := p.start(ctx)
	if err != nil {
		return p.result, err
	}
	err = run.Wait()
	return p.result, err
}

// StartPipeline starts a pipeline and returns while it runs.
func StartPipeline(ctx context.Context, config *lang.Config, o Options) (*PipelineRun, error) {
	o = o.configured(config.Document.File.Path())
	ended := o.recordPipeline(config)
	p, err := newPipeRun(config, o)
	if err != nil {
		return nil, err
	}
	if err := p.makeReady(); err != nil {
		return nil, err
	}
	run, err := p.start(ctx)
	if err != nil {
		return nil, err
	}
	run.ended = ended
	return run, nil
}

// PlanPipeline returns the plan of a run and the options with which it runs; it starts nothing.
func PlanPipeline(config *lang.Config, o Options) (*pipe.Plan, flow.Options, error) {
	o = o.configured(config.Document.File.Path())
	p, err := newPipeRun(config, o)
	if err != nil {
		return nil, flow.Options{}, err
	}
	if p.Pipeline.Site != "" {
		p.engine.Part = &pipe.Part{Site: p.Pipeline.Site}
	}
	if p.problems.HasErrors() && len(pipe.Unrunnable(p.plan)) == 0 { // the plan itself shows these problems
		if found := p.model.Failure(p.problems); len(found) > 0 {
			return nil, p.engine, &Refusal{found}
		}
		return nil, p.engine, p.problems
	}
	return p.plan, p.engine, nil
}

// newPipeRun checks a pipeline and reads how it runs.
func newPipeRun(config *lang.Config, o Options) (*pipeRun, error) {
	p := &pipeRun{Options: o}
	var err error
	if p.ticket, err = takeTicket(p.Pipeline.Site); err != nil {
		return p, err
	}
	p.result.Led = p.led()
	p.path = config.Document.File.Path()
	p.result.Findings, p.model = sprokit.Findings(config)
	switch {
	case p.result.Findings.HasErrors():
		return p, &Refusal{p.result.Findings}
	case !p.led() && len(p.result.Findings) > 0:
		p.Events(Found{p.result.Findings})
	}
	if p.model == nil {
		return p, errors.New("this is not a pipeline")
	}
	if p.engine, err = p.model.Options(); err != nil {
		return p, err
	}
	p.plan, p.problems = p.model.Plan()
	e := &p.engine
	if e.Gate, err = takeProgram(); err != nil {
		return p, err
	}
	e.Name = filepath.Base(p.path)
	e.FailOnErrors = p.Pipeline.FailOnErrors
	e.Stdin, e.Stdout, e.Dir = p.In, p.Out, p.Pipeline.Dir
	e.Program, e.Seal, e.Ledger = p.Program.Path, p.seals, p.ledger
	e.Scheduler = cmp.Or(p.Pipeline.Scheduler, e.Scheduler, flow.DefaultScheduler)
	if all := flow.Schedulers(); !slices.Contains(all, e.Scheduler) {
		near := ""
		if n, ok := problem.Nearest(e.Scheduler, all); ok {
			near = "; " + problem.DidYouMean(n)
		}
		return p, fmt.Errorf("there is no scheduler `%s`%s; there are %s", e.Scheduler, near, strings.Join(all, ", "))
	}
	return p, nil
}

// makeReady reads the trace configurations, and makes the folder of the results.
func (p *pipeRun) makeReady() (err error) {
	if p.engine.Filter, err = p.filter(); err != nil {
		return err
	}
	if p.unlock, err = p.outFolder(); err == nil && p.recorder != nil && p.recorder.Kind == record.Pipeline {
		p.recorder.resultsOf(p.engine.Out, p.Results != "")
	}
	return err
}

// childGrace is how long the programs of a killed pipeline may take to end: they have already lost their input.
const childGrace = 2 * time.Second

// startsPrograms reports whether a process of the pipeline starts a program.
func startsPrograms(plan *pipe.Plan) bool {
	return slices.ContainsFunc(plan.Nodes, func(n pipe.PlanNode) bool {
		return n.Type != nil && slices.ContainsFunc(n.Type.Keys, func(k pipe.Key) bool { return k.Runs })
	})
}

// A PipelineRun is a running pipeline with its stores, trace and control socket.
type PipelineRun struct {
	*flow.Run
	p         *pipeRun
	asked     *interrupts
	others    *member
	control   *registration
	told      func(error)
	release   []func() // releases what the run holds, in this order
	stores    func() error
	trace     *outfile.File
	errorFile *errorFile
	ended     func(*Result, error) // records the end of the run; nil: the caller does that
}

// start starts the pipeline, its stores, trace and control socket.
func (p *pipeRun) start(ctx context.Context) (_ *PipelineRun, err error) {
	r := &PipelineRun{p: p, release: []func(){p.unlock}, stores: func() error { return nil }}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if startsPrograms(p.plan) {
		r.release = append(r.release, p.Program.guard(guard.Watched{Mark: state.NewID(time.Now()), Grace: childGrace}))
	}
	if err := p.openGate(); err != nil {
		return nil, err
	}
	if p.engine.Gate != nil {
		r.release = append(r.release, p.engine.Gate.Close)
	}
	open, err := p.openStores()
	if err != nil {
		return nil, err
	}
	if p.Pipeline.Trace != "" {
		// The trace may be outside of the results if the user asks for that, but no link in the results may lead it outside.
		folder := outfile.Folder{Dir: p.engine.Out, Fenced: p.engine.Fenced && filepath.IsLocal(p.Pipeline.Trace), Seal: p.seals, Ledger: p.ledger}
		if r.trace, err = folder.Create(p.Pipeline.Trace); err != nil {
			return nil, fmt.Errorf("the trace `%s` cannot be written: %w", p.Pipeline.Trace, problem.Reason(err))
		}
		p.engine.Trace, p.engine.TraceSize = r.trace, max(0, p.Pipeline.TraceSize)
	}
	if r.errorFile, err = p.openErrorFile(); err != nil {
		return nil, err
	}
	open, r.stores = suite.KeepStores(open)
	p.plan = suite.WithStores(p.plan, open)
	p.Events(Starting{})
	r.asked = newInterrupts(ctx, p.Abort, p.Events)
	r.release = append(r.release, r.asked.close)
	if r.others, err = p.join(); err != nil {
		return nil, err
	}
	log := newRunLog(p.Events)
	if r.others != nil {
		log.note = r.others.site.Note
	}
	p.recorder.expect()
	if r.Run, err = r.asked.start(p.begin, log.begin(r.others.prepare(p.engine))); err != nil {
		p.recorder.abandon()
		_ = r.stores() // the reason why the run did not begin matters more
		r.stores = func() error { return nil }
		return nil, p.failed(r.others.end(err))
	}
	p.result.Began = true
	p.Events(Began{Run: r.Run, Reads: r.ReadsStdin(), Led: p.led()})
	r.told = tellProgress(p.path, r.Run)
	if !p.Pipeline.NoControl && !p.led() { // the leader of a site controls it
		r.control = register(&p.Options, p.path, steer.Methods(r.others.steered(r.Run)), environmentPlan(), r.others.follows())
	}
	p.recorder.begin()
	return r, nil
}

// begin starts the engine.
func (p *pipeRun) begin(ctx context.Context, opt flow.Options) (*flow.Run, error) {
	return flow.Start(ctx, p.plan, p.problems, opt)
}

// close releases what a run that did not begin holds. It removes an empty trace.
func (r *PipelineRun) close() {
	_ = r.stores() // the reason why the run did not begin matters more
	if r.trace != nil {
		_ = r.trace.Discard() // likewise
	}
	r.errorFile.discard()
	for _, release := range slices.Backward(r.release) {
		release()
	}
}

// Socket returns the path of the socket through which other programs control the pipeline, or "".
func (r *PipelineRun) Socket() string { return r.control.socket() }

// Results returns the folder of relative names of output files; empty: the current folder.
func (r *PipelineRun) Results() string { return r.p.engine.Out }

// Wait waits for the end of the pipeline and of everything that belongs to it.
func (r *PipelineRun) Wait() error {
	err := r.others.end(r.asked.wait(r.others.follow(r.Run)))
	if e := r.stores(); e != nil && err == nil {
		err = e
	}
	r.control.close()
	r.told(err)
	if r.trace != nil {
		if e := r.trace.Close(); e != nil && err == nil {
			err = fmt.Errorf("the trace `%s` cannot be written: %w", r.p.Pipeline.Trace, problem.Reason(e))
		}
	}
	if e := r.errorFile.close(); err == nil {
		err = e
	}
	r.p.result.Stats = r.Stats()
	for _, release := range slices.Backward(r.release) {
		release()
	}
	err = r.p.failed(err)
	if r.ended != nil {
		r.ended(&r.p.result, err)
	}
	return err
}

// failed adds the position in the file to the error of a run.
func (p *pipeRun) failed(err error) error {
	if err == nil || errors.Is(err, flow.ErrStopped) {
		return err
	}
	return &Failure{p.model.Failure(err), err}
}
