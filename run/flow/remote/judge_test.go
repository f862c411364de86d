package remote

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestJudge: the reports of two sites decide how the run continues or ends.
func TestJudge(t *testing.T) {
	server, err := Serve(ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	nc := Dial(t, &server.Ticket)
	now := time.Now()
	long := now.Add(-time.Hour)
	at := func(p Phase, change func(*member)) *member {
		m := &member{Report: Report{Phase: p, Version: "1", Hash: "h"}, heard: now}
		if change != nil {
			change(m)
		}
		return m
	}
	stopped := func(m *member) { m.Stopped = true }
	silent := func(m *member) { m.heard, m.Last = long, "ouch" }
	for name, c := range map[string]struct {
		before Phase
		a, b   *member
		after  Phase
		want   string // how the run ends; a dash if it continues or ends well
	}{
		"one is missing":            {Gathering, at(Ready, nil), nil, Gathering, "-"},
		"one is not ready":          {Gathering, at(Ready, nil), at(Gathering, nil), Gathering, "-"},
		"both are ready":            {Gathering, at(Ready, nil), at(Ready, nil), Running, "-"},
		"one runs on":               {Running, at(Ended, nil), at(Running, nil), Running, "-"},
		"both have ended":           {Running, at(Ended, nil), at(Ended, nil), Ended, "-"},
		"the first was stopped":     {Running, at(Ended, stopped), at(Ended, nil), Ended, flow.ErrStopped.Error()},
		"the second was stopped":    {Running, at(Ended, nil), at(Ended, stopped), Ended, flow.ErrStopped.Error()},
		"stopped too early":         {Gathering, at(Ready, nil), at(Ended, stopped), Ended, "it was stopped before the run began"},
		"one failed":                {Running, at(Running, nil), at(Ended, func(m *member) { m.Error = "no ink" }), Ended, "no ink"},
		"a failure is told at once": {Running, at(Running, func(m *member) { m.Error = "not yet" }), at(Running, nil), Running, "-"},
		"one is silent":             {Running, at(Running, nil), at(Running, silent), Ended, "it has not reported for 10s; its last message: ouch"},
		"silent after its end":      {Running, at(Running, nil), at(Ended, silent), Running, "-"},
		"another program":           {Gathering, at(Ready, nil), at(Ready, func(m *member) { m.Version = "2" }), Ended, "its program has version `2`, but the run has version `1`"},
		"another pipeline":          {Gathering, at(Ready, nil), at(Ready, func(m *member) { m.Hash = "x" }), Ended, "its pipeline differs from the pipeline of site `a`"},
	} {
		coordinator := &Coordinator{
			options: CoordinatorOptions{Version: "1", Ticket: &Ticket{}, Sites: []string{"a", "b"}}, limits: Limits{}.filled(), nc: nc,
			done: make(chan struct{}), sites: map[string]*member{}, order: Order{Phase: c.before}, begun: now,
		}
		for site, m := range map[string]*member{"a": c.a, "b": c.b} {
			if m != nil {
				m.Site = site
				coordinator.sites[site] = m
			}
		}
		coordinator.judge()
		if coordinator.order.Phase != c.after {
			t.Errorf("%s: the run is %v, want %v", name, coordinator.order.Phase, c.after)
		}
		if err := coordinator.err; (err == nil) != (c.want == "-") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the run ends with %v, want %s", name, err, c.want)
		}
	}
	late := &Coordinator{
		options: CoordinatorOptions{Version: "1", Ticket: &Ticket{}, Sites: []string{"a", "b", "c"}}, limits: Limits{}.filled(), nc: nc, done: make(chan struct{}),
		sites: map[string]*member{"a": at(Ready, nil), "b": at(Gathering, nil)}, order: Order{Phase: Gathering}, begun: long,
	}
	late.judge()
	var f *Failure
	if !errors.As(late.err, &f) || f.Cause != "the run did not begin within 1m0s: these sites are missing: `b`, `c`" {
		t.Errorf("a run that does not begin ends with %v", late.err)
	}
}

// waits is a process that waits for another site until the run ends.
type waits struct{}

func (waits) Setup(*flow.Setup) error { return nil }
func (waits) Step(s pipe.Step) error {
	s.Rest()
	return nil
}

// TestStandstillIsReported: a site that stands still reports it once before its next report is due;
// any other site waits until then.
func TestStandstillIsReported(t *testing.T) {
	server, err := Serve(ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	nc, hears := Dial(t, &server.Ticket), Dial(t, &server.Ticket)
	reports, err := hears.SubscribeSync(prefix(server.Ticket.Run) + "report")
	if err != nil {
		t.Fatal(err)
	}
	if err := hears.Flush(); err != nil {
		t.Fatal(err)
	}
	p := flow.New(pipe.NewRegistry(&pipe.Type{Name: "waits", New: func() pipe.Process { return waits{} }}))
	p.AddProcess("w", "waits", nil)
	run, err := p.Start(t.Context(), flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Wait()
	defer run.Abort()
	golden.Until(t, "the run is still", run.Still)
	s := &Site{options: SiteOptions{Ticket: &server.Ticket}, nc: nc, link: &link{}, run: run, reported: time.Now().Add(time.Hour)}
	published := func() int {
		s.publish(false)
		if err := errors.Join(nc.Flush(), hears.Flush()); err != nil {
			t.Fatal(err)
		}
		n, _, err := reports.Pending()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	s.report.Phase = Ready
	if n := published(); n != 0 {
		t.Errorf("%d reports before the run", n)
	}
	s.report.Phase = Running
	for range 3 {
		s.reported = time.Now().Add(time.Hour) // no report is due
		if n := published(); n != 1 {
			t.Errorf("%d reports of a standstill, want 1", n)
		}
	}
}
