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

// pipeFlags are the flags of pipelines and of run folders.
type pipeFlags struct {
	scheduler, stats, trace, policy string
	out                             string
	dryRun, allowOutside            bool
	site, sites, nats, runName      string
	wait                            time.Duration
}

func (p *pipeFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&p.scheduler, "scheduler", "", "pipelines: use the scheduler `NAME` instead of the file's: "+strings.Join(flow.Schedulers(), ", "))
	f.StringVar(&p.stats, "stats", "", "pipelines, and plans that start their sites: print the figures of the run as a `table|json`")
	f.Lookup("stats").NoOptDefVal = "table"
	f.StringVar(&p.trace, "trace", "", "pipelines: write a timeline of the run to a `FILE` for Perfetto or Chrome")
	f.StringVar(&p.policy, "policy", "", "pipelines: trace only the events in the trace configuration `FILE`")
	f.StringVarP(&p.out, "output", "o", "", "pipelines and folders: create `DIR` and write all results there (default PENTODE_OUT; for a folder NAME-out)")
	f.BoolVar(&p.allowOutside, "allow-outside", false, "pipelines and folders: let the run write results outside of the folder of -o")
	f.BoolVar(&p.dryRun, "dry-run", false, "print the plan and run nothing")
	f.StringVar(&p.sites, "sites", "", "pipelines, and plans that start their sites: run every site on this machine, each as a separate process: `local`")
	f.StringVar(&p.site, "site", "", "pipelines: run only the processes of the site `NAME`")
	f.StringVar(&p.nats, "nats", "", "pipelines: `URL` of the NATS server that the sites share")
	f.StringVar(&p.runName, "name", "", "pipelines: `NAME` of the run, by which its sites find each other on the server (default the file's name)")
	f.DurationVar(&p.wait, "wait", 0, "pipelines: how long to wait for the other sites (default 1m)")
}

// valid refuses invalid values, and flags that contradict each other.
func (p *pipeFlags) valid() error {
	switch {
	case p.sites != "" && p.sites != "local":
		return fmt.Errorf("--sites takes local, not `%s`; --site NAME runs one site", p.sites)
	case p.sites != "" && p.site != "":
		return errors.New("--sites runs all sites and --site runs one: give only one of them")
	case p.nats != "" && p.site == "":
		return errors.New("--nats needs --site NAME: the site that this call runs")
	case p.runName != "" && p.nats == "":
		return errors.New("--name needs --nats URL: the server on which the run has this name")
	case !runs.IsName(p.runName):
		return fmt.Errorf("--name takes a name of letters, digits, - and _, not `%s`", p.runName)
	}
	return nil
}

// fill copies the flags into the options of a run.
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
	f.BoolVar(&r.yes, "yes", false, "launch: also start a file that the search found in the working directory")
	f.Var(&r.grace, "grace", "launch: how long programs have to end before they are killed, a `DURATION` (default 10s, or as pentode.toml says)")
	f.BoolVar(&r.detach, "detach", false, "launch: run in the background, and print the name of the run")
	f.BoolVar(&r.keepGoing, "keep-going", false, "launch: leave out definitions with errors, and continue when a program fails")
}

// fill copies the flags into the options of a run.
func (r *psdlFlags) fill(o *runs.Options) {
	o.Plan.Grace, o.Plan.KeepGoing, o.Plan.Launch.Visis = r.grace.time, r.keepGoing, r.visis
	if r.grace.kills() {
		o.Plan.Grace = time.Millisecond // 0 would mean the default time
	}
}
