package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/guard"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/workspace/project"
)

// Plan starts the programs of a launch file, watches them, and returns when all have ended. It catches the signals of this program, as launch.Run
// does. Its error says why the programs could not be started; the result says which programs failed.
func Plan(ctx context.Context, config *lang.Config, o Options) (Result, error) {
	o = o.configured(config.Document.File.Path())
	result := Result{Findings: config.Diagnostics()}
	if err := o.found(result.Findings); err != nil {
		if !o.Plan.KeepGoing {
			return result, err
		}
		o.Events(Found{result.Findings})
	}
	kept := recordFile(&o, record.Plan, ".", config)
	o.sealResults()
	var err error
	result.Plan, _, err = startPlan(ctx, config, &o, func(n *launch.Node) { n.Env = append(n.Env, o.resultVariables(n.ID)...) })
	result.Began = result.Plan != nil
	kept.end(&o, &result, err)
	return result, err
}

// NewPlan makes the plan of a launch file; it starts nothing.
func NewPlan(config *lang.Config, o Options) (*launch.Plan, error) {
	o = o.configured(config.Document.File.Path())
	return newPlan(config, &o)
}

func newPlan(config *lang.Config, o *Options) (*launch.Plan, error) {
	m, ok := lang.Model[*paradyn.Model](config)
	if !ok {
		return nil, fmt.Errorf("`%s` is %s, but only Paradyn files can be launched", config.Document.File.Path(), config.Document.Language.Title)
	}
	decls, err := m.Decls()
	if err != nil {
		return nil, err
	}
	how := &o.Plan.Launch
	if how.Dir == "" {
		if how.Dir, err = os.Getwd(); err != nil {
			return nil, errors.New("the working directory no longer exists")
		}
	}
	settings := SettingsOf(o.Workspace.Project(config.Document.File.Path()))
	if err := settings.Fill(how, os.Getenv); err != nil {
		return nil, err
	}
	if ssh, ok := how.Remote.(launch.SSH); ok {
		ssh.Grace = o.Plan.Grace
		how.Remote = ssh
	}
	if _, slurm := how.Remote.(launch.Srun); slurm && how.RemoteDir == "" {
		how.RemoteDir = how.Dir // the nodes of a cluster see the same files
	}
	how.Self = o.Program.Path
	plan, problems := launch.NewPlan(decls, *how)
	if err := o.found(paradyn.Diagnose(problems)); err != nil {
		return nil, err
	}
	return plan, nil
}

// Programs returns the settings of a project for the programs in the plan of a file.
func Programs(p *project.Project, file string) []launch.Settings {
	var list []launch.Settings
	for _, program := range p.Programs(file) {
		s := launch.Settings{Program: program.Name, Only: program.File != ""}
		for _, set := range program.Settings {
			_ = s.Set(set.Path, launch.Value(set.Value), set.Span) // its errors were reported when the file was read
		}
		list = append(list, s)
	}
	return list
}

// startPlan starts a plan and watches it to its end. If node is not nil, it may change each program before the start. The result is nil if there is
// nothing to start.
func startPlan(ctx context.Context, config *lang.Config, o *Options, node func(*launch.Node)) (*launch.Result, *planSites, error) {
	base, sockets, own, err := o.planFolders()
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	id := o.newID(now)
	how := &o.Plan.Launch
	how.Run, how.StateDir = id, filepath.Join(base, id)
	if o.Pipeline.Local {
		how.Host.IsLocal = func(string) bool { return true }
	}
	plan, err := newPlan(config, o)
	if err != nil || len(plan.Nodes) == 0 {
		return nil, nil, err
	}
	for _, n := range plan.Nodes {
		n.Env = append(n.Env, own...)
		if node != nil {
			node(n)
		}
	}
	dir, err := plan.NewState(base, sockets, now)
	if err != nil {
		return nil, nil, err
	}
	sites, err := sitesOf(o, plan, how.Dir)
	if err != nil {
		return nil, nil, errors.Join(err, dir.Remove())
	}
	if sites == nil && o.Plan.Sites {
		return nil, nil, errors.Join(&Misfit{"the plan starts no site of a pipeline", "Plan.Sites"}, dir.Remove())
	}
	during, done := context.WithCancel(context.Background())
	defer done()
	handoffs := handoffsOf(plan, how.Dir, o.Program.Path, during)
	defer o.Program.guard(guard.Watched{Mark: id, State: dir.Path, Grace: o.Plan.Grace})()
	over := make(chan struct{})
	o.recorder.expect()
	result, err := launch.Run(ctx, plan, launch.RunOptions{
		State: dir, Output: o.Out, Colour: o.Plan.Colour, Grace: o.Plan.Grace, KeepGoing: o.Plan.KeepGoing, Logs: o.Plan.Logs, Hangup: o.Plan.Hangup,
		Report: func(e state.Event) { sites.note(e); handoffs.note(e); o.Events(Happened{e}) },
		Began: func(s *launch.Supervisor) {
			begun(id)
			o.recorder.begin()
			o.Events(PlanBegan{Run: id, Supervisor: s, Sites: sites.stats()})
			go killWith(o.Abort, s, over)
		},
	})
	close(over)
	ended := PlanEnded{Result: result, Logs: filepath.Dir(dir.LogFile("", "")), Sites: sites.close()}
	if err != nil {
		return nil, nil, errors.Join(err, dir.Remove())
	}
	dir.RemoveSockets()
	if sites != nil {
		stats := sites.coordinator.Stats()
		ended.Stats = &stats
	}
	_, _ = state.Prune(base, keptRuns(o, config.Document.File.Path())) // what cannot be deleted now will be tried again later
	o.Events(ended)
	return &result, sites, nil
}

// killWith kills the programs of a plan when the run is aborted.
func killWith(abort <-chan struct{}, s *launch.Supervisor, over <-chan struct{}) {
	select {
	case <-over:
	case <-abort:
		s.Kill()
	}
}
