package runs

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/remote"
	"github.com/pentode-dev/pentode/run/flow/steer"
)

// lifelineVariable is set for a site that must end when its standard input ends, because the program that started it is gone.
const lifelineVariable = "PENTODE_LIFELINE"

// takeTicket takes the ticket that the program which started this site has left in the environment; nil: the site was started by hand.
func takeTicket(site string) (*remote.Ticket, error) {
	text := os.Getenv(remote.TicketVariable)
	if site == "" || text == "" {
		return nil, nil
	}
	_ = os.Unsetenv(remote.TicketVariable) // programs that the pipeline starts need no ticket
	return remote.ParseTicket(text)
}

// led reports whether another program started this one to run a site. That program reports everything that is not about this site alone.
func (p *pipeRun) led() bool { return p.ticket != nil && p.ticket.Led }

// A siteRun is the run of one site: stopping it stops all sites.
type siteRun struct {
	*flow.Run
	site   *remote.Site
	leader string // the site that coordinates the run
}

func (r siteRun) Stop() { r.site.Stop() }

func (r siteRun) Abort() {
	r.site.Abort()
	r.Run.Abort()
}

func (r siteRun) Pause() error  { return r.elsewhere() }
func (r siteRun) Resume() error { return r.elsewhere() }

func (r siteRun) Set(context.Context, map[string]string, flow.SetOptions) (flow.SetResult, error) {
	return flow.SetResult{}, r.elsewhere()
}

func (r siteRun) elsewhere() error {
	return fmt.Errorf("this is one site of a run on several sites: control them all where site `%s` runs", r.leader)
}

// A leadingRun is a run of several sites, at the site that coordinates it: other programs control all sites, but tap only edges of this site.
type leadingRun struct {
	*remote.Coordinator
	run *flow.Run
}

// Tap taps an edge on this site.
func (r leadingRun) Tap(port string) (*flow.Tap, error) {
	if t, err := r.run.Tap(port); err == nil {
		return t, nil
	}
	return r.Coordinator.Tap(port)
}

// A member is this program's part in a run of several sites. A nil member is for a run of one program.
type member struct {
	site        *remote.Site
	coordinator *remote.Coordinator // nil if another program has it
	leader      string              // the site that has the coordinator, if sites are started by hand
}

// join makes this program a site, if the options name one.
func (p *pipeRun) join() (*member, error) {
	site := p.Pipeline.Site
	if site == "" {
		return nil, nil
	}
	if p.problems.HasErrors() {
		return nil, p.problems
	}
	sites := p.plan.Sites()
	if !slices.Contains(sites, site) {
		return nil, fmt.Errorf("the pipeline has no site `%s`; %s", site, problem.Advise(site, sites, "it has "+strings.Join(sites, ", ")))
	}
	limits := remote.Limits{Start: p.Pipeline.Wait}
	ticket, err := p.admission(p.path)
	if err != nil {
		return nil, err
	}
	m := &member{leader: sites[0]}
	if !ticket.Led && site == sites[0] {
		m.coordinator, err = remote.Coordinate(remote.CoordinatorOptions{Version: p.Version, Ticket: ticket, Sites: sites, Plan: p.plan, Limits: limits})
		if err != nil {
			return nil, err
		}
	}
	m.site, err = remote.Join(remote.SiteOptions{Name: site, Version: p.Version, Ticket: ticket, Limits: limits}, p.plan)
	if err != nil {
		m.close()
		return nil, err
	}
	if os.Getenv(lifelineVariable) != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			m.site.Abandon()
		}()
	}
	return m, nil
}

// admission returns what lets this site take part: the ticket from a launcher, or the
// server in the options. Sites without a launcher meet under the name of their run, or of
// the pipeline's file; they then check whether they have the same pipeline, and report if
// not.
func (p *pipeRun) admission(path string) (*remote.Ticket, error) {
	if p.ticket != nil {
		return p.ticket, nil
	}
	if p.Pipeline.NATS == "" {
		return nil, &Misfit{fmt.Sprintf("site `%s` needs the server that the sites share", p.Pipeline.Site), "Pipeline.NATS"}
	}
	return &remote.Ticket{Run: cmp.Or(p.Pipeline.Run, os.Getenv("PENTODE_RUN"), nameOf(path)), URL: p.Pipeline.NATS}, nil
}

// nameOf returns the name of a run of a file.
func nameOf(path string) string {
	name := filepath.Base(path)
	return strings.Map(func(r rune) rune {
		if notInName(r) {
			return '_'
		}
		return r
	}, strings.TrimSuffix(name, filepath.Ext(name)))
}

// IsName reports whether name can be the name of a run on a shared server: letters, digits,
// - and _. The empty name means the name of the file.
func IsName(name string) bool { return strings.IndexFunc(name, notInName) < 0 }

func notInName(r rune) bool {
	return r != '-' && r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
}

// prepare completes the options of a run.
func (m *member) prepare(opt flow.Options) flow.Options {
	if m == nil {
		return opt
	}
	return m.site.Prepare(opt)
}

// follow shows the other sites that the run has begun, and returns the run to stop.
func (m *member) follow(run *flow.Run) stoppable {
	if m == nil {
		return run
	}
	m.site.Follow(run)
	return siteRun{run, m.site, m.leader}
}

// steered returns the run that other terminals control: all sites, if this program coordinates them.
func (m *member) steered(run *flow.Run) steer.Run {
	switch {
	case m == nil:
		return run
	case m.coordinator != nil:
		return leadingRun{m.coordinator, run}
	}
	return siteRun{run, m.site, m.leader}
}

// follows returns the site that coordinates this one, or empty if this program does.
func (m *member) follows() string {
	if m == nil || m.coordinator != nil {
		return ""
	}
	return m.leader
}

// end waits for the other sites.
func (m *member) end(err error) error {
	if m == nil {
		return err
	}
	defer m.close()
	err = m.site.End(err)
	if m.coordinator != nil {
		m.coordinator.Linger()
	}
	return err
}

func (m *member) close() {
	if m.coordinator != nil {
		m.coordinator.Close()
	}
}
