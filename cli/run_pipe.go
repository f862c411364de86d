package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch/guard"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/suite"
)

// pipeRun runs a pipeline.
type pipeRun struct {
	app                             *app
	scheduler, stats, trace, policy string
	out                             string
	dir                             string // of a run folder: where files are read
	dryRun, noControl, allowOutside bool
	traceFile                       *outfile.File
	traceSize                       byteSize
	siteFlags
}

func (p *pipeRun) flags(f *pflag.FlagSet) {
	f.StringVar(&p.scheduler, "scheduler", "", "pipelines: the scheduler's `NAME`, whatever the file says: "+strings.Join(flow.Schedulers(), ", "))
	f.StringVar(&p.stats, "stats", "", "pipelines, and plans that start their sites: print the figures of the run, as a `table|json`")
	f.Lookup("stats").NoOptDefVal = "table"
	f.StringVar(&p.trace, "trace", "", "pipelines: write what happened when to a `FILE` for Perfetto or Chrome")
	p.traceSize = 256 << 20
	f.Var(&p.traceSize, "trace-size", "pipelines: the newest events that a trace keeps, as a `SIZE` such as 64MB; 0 keeps all")
	f.StringVar(&p.policy, "policy", "", "pipelines: trace only what the trace configuration `FILE` says")
	f.StringVar(&p.out, "out", "", "pipelines and folders: make `DIR` and leave there what is written (default PENTODE_OUT; of a folder NAME-out)")
	f.BoolVar(&p.allowOutside, "allow-outside", false, "pipelines and folders: let results go out of the folder of --out")
	f.BoolVar(&p.noControl, "no-control", false, "pipelines: do not let other terminals steer the run")
	f.BoolVar(&p.dryRun, "dry-run", false, "print the plan and run nothing")
	f.StringVar(&p.sites, "sites", "", "pipelines, and plans that start their sites: run every site on this machine, each in a process of its own: `local`")
	f.StringVar(&p.site, "site", "", "pipelines: run only the processes of the site `NAME`")
	f.StringVar(&p.nats, "nats", "", "pipelines: `URL` of the NATS server that the sites share")
	f.StringVar(&p.runName, "run", "", "pipelines: `NAME` of the run, under which its sites meet on the server (default the file's name)")
	f.DurationVar(&p.wait, "wait", 0, "pipelines: how long to wait for the other sites (default 1m)")
}

func (p *pipeRun) run(a *app, job runJob) error {
	p.app = a
	config := job.config
	if err := p.validFlags(); err != nil {
		return err
	}
	found := sprokit.Findings(config)
	if !p.led() || found.HasErrors() {
		p.app.say(found)
	}
	if found.HasErrors() {
		return exitCode(exitNo)
	}
	pipeline, opt, err := p.pipeline(config)
	if err != nil {
		return err
	}
	if p.dryRun {
		return p.plan(pipeline, opt)
	}
	if opt.Filter, err = p.filter(job.workspace, pipeline); err != nil {
		return err
	}
	unlock, err := p.outFolder(&opt)
	if err != nil {
		return err
	}
	defer unlock()
	if p.sites != "" {
		return p.runSites(config, pipeline, opt.Out)
	}
	if startsPrograms(pipeline) {
		defer a.guard(guard.Watched{Mark: state.NewID(time.Now()), Grace: childGrace})()
	}
	screen := newScreen(a, config.Document.File.Path())
	stores, err := openStores(job.workspace, config.Document.File.Path(), opt, screen)
	if err != nil {
		return err
	}
	if p.trace != "" {
		// A trace may be asked for outside of the results, but no link in them leads it there.
		folder := outfile.Folder{Dir: opt.Out, Fenced: opt.Fenced && filepath.IsLocal(p.trace)}
		if p.traceFile, err = folder.Create(p.trace); err != nil {
			return fmt.Errorf("the trace `%s` cannot be written: %w", p.trace, flow.Reason(err))
		}
		opt.Trace, opt.TraceSize = p.traceFile, int64(p.traceSize)
	}
	return p.start(config, pipeline, opt, screen, stores)
}

// validFlags refuses values of flags that make no sense.
func (p *pipeRun) validFlags() error {
	if p.stats != "" && p.stats != "table" && p.stats != "json" {
		return fmt.Errorf("--stats takes table or json, not `%s`", p.stats)
	}
	return p.valid()
}

// childGrace is how long the programs of a pipeline that was killed have to end:
// they have lost their input already.
const childGrace = 2 * time.Second

// startsPrograms reports whether a process of the pipeline starts a program.
func startsPrograms(p *flow.Pipeline) bool {
	plan, _ := flow.Resolve(&p.Graph, p.Registry.Running())
	return slices.ContainsFunc(plan.Nodes, func(n flow.PlanNode) bool {
		return n.Type != nil && slices.ContainsFunc(n.Type.Keys, func(k flow.Key) bool { return k.Runs })
	})
}

// pipeline is what runs, and how.
func (p *pipeRun) pipeline(config *lang.Config) (*flow.Pipeline, flow.Options, error) {
	m, ok := lang.Model[*sprokit.Model](config)
	if !ok {
		return nil, flow.Options{}, errors.New("this is not a pipeline")
	}
	pipeline, opt, err := m.Pipeline()
	if err != nil {
		return nil, opt, err
	}
	opt.Name = filepath.Base(config.Document.File.Path())
	opt.Stdin, opt.Stdout, opt.Dir = p.app.in, p.app.exact(), p.dir
	if p.scheduler != "" {
		opt.Scheduler = p.scheduler
	}
	if opt.Scheduler == "" {
		opt.Scheduler = flow.DefaultScheduler
	}
	if !slices.Contains(flow.Schedulers(), opt.Scheduler) {
		return nil, opt, fmt.Errorf("there is no scheduler `%s`%s; there are %s", opt.Scheduler, near(opt.Scheduler, flow.Schedulers()), strings.Join(flow.Schedulers(), ", "))
	}
	return pipeline, opt, nil
}

// start runs the pipeline to its end, with everything around it.
func (p *pipeRun) start(config *lang.Config, pipeline *flow.Pipeline, opt flow.Options, screen *screen, stores suite.Stores) error {
	var closeStores func() error
	p.app.stores, closeStores = suite.KeepStores(stores)
	log := newRunLog(screen)
	asked := listen()
	defer asked.close()
	others, err := p.join(config.Document.File.Path(), pipeline)
	if err != nil {
		_ = closeStores()
		p.dropTrace()
		screen.close()
		return err
	}
	if others != nil {
		log.note = others.site.Note
	}
	opt.Log, opt.Stdout = log.logger(), screen.stdout()
	run, err := asked.start(pipeline, log.begin(others.prepare(opt)))
	if err != nil {
		_ = closeStores() // why it did not begin matters more
		err = others.end(err)
		p.dropTrace()
		screen.close()
		return p.ended(config, err, "before it began")
	}
	if !p.led() {
		screen.watch(run)
	}
	told := tellProgress(config.Document.File.Path(), run)
	unregister := p.register(config.Document.File.Path(), steer.Methods(others.steered(run)), screen)
	err = others.end(asked.wait(others.follow(run), screen))
	if e := closeStores(); e != nil && err == nil {
		err = e
	}
	unregister()
	told(err)
	if p.traceFile != nil {
		if e := p.traceFile.Close(); e != nil && err == nil {
			err = fmt.Errorf("the trace `%s` cannot be written: %w", p.trace, flow.Reason(e))
		}
	}
	screen.close()
	stats := run.Stats()
	if e := p.figures(&stats); e != nil && err == nil {
		err = e
	}
	return p.ended(config, err, total(&stats))
}

// dropTrace takes away a trace that has nothing in it, or that nothing waits for.
func (p *pipeRun) dropTrace() {
	if p.traceFile != nil {
		_ = p.traceFile.Discard() // why the run failed matters more
	}
}

// ended reports how a run ended, and returns the exit code. Of a site that
// was led, the program that leads it says it.
func (p *pipeRun) ended(config *lang.Config, err error, total string) error {
	switch {
	case p.led() && err == nil:
		return nil
	case p.led():
		return exitCode(exitNo)
	case err == nil && p.stats == "table":
		return nil // the table shows it
	case err == nil:
		fmt.Fprintln(p.app.err, "finished: "+total)
		return nil
	case errors.Is(err, errInterrupted):
		fmt.Fprintln(p.app.err, "interrupted: "+total)
		return exitCode(exitInterrupted)
	case errors.Is(err, flow.ErrStopped):
		fmt.Fprintln(p.app.err, "stopped on request: "+total)
		return exitCode(exitInterrupted)
	}
	return p.failed(config, err)
}

// failed shows why a run failed.
func (p *pipeRun) failed(config *lang.Config, err error) error {
	m, ok := lang.Model[*sprokit.Model](config)
	if ok {
		if list := m.Failure(err); len(list) > 0 {
			p.app.say(list)
			return exitCode(exitNo)
		}
	}
	fmt.Fprintf(p.app.err, "error: %v\n", err)
	return exitCode(exitNo)
}

// figures prints what --stats asks for.
func (p *pipeRun) figures(stats *flow.Stats) error {
	if p.stats == "" {
		return nil
	}
	if err := p.app.figures(stats, p.stats); err != nil {
		return fmt.Errorf("the figures cannot be written: %w", flow.Reason(err))
	}
	return nil
}
