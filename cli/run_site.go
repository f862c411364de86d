package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/remote"
	"github.com/pentode-dev/pentode/run/flow/steer"
)

// siteFlags say what of a pipeline that is spread over sites runs here.
type siteFlags struct {
	site, sites, nats string
	runName           string // under which sites without a launcher meet
	wait              time.Duration
	given             *remote.Ticket // of who started this site; nil: by hand
}

// lifelineVariable is set for a site whose standard input ends with the
// program that started it.
const lifelineVariable = "PENTODE_LIFELINE"

// valid refuses flags that contradict each other, and takes the ticket.
func (f *siteFlags) valid() error {
	switch {
	case f.sites != "" && f.sites != "local":
		return fmt.Errorf("--sites takes local, not `%s`; one site is run by --site NAME", f.sites)
	case f.sites != "" && f.site != "":
		return errors.New("--sites runs all sites and --site one: give one of them")
	case f.nats != "" && f.site == "":
		return errors.New("--nats is the server that the sites of a run share: give --site NAME with it")
	case f.runName != "" && f.nats == "":
		return errors.New("--run is the name of a run on a server that it shares with others: give --nats URL with it")
	case strings.IndexFunc(f.runName, notInName) >= 0:
		return fmt.Errorf("--run takes a name of letters, digits, - and _, not `%s`", f.runName)
	}
	text := os.Getenv(remote.TicketVariable)
	if f.site == "" || text == "" {
		return nil
	}
	_ = os.Unsetenv(remote.TicketVariable) // what processes of the pipeline start needs no key
	var err error
	f.given, err = remote.ParseTicket(text)
	return err
}

// led reports whether this program runs a site for the one that started it,
// which says everything that is not this site's own.
func (f *siteFlags) led() bool { return f.given != nil && f.given.Led }

// A siteRun is a run of one site: to stop it is to stop all sites.
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
	return fmt.Errorf("this is one site of a run on several: steer them all where site `%s` runs", r.leader)
}

// A member is this program's part in a run of several sites. Nil is a run of
// one program.
type member struct {
	site        *remote.Site
	coordinator *remote.Coordinator // where this program has it
	leader      string              // the site that has it, where sites are started by hand
}

// join makes this program the site of --site.
func (p *pipeRun) join(path string, pipeline *flow.Pipeline) (*member, error) {
	if p.site == "" {
		return nil, nil
	}
	plan, problems := flow.Resolve(&pipeline.Graph, pipeline.Registry.Running())
	if problems.HasErrors() {
		return nil, problems
	}
	sites := plan.Sites()
	if !slices.Contains(sites, p.site) {
		return nil, fmt.Errorf("the pipeline has no site `%s`%s", p.site, cmp.Or(near(p.site, sites), "; it has "+strings.Join(sites, ", ")))
	}
	limits := remote.Limits{Start: p.wait}
	ticket, err := p.ticket(path)
	if err != nil {
		return nil, err
	}
	m := &member{leader: sites[0]}
	if !ticket.Led && p.site == sites[0] {
		m.coordinator, err = remote.Coordinate(remote.CoordinatorOptions{Version: Version, Ticket: ticket, Sites: sites, Plan: plan, Limits: limits})
		if err != nil {
			return nil, err
		}
	}
	m.site, err = remote.Join(remote.SiteOptions{Name: p.site, Version: Version, Ticket: ticket, Limits: limits}, pipeline)
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

// ticket is what lets this site take part: what a launcher hands over, or the
// server that --nats names. Sites without a launcher meet under the name of
// their run, or of the pipeline's file: whether they have the same pipeline is then
// found out, and said.
func (p *pipeRun) ticket(path string) (*remote.Ticket, error) {
	if p.given != nil {
		return p.given, nil
	}
	if p.nats == "" {
		return nil, fmt.Errorf("site `%s` needs the server that the sites share: give --nats URL, or run all sites here with --sites local", p.site)
	}
	return &remote.Ticket{Run: cmp.Or(p.runName, os.Getenv("PENTODE_RUN"), nameOf(path)), URL: p.nats}, nil
}

// nameOf is the name of a run of a file.
func nameOf(path string) string {
	name := filepath.Base(path)
	return strings.Map(func(r rune) rune {
		if notInName(r) {
			return '_'
		}
		return r
	}, strings.TrimSuffix(name, filepath.Ext(name)))
}

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

// follow lets the other sites see a run that has begun, and returns what stops it.
func (m *member) follow(run *flow.Run) stoppable {
	if m == nil {
		return run
	}
	m.site.Follow(run)
	return siteRun{run, m.site, m.leader}
}

// steered is the run as other terminals steer it: all sites, where this program
// coordinates them.
func (m *member) steered(run *flow.Run) steer.Run {
	switch {
	case m == nil:
		return run
	case m.coordinator != nil:
		return m.coordinator
	}
	return siteRun{run, m.site, m.leader}
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
