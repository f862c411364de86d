package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/guard"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// psdlRun starts the programs of a launch file, watches and stops them.
type psdlRun struct {
	pipe      *pipeRun // how the sites of a pipeline that the plan starts are run
	plan      planFlags
	yes       bool
	grace     time.Duration
	keepGoing bool
	reach     string
	logSize   byteSize
	hangup    string
	detach    bool
	sites     *planSites // of the run that was started; nil: it has none
}

func (r *psdlRun) flags(f *pflag.FlagSet) {
	r.plan.flags(f)
	f.BoolVar(&r.yes, "yes", false, "launch: start also what the search found in the working directory")
	f.DurationVar(&r.grace, "grace", 10*time.Second, "launch: how long programs have to end before they are killed")
	f.BoolVar(&r.detach, "detach", false, "launch: let the run go on in the background, and print its name")
	f.StringVar(&r.hangup, "hangup", "forward", "launch: what to do when the terminal is closed: `forward|stop|ignore`")
	f.Var(&r.logSize, "log-size", "launch: `BYTES` of a log (such as 10MB) before it becomes a compressed piece, of which five are kept (default any number)")
	f.StringVar(&r.reach, "reach", "", "launch: the `HOST` by which the sites of a pipeline on other machines reach this one (default its name)")
	f.BoolVar(&r.keepGoing, "keep-going", false, "launch: leave out definitions with errors, and go on when a program fails")
}

func (r *psdlRun) run(a *app, job runJob) error {
	found := job.config.Diagnostics()
	a.say(found)
	if found.HasErrors() && !r.keepGoing {
		return exitCode(exitNo)
	}
	if job.searched {
		if err := r.permit(a, job); err != nil {
			return err
		}
	}
	_, err := r.start(a, job.config, nil, nil)
	return err
}

// start starts a plan and watches it to its end. options and node, where
// given, have the last word about the plan.
func (r *psdlRun) start(a *app, config *lang.Config, options func(*launch.Options), node func(*launch.Node)) (*launch.Result, error) {
	base, err := control.StateDir(os.Getenv)
	if err != nil {
		return nil, err
	}
	sockets, err := control.RuntimeDir(os.Getenv)
	if err != nil {
		return nil, err
	}
	grace, err := graceTime(r.grace)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(launch.Hangups(), launch.Hangup(r.hangup)) {
		return nil, fmt.Errorf("--hangup takes forward, stop or ignore, not `%s`", r.hangup)
	}
	r.pipe.app = a
	if err := r.pipe.validFlags(); err != nil {
		return nil, err
	}
	now := time.Now()
	id := state.NewID(now)
	var here string // where the plan's files are
	plan, err := a.launchPlan(config, &r.plan, func(o *launch.Options) {
		o.Run, o.StateDir = id, filepath.Join(base, id)
		if ssh, ok := o.Remote.(launch.SSH); ok {
			ssh.Grace = grace
			o.Remote = ssh
		}
		if r.pipe.sites != "" {
			o.Host.IsLocal = func(string) bool { return true }
		}
		if options != nil {
			options(o)
		}
		here = o.Dir
	})
	if err != nil || len(plan.Nodes) == 0 {
		return nil, err
	}
	for _, n := range plan.Nodes {
		if node != nil {
			node(n)
		}
	}
	dir, err := plan.NewState(base, sockets, now)
	if err != nil {
		return nil, err
	}
	if r.sites, err = a.sitesOf(plan, here, r.reach); err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	if r.sites == nil && (r.pipe.stats != "" || r.pipe.sites != "") {
		return nil, errors.Join(errors.New("--stats and --sites are for plans that start sites of a pipeline, and this one starts none: write them into the arguments of its processes"), dir.Remove())
	}
	defer a.guard(guard.Watched{Mark: id, State: dir.Path, Grace: grace})()
	screen := newScreen(a, config.Document.File.Path())
	result, err := launch.Run(plan, launch.RunOptions{
		State: dir, Output: screen.stdout(), Colour: colour(a.out), Grace: grace, KeepGoing: r.keepGoing, LogSize: int64(r.logSize), Hangup: launch.Hangup(r.hangup),
		Report: func(e state.Event) { r.sites.note(e); screen.say(e.Text) }, Began: func(s *launch.Supervisor) { begun(id); screen.watchPlan(s, r.sites) },
	})
	screen.close()
	r.sites.close(a)
	if r.sites != nil && err == nil {
		stats := r.sites.coordinator.Stats()
		if e := r.pipe.figures(&stats); e != nil {
			fmt.Fprintf(a.err, "error: %v\n", e)
		}
	}
	if err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	_, _ = state.Prune(base, keptRuns) // what cannot be deleted today can be tomorrow
	fmt.Fprintln(a.err)
	_ = result.WriteTable(a.err) // a terminal that is gone needs no table
	fmt.Fprintf(a.err, "run %s, logs in %s\n", result.Run, filepath.Dir(dir.LogFile("", "")))
	if result.Code != 0 {
		return &result, exitCode(result.Code)
	}
	return &result, nil
}

// permit wants a word of the user before anything that the search found in the
// working directory is started.
func (r *psdlRun) permit(a *app, job runJob) error {
	a.sayFound(job.layers)
	for _, d := range job.layers {
		if paradyn.Implicit(job.workspace.Env, d.File) && !r.yes {
			return fmt.Errorf("`%s` of the working directory was found, but nobody named it, so nothing is started; "+
				"`pentode launch plan` shows what it says, `--yes` or its path starts it", d.File.Path())
		}
	}
	return nil
}

// sayFound names the files that the search found.
func (a *app) sayFound(layers []*lang.Document) {
	var names []string
	for _, d := range layers {
		names = append(names, d.File.Path())
	}
	fmt.Fprintf(a.err, "found by the search: %s\n", strings.Join(names, ", "))
}
