package remote

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Limits are time limits of a run on several sites. A zero value stands for the default.
type Limits struct {
	Beat  time.Duration // interval of the checks whether a site stands still; regular reports are less frequent
	Start time.Duration // time within which all sites must connect
	Lost  time.Duration // time without a message after which a site is considered lost
}

func (l Limits) filled() Limits {
	return Limits{
		Beat:  cmp.Or(l.Beat, 20*time.Millisecond),
		Start: cmp.Or(l.Start, time.Minute),
		Lost:  cmp.Or(l.Lost, 10*time.Second),
	}
}

// A Failure is the reason why a run on several sites ended early.
type Failure struct {
	Site  string // the site that failed; empty: no single site
	Cause string
}

func (f *Failure) Error() string {
	if f.Site == "" {
		return f.Cause
	}
	return "site `" + f.Site + "`: " + f.Cause
}

var errServerLost = errors.New("the server of the run was lost")

// SiteOptions describe the site that this program runs.
type SiteOptions struct {
	Name    string
	Version string // version of this program; all sites must have the same
	Ticket  *Ticket
	Limits  Limits
}

// A Site runs the part of a pipeline that belongs to one site. Its methods are called in this
// order:
//
//	Join ─▶ Prepare the options ─▶ flow.Pipeline.Start ─▶ Follow the run ─▶ End
type Site struct {
	options SiteOptions
	limits  Limits
	leader  string // the site whose program also coordinates the run; empty: the launcher does
	nc      *nats.Conn
	link    *link
	stop    context.CancelFunc
	stopped sync.WaitGroup
	now     chan struct{} // a token makes the site report at once
	steps   stepper       // carries out the steps of changes of settings

	// The fields below are used only by the goroutine that reports.
	reported, counted time.Time // time of the last report, and of the last report with figures
	phase             Phase     // phase in the last report
	still             uint64    // figures in the last report if the site stood still then, else 0

	mu      sync.Mutex
	changed *sync.Cond // signals changes of order, welcome, lost and the link
	report  Report
	order   Order
	welcome bool      // the coordinator has accepted this program as the site
	heard   time.Time // when the coordinator's last order arrived
	lost    error     // why the connection to the coordinator or the server is lost; nil if it is not
	run     *flow.Run
	began   time.Time // when run was started; it then waits for the other sites
	ended   bool      // run is over
	paused  bool
}

// Join connects this site to the other sites of the run. The plan must have no errors.
func Join(o SiteOptions, plan *pipe.Plan) (*Site, error) {
	plan = flow.Replicated(plan)
	s := &Site{options: o, limits: o.Limits.filled(), now: make(chan struct{}, 1), heard: time.Now()}
	s.changed = sync.NewCond(&s.mu)
	if !o.Ticket.Led {
		s.leader = plan.Sites()[0]
	}
	host, _ := os.Hostname() // used only in messages
	s.report = Report{Site: o.Name, Instance: rand.Text(), Host: host, Version: o.Version, Hash: plan.Hash(), Phase: Gathering}
	var err error
	s.nc, err = connect(o.Ticket, "site "+o.Name, s.limits.Lost,
		nats.ReconnectHandler(func(*nats.Conn) { s.link.keepAlive() }),
		nats.ClosedHandler(func(*nats.Conn) { s.lose(errServerLost) }))
	if err != nil {
		return nil, err
	}
	s.link = newLink(s.nc, o.Ticket.Run, plan, o.Name)
	if _, err = s.nc.Subscribe(prefix(o.Ticket.Run)+"order", s.obey); err == nil {
		_, err = s.nc.Subscribe(prefix(o.Ticket.Run)+"greet."+s.report.Instance, s.greeted)
	}
	if err == nil {
		_, err = s.nc.Subscribe(prefix(o.Ticket.Run)+"show."+o.Name, s.show)
	}
	if err == nil {
		err = s.nc.FlushTimeout(s.limits.Lost) // returns when the server has processed this site's subscriptions
	}
	if err != nil {
		s.nc.Close()
		return nil, fmt.Errorf("the server does not admit site `%s`: %w", o.Name, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.stopped.Go(func() { s.beat(ctx) })
	return s, nil
}

// Prepare completes the options for flow.Start: this site's part of the pipeline is run, and the
// run begins when all sites are set up.
func (s *Site) Prepare(opt flow.Options) flow.Options {
	opt.Part = s.link.part(s.options.Name)
	opt.Ready = func(ctx context.Context) error {
		welcome := false
		if err := s.wait(ctx, func() bool { welcome = s.welcome; return welcome || s.order.Phase == Ended }); err != nil {
			return err
		}
		if !welcome {
			return fmt.Errorf("the run `%s` has just ended", s.options.Ticket.Run)
		}
		s.enter(Ready, nil)
		return s.wait(ctx, func() bool { return s.order.Phase == Running || s.order.Phase == Ended })
	}
	return opt
}

// Follow lets the coordinator observe, control and end a started run.
func (s *Site) Follow(run *flow.Run) {
	s.mu.Lock()
	s.run = run
	s.began = run.Started()
	s.mu.Unlock()
	s.enter(Running, nil)
	s.carryOut()
}

// Stop asks for a graceful end of the run on all sites.
func (s *Site) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Stop = true
	s.hurry()
}

// Abort asks for the immediate end of the run on all sites.
func (s *Site) Abort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Abort = true
	s.hurry()
}

// Abandon ends the site at once, because the program that started it is gone.
func (s *Site) Abandon() { s.lose(errors.New("the program that started this site is gone")) }

// Note remembers the last line that the site logged. It is shown if the site is lost.
func (s *Site) Note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Last = line
}

// End reports to the other sites how the run of this site ended, or err if it could not begin, and
// waits until all sites have ended. It returns the error of this site, or the reason why the whole
// run was ended.
func (s *Site) End(err error) error {
	defer s.close()
	if err == nil {
		// Wait until all data have arrived, because they may have to be sent again.
		_ = s.wait(context.Background(), func() bool { return s.order.Phase == Ended || s.link.settled() })
	}
	s.enter(Ended, err)
	over := s.wait(context.Background(), func() bool { return s.order.Phase == Ended })
	s.mu.Lock()
	defer s.mu.Unlock()
	cause := s.order.Cause != "" && s.order.Site != s.options.Name
	if cause && (err == nil || errors.Is(err, flow.ErrStopped) || errors.Is(err, context.Canceled)) {
		return &Failure{s.order.Site, s.order.Cause}
	}
	if err == nil || errors.Is(err, flow.ErrStopped) && s.lost != nil {
		return cmp.Or(over, err)
	}
	return err
}

func (s *Site) close() {
	s.stop()
	s.steps.leave()
	s.stopped.Wait()
	s.nc.Close()
}

// enter begins a new phase of the site and reports it at once.
func (s *Site) enter(p Phase, err error) {
	s.mu.Lock()
	s.report.Phase = p
	s.ended = p == Ended
	if errors.Is(err, flow.ErrStopped) {
		s.report.Stopped = true
	} else if err != nil {
		s.report.Error = err.Error()
	}
	s.mu.Unlock()
	s.hurry()
}

func (s *Site) hurry() {
	select {
	case s.now <- struct{}{}:
	default:
	}
}

// wait waits until cond returns true. It returns an error if the connection is lost or the run has
// ended early. It locks mu, and calls cond with mu locked.
func (s *Site) wait(ctx context.Context, cond func() bool) error {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !cond() {
		if s.lost != nil {
			return s.lost
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.changed.Wait()
	}
	if s.order.Phase == Ended && s.order.Cause != "" {
		return &Failure{s.order.Site, s.order.Cause}
	}
	return nil
}

// lose is called when the connection to the other sites is lost. It ends the run of this site.
func (s *Site) lose(err error) {
	s.mu.Lock()
	if s.lost != nil {
		s.mu.Unlock()
		return
	}
	s.lost = err
	run := s.run
	s.changed.Broadcast()
	s.mu.Unlock()
	if run != nil {
		run.Abort()
	}
}

// greeted handles the coordinator's greeting. Only an accepted site subscribes to data, because
// otherwise the data may be for another program that runs the same site.
func (s *Site) greeted(m *nats.Msg) {
	var g Greeting
	if json.Unmarshal(m.Data, &g) != nil {
		return
	}
	if g.Refused != "" {
		s.lose(&Failure{s.options.Name, g.Refused})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.welcome && s.link.begin() == nil { // on an error, try again at the next greeting
		s.welcome = true
		s.changed.Broadcast()
	}
}

// obey handles an order of the coordinator.
func (s *Site) obey(m *nats.Msg) {
	var o Order
	if json.Unmarshal(m.Data, &o) != nil {
		return
	}
	s.mu.Lock()
	s.heard = time.Now()
	if o.Wave > s.order.Wave || o.Phase != s.order.Phase {
		s.hurry()
	}
	s.order = o
	s.changed.Broadcast()
	s.mu.Unlock()
	s.carryOut()
}

// carryOut makes the run follow the newest order.
func (s *Site) carryOut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		return
	}
	o := s.order
	s.revise(o.Revision)
	if s.ended {
		return
	}
	switch {
	case o.Phase == Ended:
		s.run.Abort()
	case o.Stop:
		s.run.Stop()
	case o.Pause != s.paused:
		if s.paused = o.Pause; o.Pause {
			_ = s.run.Pause() // fails only if the run is ending or stopping
		} else {
			_ = s.run.Resume()
		}
	}
	if o.Grow == s.options.Name && o.Growth > s.report.Grown {
		s.run.Grow()
		s.report.Grown = o.Growth
		s.hurry()
	}
	if o.Loose > s.report.Loosened {
		s.run.Loosen()
		s.report.Loosened = o.Loose
		s.hurry()
	}
}

// reportEvery is the interval of regular reports and orders.
const reportEvery = 100 * time.Millisecond

// statsEvery is the interval of reports that include figures.
const statsEvery = 400 * time.Millisecond

// resendAfter is how long a sender waits for an acknowledgement before it asks for one.
const resendAfter = 500 * time.Millisecond

// beat sends reports at regular intervals until the site is closed.
func (s *Site) beat(ctx context.Context) {
	ticker := time.NewTicker(s.limits.Beat)
	defer ticker.Stop()
	asked := time.Now()
	due := true
	for {
		s.publish(due)
		s.mu.Lock()
		limit := s.limits.Lost
		if s.order.Phase == "" { // the coordinator has given no order yet and may be late itself
			limit = s.limits.Start
		}
		silent := time.Since(s.heard) > limit
		s.changed.Broadcast() // wakes waiters whose condition depends on the link
		s.mu.Unlock()
		if silent {
			s.lose(s.silence(limit))
		}
		if time.Since(asked) > resendAfter {
			asked = time.Now()
			s.link.keepAlive()
		}
		due = false
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-s.now:
			due = true
		}
	}
}

// silence returns why no order has arrived for this time.
func (s *Site) silence(limit time.Duration) error {
	switch {
	case !s.nc.IsConnected():
		return errServerLost
	case s.leader != "" && s.leader != s.options.Name:
		return &Failure{s.leader, fmt.Sprintf("it coordinates the run and has sent nothing for %v", limit)}
	}
	return fmt.Errorf("the coordinator of the run has sent nothing for %v", limit)
}

// publish sends a report if due is true, if the last one is older than reportEvery, or if the site
// now stands still and has not reported this.
func (s *Site) publish(due bool) {
	s.mu.Lock()
	r := s.report
	r.Wave = s.order.Wave
	run, began := s.run, s.began
	s.mu.Unlock()
	now := time.Now()
	due = due || now.Sub(s.reported) >= reportEvery
	if !due && (run == nil || r.Phase != Running || !run.Still()) {
		return
	}
	// Read the counts of the edges first. If they change afterwards, the report will not say that
	// the run stands still.
	r.Edges = s.link.report()
	if run != nil && r.Phase == Running {
		r.Standstill, r.Still = run.Standstill()
	}
	sum := figuresOf(r.Edges)
	if !due && (!r.Still || s.still == sum) {
		return
	}
	if s.still = 0; r.Still {
		s.still = sum
	}
	if run != nil && (r.Phase != s.phase || r.Phase == Ended || now.Sub(s.counted) >= statsEvery) {
		st := run.Stats()
		r.Stats, s.counted = &st, now
	}
	s.phase, s.reported = r.Phase, now
	if run != nil {
		r.Sent, r.Boot = time.Now(), boot()
		r.Age = r.Sent.Sub(began)
	}
	if buf, err := json.Marshal(r); err == nil {
		_ = s.nc.Publish(prefix(s.options.Ticket.Run)+"report", buf) // if the report is lost, the next one soon follows
	}
}
