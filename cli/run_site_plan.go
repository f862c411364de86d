package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/remote"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// planSites are the sites of a pipeline that a plan starts, with the server
// and the coordinator in this program. Nil: the plan has none.
type planSites struct {
	server      *remote.Server
	coordinator *remote.Coordinator
	pipe        string            // the file of the pipeline
	site        map[string]string // node to site
	look        func() live.Picture
	unregister  func()
}

// sitesOf prepares the sites that a plan starts: each gets a ticket. dir has
// the pipeline, and reach is the name of this machine for others.
func (a *app) sitesOf(plan *launch.Plan, dir, reach string) (*planSites, error) {
	s := &planSites{site: map[string]string{}}
	elsewhere := false
	for _, n := range plan.Nodes {
		path, site := siteArguments(n)
		if site == "" || n.OnRequest {
			continue
		}
		if filepath.Base(cmp.Or(s.pipe, path)) != filepath.Base(path) {
			return nil, fmt.Errorf("the plan starts sites of two pipelines, `%s` and `%s`: a run has one", s.pipe, path)
		}
		if s.pipe == "" {
			s.pipe = beneath(dir, path)
		}
		s.site[n.ID] = site
		if _, here := n.Starter.(launch.Local); !here {
			elsewhere = true
		}
	}
	if s.pipe == "" {
		return nil, nil
	}
	pipeline, err := a.pipelinePlan(s.pipe)
	if err != nil {
		return nil, err
	}
	options := remote.ServerOptions{Run: plan.Run}
	if elsewhere {
		if options.Host, options.Advertise = "0.0.0.0", reach; reach == "" {
			if options.Advertise, err = os.Hostname(); err != nil {
				return nil, errors.New("the name of this machine is not known: give the one that other machines reach it by, with --reach")
			}
		}
	}
	if s.server, err = remote.Serve(options); err != nil {
		return nil, err
	}
	s.server.Ticket.Led = true
	s.coordinator, err = remote.Coordinate(remote.CoordinatorOptions{Version: Version, Ticket: s.server.Here(), Sites: pipeline.Sites(), Plan: pipeline})
	if err != nil {
		s.server.Close()
		return nil, err
	}
	for _, n := range plan.Nodes {
		if s.site[n.ID] != "" {
			n.Secret = append(n.Secret, launch.Var{Name: remote.TicketVariable, Value: s.server.Ticket.String()})
		}
	}
	s.look = live.Pipeline(s.coordinator.Stats)
	s.register(a, plan.Run)
	return s, nil
}

// register lets other programs find and steer the pipeline as a whole. One that cannot be
// registered runs all the same.
func (s *planSites) register(a *app, launch string) {
	s.unregister = func() {}
	dir, server, err := registerPipeline(s.pipe, steer.Methods(s.coordinator), launch, "sites")
	if err != nil {
		fmt.Fprintf(a.err, "warning: the pipeline cannot be steered from outside: %v\n", err)
		return
	}
	s.unregister = func() {
		server.Close()
		_ = dir.Remove() // what is left is removed with old runs
	}
}

// siteArguments are the pipeline and the site of a node that runs this program
// for one.
func siteArguments(n *launch.Node) (path, site string) {
	if name := filepath.Base(n.Argv[0]); len(n.Argv) < 3 || n.Argv[1] != "run" || name != "pentode" && n.Argv[0] != self() {
		return "", ""
	}
	for i := 2; i < len(n.Argv); i++ {
		word := n.Argv[i]
		value, joined := strings.CutPrefix(word, "--site=")
		switch {
		case joined:
			site = value
		case word == "--site" && i+1 < len(n.Argv):
			i++
			site = n.Argv[i]
		case filepath.Ext(word) == ".pipe":
			path = word
		}
	}
	return path, site
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

// pipelinePlan is what a pipeline file says.
func (a *app) pipelinePlan(path string) (*flow.Plan, error) {
	w, err := a.workspace()
	if err != nil {
		return nil, err
	}
	c, err := w.Config(path)
	if err != nil {
		return nil, fmt.Errorf("the pipeline `%s` of the plan's sites cannot be read: %w", path, flow.Reason(err))
	}
	m, ok := lang.Model[*sprokit.Model](c)
	if !ok {
		return nil, fmt.Errorf("`%s` is not a pipeline", path)
	}
	if found := sprokit.Findings(c); found.HasErrors() {
		a.say(found)
		return nil, exitCode(exitNo)
	}
	pipeline, _, err := m.Pipeline()
	if err != nil {
		return nil, err
	}
	plan, _ := flow.Resolve(&pipeline.Graph, pipeline.Registry)
	return plan, nil
}

// sections show the pipeline.
func (s *planSites) sections() []live.Section {
	if s == nil {
		return nil
	}
	return s.look().Sections
}

// note watches what happens to the programs of the sites.
func (s *planSites) note(e state.Event) {
	if s == nil {
		return
	}
	if site := s.site[e.Node]; site != "" && (e.What == state.Ended || e.What == state.Failed) {
		s.coordinator.Gone(site, "its program has ended: "+e.Text)
	}
}

// began is when the run of a node's site was started; zero: that is not known.
func (s *planSites) began(node string) time.Time {
	if s == nil {
		return time.Time{}
	}
	return s.coordinator.Began()[s.site[node]]
}

// close ends server and coordinator, and says why the sites ended early.
func (s *planSites) close(a *app) {
	if s == nil {
		return
	}
	s.unregister()
	s.coordinator.Close()
	s.server.Close()
	if err := s.coordinator.Wait(); err != nil && !errors.Is(err, flow.ErrStopped) {
		fmt.Fprintf(a.err, "error: %v\n", err)
	}
}
