package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/runs"
	"github.com/spf13/pflag"
)

// pipeFlags are the flags of pipelines, and of the folders that they are in.
type pipeFlags struct {
	scheduler, stats, trace, policy string
	out                             string
	dryRun, allowOutside            bool
	site, sites, nats, runName      string
	wait                            time.Duration
}

func (p *pipeFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&p.scheduler, "scheduler", "", "pipelines: the scheduler's `NAME`, whatever the file says: "+strings.Join(flow.Schedulers(), ", "))
	f.StringVar(&p.stats, "stats", "", "pipelines, and plans that start their sites: print the figures of the run, as a `table|json`")
	f.Lookup("stats").NoOptDefVal = "table"
	f.StringVar(&p.trace, "trace", "", "pipelines: write what happened when to a `FILE` for Perfetto or Chrome")
	f.StringVar(&p.policy, "policy", "", "pipelines: trace only what the trace configuration `FILE` says")
	f.StringVarP(&p.out, "output", "o", "", "pipelines and folders: make `DIR` and leave there what is written (default PENTODE_OUT; of a folder NAME-out)")
	f.BoolVar(&p.allowOutside, "allow-outside", false, "pipelines and folders: let results go out of the folder of -o")
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
	o.Results, o.AllowOutside, o.Seal = p.out, p.allowOutside, true
	o.Pipeline = runs.PipelineOptions{
		Scheduler: p.scheduler, Trace: p.trace, Policy: p.policy,
		Local: p.sites != "", Site: p.site, NATS: p.nats, Run: p.runName, Wait: p.wait,
	}
	return p.valid()
}

// psdlFlags are the flags of launch files.
type psdlFlags struct {
	visis                  []string
	yes, detach, keepGoing bool
	grace                  grace
}

func (r *psdlFlags) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&r.visis, "visi", nil, "launch: start a visualisation, by `NAME`, or all (repeatable)")
	f.BoolVar(&r.yes, "yes", false, "launch: start also what the search found in the working directory")
	f.Var(&r.grace, "grace", "launch: how long programs have to end before they are killed, a `DURATION` (default 10s, or as pentode.toml says)")
	f.BoolVar(&r.detach, "detach", false, "launch: let the run go on in the background, and print its name")
	f.BoolVar(&r.keepGoing, "keep-going", false, "launch: leave out definitions with errors, and go on when a program fails")
}

// fill writes what the flags say into the options of a run.
func (r *psdlFlags) fill(o *runs.Options) {
	o.Plan.Grace, o.Plan.KeepGoing, o.Plan.Launch.Visis = r.grace.time, r.keepGoing, r.visis
	if r.grace.kills() {
		o.Plan.Grace = time.Millisecond // 0 asks for the usual time
	}
}
