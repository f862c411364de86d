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

// Limits are the times of a run on several sites. Zero values are replaced by defaults.
type Limits struct {
	Beat  time.Duration // time between two checks whether a site stands still; reports without news come less often
	Start time.Duration // time in which all sites must connect
	Lost  time.Duration // time without a message after which a site counts as lost
}

func (l Limits) filled() Limits {
	return Limits{
		Beat:  cmp.Or(l.Beat, 20*time.Millisecond),
		Start: cmp.Or(l.Start, time.Minute),
		Lost:  cmp.Or(l.Lost, 10*time.Second),
	}
}

// A Failure says why a run on several sites ended early.
type Failure struct {
	Site  string // the site that failed; empty: all of them
	Cause string
}

func (f *Failure) Error() string {
	if f.Site == "" {
		return f.Cause
	}
	return "site `" + f.Site + "`: " + f.Cause
}

var errServerLost = errors.New("the server of the run was lost")

// SiteOptions say which site of a run this program is.
type SiteOptions struct {
	Name    string
	Version string // of the program: all sites must have the same
	Ticket  *Ticket
	Limits  Limits
}

// A Site is one program's share of a run.
//
//	Join ─▶ Prepare the options ─▶ flow.Pipeline.Start ─▶ Follow the run ─▶ End
type Site struct {
	options SiteOptions
	limits  Limits
	leader  string // the site that coordinates; empty: no site does
	nc      *nats.Conn
	link    *link
	stop    context.CancelFunc
	stopped sync.WaitGroup
	now     chan struct{} // a report is due at once
	steps   stepper       // takes the steps of changes of settings

	// Used only by the goroutine that reports.
	reported, counted time.Time // the last report, and the last with figures
	phase             Phase     // the last reported phase
	still             uint64    // figures in the last report, if it said that the site stands still; else 0

	mu      sync.Mutex
	changed *sync.Cond // order, lost
	report  Report
	order   Order
	welcome bool      // the coordinator has admitted this program
	heard   time.Time // when the coordinator last gave an order
	lost    error     // why the coordinator or the server counts as lost
	run     *flow.Run
	began   time.Time // when run was started, before it waited for the other sites
	ended   bool      // run has ended
	paused  bool
}

// Join connects a site with the others of its run. The plan must have no errors.
func Join(o SiteOptions, plan *pipe.Plan) (*Site, error) {
	plan = flow.Replicated(plan)
	s := &Site{options: o, limits: o.Limits.filled(), now: make(chan struct{}, 1), heard: time.Now()}
	s.changed = sync.NewCond(&s.mu)
	if !o.Ticket.Led {
		s.leader = plan.Sites()[0]
	}
	host, _ := os.Hostname() // only for messages
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
		err = s.nc.FlushTimeout(s.limits.Lost) // afterwards the server knows this site's subscriptions
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

// Prepare completes the options of the run: it runs this site's part, and begins when all sites are
// set up.
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

// Follow lets the coordinator observe and end a run that has begun.
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

// Note keeps the last line that the site logged, to show it if the site is lost.
func (s *Site) Note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Last = line
}

// End tells the others how the run of this site ended, or that it did not begin, and waits until
// all have ended. It returns the error of this site, or the cause that ended it.
func (s *Site) End(err error) error {
	defer s.close()
	if err == nil {
		// All messages must arrive, even if a server is lost now.
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

// enter begins a phase and reports it at once.
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

// wait waits until cond is true; mu is locked. It returns an error if the connection is lost or the
// run ended early.
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

// lose notes that the connection to the others is lost, and ends the run of this site.
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

// greeted handles the coordinator's answer to the first reports. The site listens to data only
// after that: until then, the data may be for another program that runs the same site.
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
	if !s.welcome && s.link.begin() == nil { // otherwise the next greeting tries again
		s.welcome = true
		s.changed.Broadcast()
	}
}

// obey carries out an order of the coordinator.
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

// carryOut applies the newest order to the live run.
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
			_ = s.run.Pause() // it can only fail if the run ends or stops
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

// reportEvery is the time between two reports or orders without news.
const reportEvery = 100 * time.Millisecond

// statsEvery is the time between two reports with figures.
const statsEvery = 400 * time.Millisecond

// resendAfter is how long a sender waits for an acknowledgement before it asks for one.
const resendAfter = 500 * time.Millisecond

// beat reports until the site is closed.
func (s *Site) beat(ctx context.Context) {
	ticker := time.NewTicker(s.limits.Beat)
	defer ticker.Stop()
	asked := time.Now()
	due := true
	for {
		s.publish(due)
		s.mu.Lock()
		limit := s.limits.Lost
		if s.order.Phase == "" { // the coordinator itself may start late
			limit = s.limits.Start
		}
		silent := time.Since(s.heard) > limit
		s.changed.Broadcast() // for conditions that depend on the link
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

// silence returns the reason why no order has come.
func (s *Site) silence(limit time.Duration) error {
	switch {
	case !s.nc.IsConnected():
		return errServerLost
	case s.leader != "" && s.leader != s.options.Name:
		return &Failure{s.leader, fmt.Sprintf("it coordinates the run and has sent nothing for %v", limit)}
	}
	return fmt.Errorf("the coordinator of the run has sent nothing for %v", limit)
}

// publish sends a report if one is due, or if the site stands still and has not reported it.
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
	// Read the edges first: if they move afterwards, the report says that the run does not stand
	// still.
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
		_ = s.nc.Publish(prefix(s.options.Ticket.Run)+"report", buf) // the next report comes soon
	}
}
