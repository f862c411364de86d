package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// runJob is what is to be run.
type runJob struct {
	workspace *workspace.Workspace
	config    *lang.Config
	layers    []*lang.Document // the files it was read from
	searched  bool             // found by the search, not given
}

func (a *app) runVerb() *cobra.Command {
	pipe, psdl := &pipeFlags{}, &psdlFlags{}
	flags := map[string]func(*pflag.FlagSet){"sprokit": pipe.flags, "paradyn": psdl.flags}
	own := map[string]map[string]bool{} // flags of each language
	var watch bool
	cmd := &cobra.Command{
		Use:   "run PATH",
		Short: "Do what a file or a run folder says",
		Long: "Runs a pipeline, starts the programs of a launch file, or does all that the files of a folder say.\n" +
			"Ctrl-C once stops in good order, twice at once.\n" +
			"Exit: 0 finished, 1 failed, 130 interrupted; of launched programs the code of the first that failed.",
		Example: examples("pentode run examples/heat", "pentode run --stats examples/heat/heat.pipe"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			takes := func(l *lang.Language, allowed ...string) error {
				return foreign(cmd, own, l, append(allowed, forPlans...)...)
			}
			if len(paths) == 1 && isFolder(paths[0]) {
				if psdl.detach {
					return a.detach()
				}
				return a.runFolder(w, paths[0], pipe, psdl, takes)
			}
			job, err := a.job(w, paths)
			if err != nil {
				return err
			}
			l := job.config.Document.Language
			if flags[l.Name] == nil {
				return fmt.Errorf("%s files are not run by themselves; those of %s are", l.Title, strings.Join(slices.Sorted(maps.Keys(flags)), ", "))
			}
			if err := takes(l); err != nil {
				return err
			}
			if watch {
				return a.rerun(paths)
			}
			if psdl.detach {
				return a.detach()
			}
			return a.runFile(job, paths, pipe, psdl)
		},
	}
	for name, add := range flags {
		set := pflag.NewFlagSet(name, pflag.ContinueOnError)
		add(set)
		own[name] = map[string]bool{}
		set.VisitAll(func(f *pflag.Flag) { own[name][f.Name] = true })
		cmd.Flags().AddFlagSet(set)
	}
	watchFlag(cmd, &watch)
	return a.reads(cmd)
}

// job finds out what the paths are.
func (a *app) job(w *workspace.Workspace, paths []string) (runJob, error) {
	if len(paths) == 0 && w.Force == nil {
		return runJob{}, errors.New("give the file to run, or --lang paradyn to search for it")
	}
	for _, path := range paths {
		if isFolder(path) {
			return runJob{}, fmt.Errorf("`%s` is a folder; give it alone", path)
		}
	}
	docs, problems, err := a.documents(w, paths)
	if err != nil {
		return runJob{}, err
	}
	a.say(problems)
	return runJob{w, w.Layers(docs), docs, len(paths) == 0}, nil
}

// runFile runs a pipeline, or starts the programs of a launch file.
func (a *app) runFile(job runJob, paths []string, pipe *pipeFlags, psdl *psdlFlags) error {
	if job.searched {
		if err := a.permit(job.workspace, job.layers, psdl.yes); err != nil {
			return err
		}
	}
	v := newRunView(a, job.config.Document.File.Path(), pipe.stats)
	defer v.close()
	o, err := v.runOptions(job.workspace, pipe, psdl)
	if err != nil {
		return err
	}
	o.Record = a.recording(paths...)
	if job.config.Document.Language.Name == "paradyn" {
		r, err := runs.Plan(v.ctx, job.config, o)
		v.close()
		return a.planResult(r, err)
	}
	if pipe.dryRun {
		plan, opt, err := runs.PlanPipeline(job.config, o)
		if err != nil {
			return a.notRun(err)
		}
		return a.pipelinePlan(plan, opt)
	}
	r, err := runs.Pipeline(v.ctx, job.config, o)
	v.close()
	return v.pipelineEnded(r, err)
}

// detach runs this command in the background. Standard output gets the name of the
// run alone, for scripts.
func (a *app) detach() error {
	run, code, err := runs.Detach(a.program(), a.err)
	switch {
	case err != nil:
		return err
	case code != 0:
		return exitCode(code)
	case run == "": // it has ended well before it began
		return nil
	}
	fmt.Fprintf(a.err, "run %s goes on; `pentode launch attach %[1]s` shows it, `pentode launch stop %[1]s` ends it\n", run)
	_, err = fmt.Fprintln(a.out, run)
	return err
}

// forPlans are the flags of pipelines that a plan takes for the sites that it starts.
var forPlans = []string{"stats", "sites", "no-seal"}

// foreign refuses a flag that another language's run takes, but for allowed ones.
func foreign(cmd *cobra.Command, own map[string]map[string]bool, l *lang.Language, allowed ...string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(allowed, f.Name) {
			return
		}
		for name, flags := range own {
			if flags[f.Name] && !own[l.Name][f.Name] && err == nil {
				err = fmt.Errorf("--%s is for %s files, not for those of %s", f.Name, name, l.Title)
			}
		}
	})
	return err
}

// pipeFlags are the flags of pipelines, and of the folders that they are in.
type pipeFlags struct {
	scheduler, stats, trace, policy string
	out, errors, errorsTo           string
	dryRun, noControl, allowOutside bool
	noSeal                          bool
	traceSize                       byteSize
	site, sites, nats, runName      string
	wait                            time.Duration
}

func (p *pipeFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&p.scheduler, "scheduler", "", "pipelines: the scheduler's `NAME`, whatever the file says: "+strings.Join(flow.Schedulers(), ", "))
	f.StringVar(&p.stats, "stats", "", "pipelines, and plans that start their sites: print the figures of the run, as a `table|json`")
	f.Lookup("stats").NoOptDefVal = "table"
	f.StringVar(&p.errors, "errors", "keep", "pipelines: whether data that are errors fail the run, `keep|fail`")
	f.StringVar(&p.errorsTo, "errors-to", "", "pipelines: write data that are errors to a `FILE`, a JSON object on each line")
	f.StringVar(&p.trace, "trace", "", "pipelines: write what happened when to a `FILE` for Perfetto or Chrome")
	p.traceSize = 256 << 20
	f.Var(&p.traceSize, "trace-size", "pipelines: the newest events that a trace keeps, as a `SIZE` such as 64MB; 0 keeps all")
	f.StringVar(&p.policy, "policy", "", "pipelines: trace only what the trace configuration `FILE` says")
	f.StringVar(&p.out, "out", "", "pipelines and folders: make `DIR` and leave there what is written (default PENTODE_OUT; of a folder NAME-out)")
	f.BoolVar(&p.allowOutside, "allow-outside", false, "pipelines and folders: let results go out of the folder of --out")
	f.BoolVar(&p.noSeal, "no-seal", false, "leave results without what says what made them, which pentode origin reads")
	f.BoolVar(&p.noControl, "no-control", false, "pipelines: do not let other terminals steer the run")
	f.BoolVar(&p.dryRun, "dry-run", false, "print the plan and run nothing")
	f.StringVar(&p.sites, "sites", "", "pipelines, and plans that start their sites: run every site on this machine, each in a process of its own: `local`")
	f.StringVar(&p.site, "site", "", "pipelines: run only the processes of the site `NAME`")
	f.StringVar(&p.nats, "nats", "", "pipelines: `URL` of the NATS server that the sites share")
	f.StringVar(&p.runName, "run", "", "pipelines: `NAME` of the run, under which its sites meet on the server (default the file's name)")
	f.DurationVar(&p.wait, "wait", 0, "pipelines: how long to wait for the other sites (default 1m)")
}

// valid refuses values of flags that make no sense, and flags that contradict each other.
func (p *pipeFlags) valid() error {
	switch {
	case p.sites != "" && p.sites != "local":
		return fmt.Errorf("--sites takes local, not `%s`; one site is run by --site NAME", p.sites)
	case p.sites != "" && p.errorsTo != "":
		return errors.New("--errors-to takes the errors of one program, and --sites starts several: give it to each site with --site NAME")
	case p.sites != "" && p.site != "":
		return errors.New("--sites runs all sites and --site one: give one of them")
	case p.nats != "" && p.site == "":
		return errors.New("--nats is the server that the sites of a run share: give --site NAME with it")
	case p.runName != "" && p.nats == "":
		return errors.New("--run is the name of a run on a server that it shares with others: give --nats URL with it")
	case !runs.IsName(p.runName):
		return fmt.Errorf("--run takes a name of letters, digits, - and _, not `%s`", p.runName)
	}
	return nil
}

// fill writes what the flags say into the options of a run.
func (p *pipeFlags) fill(o *runs.Options) error {
	o.Results, o.AllowOutside, o.Seal = p.out, p.allowOutside, !p.noSeal
	o.Pipeline = runs.PipelineOptions{
		Scheduler: p.scheduler, Trace: p.trace, TraceSize: int64(p.traceSize), Policy: p.policy, NoControl: p.noControl, FailOnErrors: p.errors == "fail", ErrorsTo: p.errorsTo,
		Local: p.sites != "", Site: p.site, NATS: p.nats, Run: p.runName, Wait: p.wait,
	}
	return p.valid()
}

// psdlFlags are the flags of launch files.
type psdlFlags struct {
	plan      planFlags
	yes       bool
	grace     time.Duration
	keepGoing bool
	reach     string
	logSize   byteSize
	logAge    time.Duration
	logKeep   int
	hangup    string
	detach    bool
}

func (r *psdlFlags) flags(f *pflag.FlagSet) {
	r.plan.flags(f)
	f.BoolVar(&r.yes, "yes", false, "launch: start also what the search found in the working directory")
	f.DurationVar(&r.grace, "grace", 10*time.Second, "launch: how long programs have to end before they are killed")
	f.BoolVar(&r.detach, "detach", false, "launch: let the run go on in the background, and print its name")
	f.StringVar(&r.hangup, "hangup", "forward", "launch: what to do when the terminal is closed: `forward|stop|ignore`")
	f.Var(&r.logSize, "log-size", "launch: `BYTES` of a log (such as 10MB) before it becomes a compressed piece (default any number)")
	f.DurationVar(&r.logAge, "log-age", 0, "launch: the age of a log (such as 24h) at which it becomes a compressed piece, a `DURATION` (default any)")
	f.IntVar(&r.logKeep, "log-keep", 0, "launch: how many compressed pieces of a log are kept (default 5)")
	f.StringVar(&r.reach, "reach", "", "launch: the `HOST` by which the sites of a pipeline on other machines reach this one (default its name)")
	f.BoolVar(&r.keepGoing, "keep-going", false, "launch: leave out definitions with errors, and go on when a program fails")
}

// fill writes what the flags say into the options of a run.
func (r *psdlFlags) fill(o *runs.Options) (err error) {
	if o.Plan.Grace, err = graceTime(r.grace); err != nil {
		return err
	}
	switch {
	case r.logAge < 0:
		return fmt.Errorf("--log-age takes a duration such as 24h, not `%s`", r.logAge)
	case r.logKeep < 0:
		return fmt.Errorf("--log-keep takes a number from 1, not `%d`", r.logKeep)
	}
	o.Plan.Logs = state.Rotation{Size: int64(r.logSize), Age: r.logAge, Keep: r.logKeep}
	o.Plan.KeepGoing, o.Plan.Hangup, o.Plan.Reach = r.keepGoing, launch.Hangup(r.hangup), r.reach
	return r.plan.fill(&o.Plan)
}

// runOptions are the options of a run, as the flags have them.
func (v *runView) runOptions(w *workspace.Workspace, pipe *pipeFlags, psdl *psdlFlags) (runs.Options, error) {
	o := v.options(w)
	if err := pipe.fill(&o); err != nil {
		return o, err
	}
	o.Plan.Sites = pipe.stats != "" || pipe.sites != ""
	return o, psdl.fill(&o)
}

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

// planResult is the exit code of a plan.
func (a *app) planResult(r runs.Result, err error) error {
	switch {
	case err != nil:
		return a.notRun(err)
	case r.Plan == nil:
		a.sayNothing()
	case r.Plan.Code != 0:
		return exitCode(r.Plan.Code)
	}
	return nil
}

// permit wants a word of the user before anything that the search found in the
// working directory is started.
func (a *app) permit(w *workspace.Workspace, layers []*lang.Document, yes bool) error {
	a.sayFound(layers)
	for _, d := range layers {
		if paradyn.Implicit(w.Env, d.File) && !yes {
			return fmt.Errorf("`%s` of the working directory was found, but nobody named it, so nothing is started; "+
				"`pentode launch plan` shows what it says, `--yes` or its path starts it", d.File.Path())
		}
	}
	return nil
}

// pipelineEnded prints the figures of a pipeline and how it ended, and returns the
// exit code. Of a site that was led, the program that leads it says it.
func (v *runView) pipelineEnded(r runs.Result, err error) error {
	total := "before it began"
	if r.Began {
		total = totalOf(&r.Stats)
		if e := v.app.figures(&r.Stats, v.stats); e != nil && err == nil {
			err = &runs.Failure{Err: e}
		}
	}
	var failed *runs.Failure
	isFailure := errors.As(err, &failed)
	stopped := errors.Is(err, flow.ErrStopped)
	switch {
	case err != nil && !isFailure && !stopped:
		return v.app.notRun(err)
	case r.Led && err != nil:
		return exitCode(exitNo)
	case r.Led, err == nil && v.stats == "table": // the table shows it
		return nil
	case err == nil:
		fmt.Fprintln(v.app.err, "finished: "+total)
		return nil
	case errors.Is(err, runs.ErrInterrupted):
		fmt.Fprintln(v.app.err, "interrupted: "+total)
		return exitCode(exitInterrupted)
	case stopped:
		fmt.Fprintln(v.app.err, "stopped on request: "+total)
		return exitCode(exitInterrupted)
	case len(failed.Findings) > 0:
		v.app.say(failed.Findings)
	default:
		fmt.Fprintf(v.app.err, "error: %v\n", err)
	}
	return exitCode(exitNo)
}

// pipelinePlan prints what a run would do: the processes in the order of the data,
// their ports, the edges with their capacities. The answer is no where a
// process cannot run here. A process that stands for the program which embeds the pipeline is no
// such process: the plan names the ports at which that program sends and receives.
func (a *app) pipelinePlan(plan *pipe.Plan, opt flow.Options) error {
	missing := append(pipe.Unrunnable(plan), flow.Probe(context.Background(), plan, opt)...)
	for _, n := range pipe.Embedding(plan) {
		missing = slices.DeleteFunc(missing, func(q *problem.Problem) bool { return q.Subject.Name == n.Name })
	}
	if err := a.buffered(func() error { a.printPlan(plan, missing, opt); return nil }); err != nil {
		return err
	}
	if missing.HasErrors() {
		return exitCode(exitNo)
	}
	return nil
}

func (a *app) printPlan(plan *pipe.Plan, missing problem.List, opt flow.Options) {
	out := a.out
	fmt.Fprintf(out, "%s under scheduler %s", count(len(plan.Nodes), "process", "processes"), opt.Scheduler)
	if opt.Workers > 0 && opt.Scheduler == flow.PoolScheduler {
		fmt.Fprintf(out, " with %s", count(opt.Workers, "worker", "workers"))
	}
	fmt.Fprintln(out)
	embedding := pipe.Embedding(plan)
	for _, i := range plan.Order {
		n := &plan.Nodes[i]
		fmt.Fprintf(out, "\nprocess %s :: %s%s\n", n.Name, n.Type.Name, at(n.Span))
		for _, q := range missing {
			switch {
			case q.Subject.Name != n.Name:
			case q.Severity == problem.Warning:
				fmt.Fprintln(out, "  warning: "+strings.TrimPrefix(q.Message, "process `"+n.Name+"`: "))
			default:
				fmt.Fprintln(out, "  cannot run here: "+cmp.Or(q.Expected, strings.TrimPrefix(q.Message, "process `"+n.Name+"` cannot run here: ")))
			}
		}
		if slices.Contains(embedding, n) {
			a.embeddingPorts("sends", n.Out)
			a.embeddingPorts("receives", n.In)
		}
		a.edgesAt("in", n.In, func(e int) string { return "from " + plan.Edges[e].From.String() })
		a.edgesAt("out", n.Out, func(e int) string { return "to " + plan.Edges[e].To.String() })
	}
	if len(plan.Edges) > 0 {
		fmt.Fprintln(out)
	}
	rows := make([][]string, 0, len(plan.Edges))
	for i := range plan.Edges {
		e := &plan.Edges[i]
		full := "the producer waits when it is full"
		switch {
		case !e.Blocking:
			full = "data are dropped when it is full"
		case e.Capacity == 0:
			full = ""
		}
		rows = append(rows, []string{"edge " + e.From.String() + " → " + e.To.String(), e.Type, "capacity " + capacity(e.Capacity), full})
	}
	a.columns(rows)
}

// embeddingPorts prints at which connected ports the program that embeds the pipeline sends or receives.
func (a *app) embeddingPorts(does string, ports []pipe.PlanPort) {
	var names []string
	for i := range ports {
		if len(ports[i].Edges) > 0 {
			names = append(names, "`"+ports[i].Name+"`")
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(a.out, "  the program that embeds the pipeline %s %s\n", does, strings.Join(names, ", "))
	}
}

// edgesAt prints the connected ports of one side.
func (a *app) edgesAt(side string, ports []pipe.PlanPort, end func(int) string) {
	for i := range ports {
		port := &ports[i]
		for _, e := range port.Edges {
			fmt.Fprintf(a.out, "  %-3s %s : %s  %s\n", side, port.Name, port.Type, end(e))
		}
	}
}

func capacity(n int) string {
	if n == 0 {
		return "unlimited"
	}
	return strconv.Itoa(n)
}

func at(span source.Span) string {
	if span.IsZero() {
		return ""
	}
	return "  at " + span.String()
}
