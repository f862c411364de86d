package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs"
	"github.com/spf13/pflag"
)

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
	f.StringVarP(&p.out, "output", "o", "", "pipelines and folders: make `DIR` and leave there what is written (default PENTODE_OUT; of a folder NAME-out)")
	f.BoolVar(&p.allowOutside, "allow-outside", false, "pipelines and folders: let results go out of the folder of -o")
	f.BoolVar(&p.noSeal, "no-seal", false, "leave results without what says what made them, which pentode origin reads")
	f.BoolVar(&p.noControl, "no-control", false, "pipelines: do not let other terminals steer the run")
	f.BoolVar(&p.dryRun, "dry-run", false, "print the plan and run nothing")
	f.StringVar(&p.sites, "sites", "", "pipelines, and plans that start their sites: run every site on this machine, each in a process of its own: `local`")
	f.StringVar(&p.site, "site", "", "pipelines: run only the processes of the site `NAME`")
	f.StringVar(&p.nats, "nats", "", "pipelines: `URL` of the NATS server that the sites share")
	f.StringVar(&p.runName, "name", "", "pipelines: `NAME` of the run, under which its sites meet on the server (default the file's name)")
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
		return errors.New("--name is the name of a run on a server that it shares with others: give --nats URL with it")
	case !runs.IsName(p.runName):
		return fmt.Errorf("--name takes a name of letters, digits, - and _, not `%s`", p.runName)
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

// planFlags are what a plan depends on besides its file.
type planFlags struct {
	visis, maps, flavors     []string
	ready, launcher, restart string
	remoteDir                string
	within                   time.Duration
	noSplit                  bool
}

func (p *planFlags) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&p.visis, "visi", nil, "launch: start a visualisation, by `NAME`, or all (repeatable)")
	f.StringArrayVar(&p.maps, "map", nil, "launch: use another host: `A=B` (repeatable)")
	f.StringVar(&p.ready, "ready", "", "launch: when a daemon is ready: `line:REGEXP|tcp:PORT|http:PORT/PATH|exec:COMMAND|alive:DURATION|none`")
	f.DurationVar(&p.within, "ready-within", 0, "launch: how long a daemon may take to be ready, a `DURATION` (default 30s)")
	f.StringVar(&p.launcher, "launcher", "ssh", "launch: how other machines are reached: `local|ssh|srun|TEMPLATE`, which is a command such as 'rsh {host} {argv:q}'")
	f.StringArrayVar(&p.flavors, "flavor", nil, "launch: how programs of a flavor are started: `FLAVOR=LAUNCHER` (repeatable)")
	f.StringVar(&p.restart, "restart", "no", "launch: start programs again: `no|on-failure[:N]|always[:N]`")
	f.StringVar(&p.remoteDir, "remote-dir", "", "launch: the `DIR` where programs on other machines start (default the login directory; of Slurm this one)")
	f.BoolVar(&p.noSplit, "no-split", false, "launch: a daemon's command is one word, as it was in 1994")
}

// fill writes what the flags say into the options of a plan.
func (p *planFlags) fill(plan *runs.PlanOptions) (err error) {
	plan.Launch, err = p.options()
	return err
}

func (p *planFlags) options() (launch.Options, error) {
	o := launch.Options{Visis: p.visis, Map: map[string]string{}, Flavors: map[string]launch.Starter{}, NoSplit: p.noSplit, RemoteDir: p.remoteDir}
	var err error
	if o.Ready, err = launch.ParseReady(p.ready); err != nil {
		return o, fmt.Errorf("--ready: %w", err)
	}
	if p.within < 0 {
		return o, fmt.Errorf("--ready-within takes a duration above zero, not `%s`", p.within)
	}
	o.Ready.Timeout = p.within
	if o.Restart, err = launch.ParseRestart(p.restart); err != nil {
		return o, fmt.Errorf("--restart: %w", err)
	}
	shell, err := launch.Split(os.Getenv("PARADYN_RSH"))
	if err != nil {
		return o, fmt.Errorf("PARADYN_RSH: %w", err)
	}
	if o.Remote, err = launch.ParseLauncher(p.launcher, shell); err != nil {
		return o, fmt.Errorf("--launcher: %w", err)
	}
	for _, m := range p.maps {
		from, to, ok := strings.Cut(m, "=")
		if !ok || from == "" || to == "" {
			return o, fmt.Errorf("--map takes A=B, not `%s`", m)
		}
		o.Map[from] = to
	}
	for _, f := range p.flavors {
		flavor, launcher, ok := strings.Cut(f, "=")
		if !ok || !slices.Contains(paradyn.Flavors(), flavor) {
			return o, fmt.Errorf("--flavor takes FLAVOR=LAUNCHER with the flavor %s, not `%s`", strings.Join(paradyn.Flavors(), " or "), f)
		}
		if o.Flavors[flavor], err = launch.ParseLauncher(launcher, shell); err != nil {
			return o, fmt.Errorf("--flavor: %w", err)
		}
	}
	if _, slurm := o.Remote.(launch.Srun); slurm {
		if o.Nodes, err = launch.Allocation(os.Getenv); err != nil {
			return o, err
		}
	}
	return o, nil
}
