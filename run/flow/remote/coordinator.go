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

// CoordinatorOptions describe a run on several sites to its coordinator.
type CoordinatorOptions struct {
	Version string // version of this program; all sites must have the same
	Ticket  *Ticket
	Sites   []string   // the sites of the plan, in its order
	Plan    *pipe.Plan // plan of the pipeline, without copies of replicated processes; new settings are stored in it
	Limits  Limits
}

// A Coordinator leads a run on several sites: it begins and ends the run on all of them.
type Coordinator struct {
	options CoordinatorOptions
	limits  Limits
	nc      *nats.Conn
	stop    context.CancelFunc
	stopped sync.WaitGroup
	done    chan struct{}
	setting chan struct{} // holds a token while a change of settings is in progress, so that there is only one
	heard   chan struct{} // gets a token when a site has reported

	mu    sync.Mutex
	sites map[string]*member
	order Order
	begun time.Time
	told  time.Time // when the order was last sent
	quiet quiet
	steps uint64 // number of steps made so far, over all changes of settings
	err   error
}

// A member has the coordinator's information about a site.
type member struct {
	Report
	stats flow.Stats
	heard time.Time
	began time.Time // when the site started its run, according to the clock of this program
}

// Coordinate starts a coordinator. It waits for the sites of the run and then begins the run.
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

// A leader is the answer of a coordinator to a program that wants to coordinate the same run.
type leader struct {
	Host  string `json:"host"`
	Phase Phase  `json:"phase"`
}

// alone returns an error if another program already coordinates a run of this name: two
// coordinators would give contradictory orders. If the other run has ended, alone waits a little,
// because its coordinator will soon leave.
func (c *Coordinator) alone() error {
	for end := time.Now().Add(10 * reportEvery); ; time.Sleep(reportEvery) {
		msg, err := c.nc.Request(prefix(c.options.Ticket.Run)+"lead", nil, time.Second)
		var l leader
		if err != nil || json.Unmarshal(msg.Data, &l) != nil || time.Now().After(end) && l.Phase == Ended {
			return nil // no other coordinator has answered, or it is about to leave
		}
		if l.Phase != Ended {
			return fmt.Errorf("a run `%s`, coordinated on `%s`, is live on the server and continues; give the new run another name", c.options.Ticket.Run, l.Host)
		}
	}
}

// lead answers a program that asks whether this run has a coordinator.
func (c *Coordinator) lead(msg *nats.Msg) {
	c.mu.Lock()
	l := leader{Phase: c.order.Phase}
	c.mu.Unlock()
	l.Host, _ = os.Hostname() // used only in messages
	if buf, err := json.Marshal(l); err == nil {
		_ = msg.Respond(buf) // without an answer, the other program would coordinate the run
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

// Close ends the coordinator. Until then, sites that connect late are told that the run has ended.
func (c *Coordinator) Close() {
	c.Fail("", "the run was abandoned")
	c.stop()
	c.stopped.Wait()
	_ = c.nc.FlushTimeout(time.Second) // send the last order
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

// Linger waits a moment, so that every site learns from the orders how the run ended.
func (c *Coordinator) Linger() {
	<-c.done
	time.Sleep(3 * reportEvery)
}

// Fail ends the run for a reason that the sites cannot observe themselves.
func (c *Coordinator) Fail(site, cause string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(&Failure{site, cause})
}

// Gone is called when the program of a site has ended. It ends the run, unless the site has
// reported its end.
func (c *Coordinator) Gone(site, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.sites[site]; m != nil && m.Phase == Ended {
		return
	}
	c.end(&Failure{site, why + c.lastWords(site)})
}

// Stats returns the counts of all sites together.
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

// state returns the state of the whole run. The caller holds mu.
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

// awayAfter is how long a site must be silent until it is shown as away. It is the time of ten
// reports.
const awayAfter = 10 * reportEvery

// presences returns the state of each site as the coordinator sees it. The caller holds mu.
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

// hear handles a report of a site.
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
	news := r.Phase != m.Phase || r.Still // only such reports need an immediate reaction
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

// greet tells a program whether it may be a site of the run. refused is the reason if it may not;
// the run then continues without it.
func (c *Coordinator) greet(r *Report, refused string) {
	if buf, err := json.Marshal(Greeting{refused}); err == nil {
		_ = c.nc.Publish(prefix(c.options.Ticket.Run)+"greet."+r.Instance, buf) // if the message is lost, the site reports again and gets a new one
	}
}

// beat judges the reports and sends orders regularly, until the coordinator is closed.
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

// tell sends the current order to all sites. The caller holds mu.
func (c *Coordinator) tell() {
	c.told = time.Now()
	if buf, err := json.Marshal(c.order); err == nil {
		_ = c.nc.Publish(prefix(c.options.Ticket.Run)+"order", buf) // if the message is lost, the next order soon follows
	}
}

// end ends the run. If it has already ended, the first cause is kept. The caller holds mu.
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

// judge decides from the reports whether the run begins, continues or ends. The caller holds mu.
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

// failed returns the first failure of a site, a failure if the run did not begin in time, or nil.
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

// Lost reports whether a site has sent no message for too long.
func (c *Coordinator) Lost(site string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.sites[site]
	return m != nil && c.lost(m)
}

func (c *Coordinator) lost(m *member) bool {
	return m.Phase != Ended && time.Since(m.heard) > c.limits.Lost
}

// silence returns a failure that says why nothing is heard from a site.
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
