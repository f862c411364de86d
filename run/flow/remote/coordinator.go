package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// CoordinatorOptions describe the run that a coordinator leads.
type CoordinatorOptions struct {
	Version string // of the program: all sites must have it
	Ticket  *Ticket
	Sites   []string   // sites of the plan, in its order
	Plan    *pipe.Plan // plan of the pipeline, each process once; changed settings are noted in it
	Limits  Limits
}

// A Coordinator begins and ends a run for all its sites.
type Coordinator struct {
	options CoordinatorOptions
	limits  Limits
	nc      *nats.Conn
	stop    context.CancelFunc
	stopped sync.WaitGroup
	done    chan struct{}
	setting chan struct{} // holds one token: one change of settings at a time
	heard   chan struct{} // a site has reported

	mu    sync.Mutex
	sites map[string]*member
	order Order
	begun time.Time
	told  time.Time // when the order was last given
	quiet quiet
	steps uint64 // steps of changes of settings so far
	err   error
}

// A member is what the coordinator knows about a site.
type member struct {
	Report
	stats flow.Stats
	heard time.Time
	began time.Time // when its run was started, on the clock of this program
}

// Coordinate starts a coordinator, which waits for the sites of a run.
func Coordinate(o CoordinatorOptions) (*Coordinator, error) {
	c := &Coordinator{
		options: o, limits: o.Limits.filled(), done: make(chan struct{}), sites: map[string]*member{},
		setting: make(chan struct{}, 1), heard: make(chan struct{}, 1), order: Order{Phase: Gathering}, begun: time.Now(),
	}
	var err error
	c.nc, err = connect(o.Ticket, "coordinator", c.limits.Lost,
		nats.ClosedHandler(func(*nats.Conn) { c.Fail("", errServerLost.Error()) }))
	if err != nil {
		return nil, err
	}
	if err := c.alone(); err != nil {
		c.nc.Close()
		return nil, err
	}
	if _, err = c.nc.Subscribe(prefix(o.Ticket.Run)+"lead", c.lead); err == nil {
		_, err = c.nc.Subscribe(prefix(o.Ticket.Run)+"report", c.hear)
	}
	if err == nil {
		err = c.nc.FlushTimeout(c.limits.Lost)
	}
	if err != nil {
		c.nc.Close()
		return nil, fmt.Errorf("the server does not admit the coordinator: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.stopped.Go(func() { c.beat(ctx) })
	return c, nil
}

// A leader identifies the coordinator of a run to another program that wants to coordinate it.
type leader struct {
	Host  string `json:"host"`
	Phase Phase  `json:"phase"`
}

// alone returns an error if another program coordinates a run of this name, because two
// coordinators would give contradicting orders. A coordinator whose run is over leaves shortly.
func (c *Coordinator) alone() error {
	for end := time.Now().Add(10 * reportEvery); ; time.Sleep(reportEvery) {
		msg, err := c.nc.Request(prefix(c.options.Ticket.Run)+"lead", nil, time.Second)
		var l leader
		if err != nil || json.Unmarshal(msg.Data, &l) != nil || time.Now().After(end) && l.Phase == Ended {
			return nil // there is no other coordinator
		}
		if l.Phase != Ended {
			return fmt.Errorf("a run `%s`, coordinated on `%s`, is live on the server and continues; give the new run another name", c.options.Ticket.Run, l.Host)
		}
	}
}

// lead answers a program that asks for the coordinator.
func (c *Coordinator) lead(msg *nats.Msg) {
	c.mu.Lock()
	l := leader{Phase: c.order.Phase}
	c.mu.Unlock()
	l.Host, _ = os.Hostname() // only for messages
	if buf, err := json.Marshal(l); err == nil {
		_ = msg.Respond(buf) // a program that gets no answer takes over
	}
}

// Wait waits for the end of the run. It returns nil, flow.ErrStopped or a *Failure.
func (c *Coordinator) Wait() error {
	<-c.done
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Done returns a channel that is closed when the run has ended.
func (c *Coordinator) Done() <-chan struct{} { return c.done }

// Close closes the coordinator. Until then, sites that come late learn that the run has ended.
func (c *Coordinator) Close() {
	c.Fail("", "the run was abandoned")
	c.stop()
	c.stopped.Wait()
	_ = c.nc.FlushTimeout(time.Second) // the last order
	c.nc.Close()
}

// Stop ends the run gracefully.
func (c *Coordinator) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Stop, c.order.Pause = true, false
	c.tell()
}

// Abort ends the run at once.
func (c *Coordinator) Abort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(flow.ErrStopped)
}

// Pause stops all sites from beginning further steps until Resume.
func (c *Coordinator) Pause() error { return c.pause(true, flow.ErrPaused) }

// Resume continues a paused run.
func (c *Coordinator) Resume() error { return c.pause(false, flow.ErrNotPaused) }

func (c *Coordinator) pause(on bool, already error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.order.Phase == Ended:
		return flow.ErrEnded
	case c.order.Stop:
		return flow.ErrStopping
	case c.order.Pause == on:
		return already
	}
	c.order.Pause = on
	c.tell()
	return nil
}

// Linger waits a moment, so that every site learns how the run ended.
func (c *Coordinator) Linger() {
	<-c.done
	time.Sleep(3 * reportEvery)
}

// Fail ends the run for a reason that the sites cannot see themselves.
func (c *Coordinator) Fail(site, cause string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(&Failure{site, cause})
}

// Gone ends the run if the program of a site has ended without reporting it.
func (c *Coordinator) Gone(site, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.sites[site]; m != nil && m.Phase == Ended {
		return
	}
	c.end(&Failure{site, why + c.lastWords(site)})
}

// Stats returns the figures of all sites.
func (c *Coordinator) Stats() flow.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []flow.Stats
	for _, site := range c.options.Sites {
		if m := c.sites[site]; m != nil {
			list = append(list, m.stats)
		}
	}
	all := flow.JoinStats(list...)
	all.State, all.Sites = c.state(), c.presences()
	return all
}

// state returns what the run as a whole is doing; mu is locked.
func (c *Coordinator) state() flow.State {
	switch {
	case c.order.Phase == Ended:
		return flow.EndState(c.err)
	case c.order.Stop:
		return flow.Stopping
	case c.order.Pause:
		return flow.Paused
	}
	return flow.Running
}

// awayAfter is how long a site must be silent before it is shown as away: ten reports are missing.
const awayAfter = 10 * reportEvery

// presences returns how the coordinator sees the sites; mu is locked.
func (c *Coordinator) presences() []flow.SiteStats {
	list := make([]flow.SiteStats, len(c.options.Sites))
	for i, site := range c.options.Sites {
		list[i] = flow.SiteStats{Name: site, State: "missing"}
		m := c.sites[site]
		if m == nil {
			continue
		}
		list[i] = flow.SiteStats{Name: site, Host: m.Host, State: string(m.Phase), Last: m.Last}
		if silent := time.Since(m.heard); silent > awayAfter && m.Phase != Ended {
			list[i].State, list[i].Silent = "away", silent
		}
	}
	return list
}

// hear receives a report.
func (c *Coordinator) hear(msg *nats.Msg) {
	var r Report
	if json.Unmarshal(msg.Data, &r) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.sites[r.Site]
	switch {
	case m == nil && !slices.Contains(c.options.Sites, r.Site):
		c.greet(&r, fmt.Sprintf("the pipeline of the run `%s` has no such site; its sites are %s", c.options.Ticket.Run, strings.Join(c.options.Sites, ", ")))
		return
	case m == nil:
		m = &member{}
		c.sites[r.Site] = m
	case m.Instance != r.Instance:
		c.greet(&r, fmt.Sprintf("the run `%s` already has a program for this site, on `%s`, and continues", c.options.Ticket.Run, m.Host))
		return
	}
	if r.Phase == Gathering {
		c.greet(&r, "")
	}
	news := r.Phase != m.Phase || r.Still // other reports change nothing
	m.Report, m.heard = r, time.Now()
	m.setClock()
	c.order.Stop = c.order.Stop || r.Stop
	if r.Stats != nil {
		m.stats = *r.Stats
	}
	if r.Abort {
		c.end(flow.ErrStopped)
	}
	if news {
		c.judge()
	}
	select {
	case c.heard <- struct{}{}:
	default:
	}
}

// greet answers a program that wants to be a site. Refusing a program changes nothing for the
// others.
func (c *Coordinator) greet(r *Report, refused string) {
	if buf, err := json.Marshal(Greeting{refused}); err == nil {
		_ = c.nc.Publish(prefix(c.options.Ticket.Run)+"greet."+r.Instance, buf) // if it is lost, the site reports again
	}
}

// beat gives orders until the coordinator is closed.
func (c *Coordinator) beat(ctx context.Context) {
	ticker := time.NewTicker(c.limits.Beat)
	defer ticker.Stop()
	for {
		c.mu.Lock()
		c.judge()
		if time.Since(c.told) >= reportEvery {
			c.tell()
		}
		c.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// tell sends the order; mu is locked.
func (c *Coordinator) tell() {
	c.told = time.Now()
	if buf, err := json.Marshal(c.order); err == nil {
		_ = c.nc.Publish(prefix(c.options.Ticket.Run)+"order", buf) // the next order comes soon
	}
}

// end ends the run; mu is locked. The first cause is kept.
func (c *Coordinator) end(err error) {
	if c.order.Phase == Ended {
		return
	}
	c.err = err
	c.order.Phase = Ended
	var f *Failure
	if errors.As(err, &f) {
		c.order.Cause, c.order.Site = f.Cause, f.Site
	}
	c.tell()
	close(c.done)
}

// judge acts on what the sites have reported; mu is locked.
func (c *Coordinator) judge() {
	if c.order.Phase == Ended {
		return
	}
	if f := c.failed(); f != nil {
		c.end(f)
		return
	}
	ready, ended, stopped := 0, 0, false
	for _, m := range c.sites {
		switch m.Phase {
		case Ready:
			ready++
		case Ended:
			ended++
			stopped = stopped || m.Stopped
		}
	}
	switch n := len(c.options.Sites); {
	case ended == n && stopped:
		c.end(flow.ErrStopped)
	case ended == n:
		c.end(nil)
	case c.order.Phase == Gathering && ready == n:
		c.order.Phase = Running
		c.tell()
	case c.order.Phase == Running && len(c.sites) == n:
		c.standstill()
	}
}

// failed returns the first failure.
func (c *Coordinator) failed() *Failure {
	var first *member
	for _, site := range c.options.Sites {
		m := c.sites[site]
		if m == nil {
			continue
		}
		switch {
		case m.Phase == Ended && m.Error != "":
			return &Failure{site, m.Error}
		case m.Phase == Ended && m.Stopped && c.order.Phase == Gathering:
			return &Failure{site, "it was stopped before the run began"}
		case c.lost(m):
			return c.silence(site)
		case m.Version != c.options.Version:
			return &Failure{site, fmt.Sprintf("its program has version `%s`, but the run has version `%s`: install the same version on all machines", m.Version, c.options.Version)}
		case first == nil:
			first = m
		case m.Hash != first.Hash:
			return &Failure{site, fmt.Sprintf("its pipeline differs from the pipeline of site `%s`: give all sites the same file and settings", first.Site)}
		}
	}
	if c.order.Phase == Gathering && time.Since(c.begun) > c.limits.Start {
		var missing []string
		for _, site := range c.options.Sites {
			if m := c.sites[site]; m == nil || m.Phase == Gathering {
				missing = append(missing, "`"+site+"`")
			}
		}
		return &Failure{"", fmt.Sprintf("the run did not begin within %v: these sites are missing: %s", c.limits.Start, strings.Join(missing, ", "))}
	}
	return nil
}

// Lost reports whether a site has been silent for too long.
func (c *Coordinator) Lost(site string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.sites[site]
	return m != nil && c.lost(m)
}

func (c *Coordinator) lost(m *member) bool {
	return m.Phase != Ended && time.Since(m.heard) > c.limits.Lost
}

// silence returns the reason why a site is not heard.
func (c *Coordinator) silence(site string) *Failure {
	if !c.nc.IsConnected() {
		return &Failure{"", errServerLost.Error()}
	}
	return &Failure{site, fmt.Sprintf("it has not reported for %v%s", c.limits.Lost, c.lastWords(site))}
}

func (c *Coordinator) lastWords(site string) string {
	m := c.sites[site]
	switch {
	case m == nil:
		return "; it never connected"
	case m.Last == "":
		return "; it logged nothing"
	}
	return "; its last message: " + m.Last
}
