package runs

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/remote"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// planSites are the sites of a pipeline that a plan starts. The server and the coordinator run in this program. Nil: the plan has no sites.
type planSites struct {
	server      *remote.Server
	coordinator *remote.Coordinator
	pipe        string            // the file of the pipeline
	site        map[string]string // node → site
	control     *registration
}

// sitesOf prepares the sites that a plan starts: each gets a ticket. dir is the folder of the pipeline.
func sitesOf(o *Options, plan *launch.Plan, dir string) (*planSites, error) {
	s := &planSites{site: map[string]string{}}
	elsewhere := false
	for _, n := range plan.Nodes {
		path, site := siteArguments(n, o.Program.Path)
		if site == "" || n.OnRequest {
			continue
		}
		if filepath.Base(cmp.Or(s.pipe, path)) != filepath.Base(path) {
			return nil, fmt.Errorf("the plan starts sites of two pipelines, `%s` and `%s`: a run can have only one", s.pipe, path)
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
	pipeline, err := pipelinePlan(o, s.pipe)
	if err != nil {
		return nil, err
	}
	options := remote.ServerOptions{Run: plan.Run}
	if elsewhere {
		if options.Host, options.Advertise = "0.0.0.0", o.Plan.Reach; o.Plan.Reach == "" {
			if options.Advertise, err = os.Hostname(); err != nil {
				return nil, &Misfit{"the name of this machine is not known", "Plan.Reach"}
			}
		}
	}
	if s.server, err = remote.Serve(options); err != nil {
		return nil, err
	}
	s.server.Ticket.Led = true
	s.coordinator, err = remote.Coordinate(remote.CoordinatorOptions{Version: o.Version, Ticket: s.server.Here(), Sites: pipeline.Sites(), Plan: pipeline})
	if err != nil {
		s.server.Close()
		return nil, err
	}
	for _, n := range plan.Nodes {
		if s.site[n.ID] != "" {
			n.Secret = append(n.Secret, launch.Var{Name: remote.TicketVariable, Value: s.server.Ticket.String()})
		}
	}
	s.control = register(o, s.pipe, steer.Methods(s.coordinator), planNode{plan.Run, sitesNode}, "")
	return s, nil
}

// siteArguments returns the pipeline and the site of a node that runs a site with this program. self is the path of this program.
func siteArguments(n *launch.Node, self string) (path, site string) {
	if name := filepath.Base(n.Argv[0]); len(n.Argv) < 3 || n.Argv[1] != "run" || name != launch.Self && n.Argv[0] != self {
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

// pipelinePlan reads the plan of a pipeline file.
func pipelinePlan(o *Options, path string) (*pipe.Plan, error) {
	c, err := o.Workspace.Config(path)
	if err != nil {
		return nil, fmt.Errorf("the pipeline `%s` of the plan's sites cannot be read: %w", path, problem.Reason(err))
	}
	found, m := sprokit.Findings(c)
	switch {
	case m == nil:
		return nil, fmt.Errorf("`%s` is not a pipeline", path)
	case found.HasErrors():
		return nil, &Refusal{found}
	}
	if _, err := m.Options(); err != nil {
		return nil, err
	}
	plan, _ := m.Plan()
	return plan, nil
}

// stats returns a function that reads the statistics of the pipeline; nil: there is none.
func (s *planSites) stats() func() flow.Stats {
	if s == nil {
		return nil
	}
	return s.coordinator.Stats
}

// note follows the events of the sites' programs.
func (s *planSites) note(e state.Event) {
	if s == nil {
		return
	}
	if site := s.site[e.Node]; site != "" && (e.What == state.Ended || e.What == state.Failed) {
		s.coordinator.Gone(site, "its program has ended: "+e.Text)
	}
}

// began returns when the run of a node's site began; zero: not known.
func (s *planSites) began(node string) time.Time {
	if s == nil {
		return time.Time{}
	}
	return s.coordinator.Began()[s.site[node]]
}

// close stops the server and the coordinator, and returns the reason if the sites ended early.
func (s *planSites) close() error {
	if s == nil {
		return nil
	}
	s.control.close()
	s.coordinator.Close()
	s.server.Close()
	if err := s.coordinator.Wait(); !errors.Is(err, flow.ErrStopped) {
		return err
	}
	return nil
}
