package remote_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/remote"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(serverVariable); text != "" {
		beServer(text)
		return
	}
	golden.Main(m)
}

// quick are limits for sites that are all in this process.
var quick = remote.Limits{Beat: 2 * time.Millisecond, Start: 30 * time.Second, Lost: 30 * time.Second}

// serve starts a server, and checks at the end of the test that no client is left.
func serve(t testing.TB) *remote.Server {
	t.Helper()
	s, err := remote.Serve(remote.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, own := s.Left()
	t.Cleanup(func() {
		defer s.Close()
		golden.Until(t, "neither clients nor subscriptions are left on the server", func() bool {
			clients, subscriptions := s.Left()
			return clients == 0 && subscriptions == own
		})
	})
	return s
}

// ticket returns a ticket for a new run on a server.
func ticket(s *remote.Server) *remote.Ticket {
	t := s.Ticket
	t.Run = rand.Text()
	return &t
}

// A result is how a run on several sites in this process ended.
type result struct {
	err   error            // error of the coordinator
	sites map[string]error // error of each site
	stats flow.Stats
}

// together runs all sites of a pipeline in this process.
func together(t testing.TB, s *remote.Server, p *flow.Pipeline, opt flow.Options, limits remote.Limits) result {
	t.Helper()
	plan, problems := pipe.Resolve(&p.Graph, p.Registry.Running())
	if problems.HasErrors() {
		t.Fatalf("%v; want no errors", problems)
	}
	ticket := ticket(s)
	c, err := remote.Coordinate(remote.CoordinatorOptions{Version: "1", Ticket: ticket, Sites: plan.Sites(), Plan: plan, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := result{sites: map[string]error{}}
	var mu sync.Mutex
	var over sync.WaitGroup
	for _, name := range plan.Sites() {
		over.Go(func() {
			err := runSite(remote.SiteOptions{Name: name, Version: "1", Ticket: ticket, Limits: limits}, p, opt)
			mu.Lock()
			r.sites[name] = err
			mu.Unlock()
		})
	}
	ended := make(chan struct{})
	go func() { over.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(5 * time.Minute):
		t.Errorf("it hangs: %+v", c.Stats())
		c.Fail("", "it hangs")
		<-ended
	}
	r.err, r.stats = c.Wait(), c.Stats()
	return r
}

// runSite runs one site of a pipeline.
func runSite(o remote.SiteOptions, p *flow.Pipeline, opt flow.Options) error {
	plan, problems := pipe.Resolve(&p.Graph, p.Registry.Running())
	if problems.HasErrors() {
		return problems
	}
	site, err := remote.Join(o, plan)
	if err != nil {
		return err
	}
	run, err := flow.Start(context.Background(), plan, problems, site.Prepare(opt))
	if err == nil {
		site.Follow(run)
		err = run.Wait()
	}
	return site.End(err)
}

func (r *result) failure() *remote.Failure {
	var f *remote.Failure
	errors.As(r.err, &f)
	return f
}
