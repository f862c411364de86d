package remote

import (
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestLink: the data of an edge in flight are limited by its capacity, or by a fixed number if it
// is unlimited; a site that cannot listen returns an error.
func TestLink(t *testing.T) {
	server, err := Serve(ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	nc := Dial(t, &server.Ticket)
	for capacity, want := range map[string]int{"7": 7, "0": openWindow} {
		p := flow.New(catalog.Standard())
		p.AddProcess("n", "numbers", pipe.Set(pipe.SiteKey, "a"))
		p.AddProcess("s", "sink", pipe.Set(pipe.SiteKey, "b"))
		p.Connect("n.number", "s.sink")
		if q := p.Graph.Edges.Set("_edge:capacity", capacity, source.Span{}); q != nil {
			t.Fatalf("%v; want none", q)
		}
		plan, found := pipe.Resolve(&p.Graph, p.Registry)
		if len(found) > 0 {
			t.Fatalf("%v; want at most 0", found[0])
		}
		sent, taken := newLink(nc, "r", plan, "a").senders[0], newLink(nc, "r", plan, "b").receivers[0]
		if sent == nil || taken == nil || sent.window.data != want || taken.window.data != want {
			t.Errorf("capacity %s: %+v, %+v, want a window of %d", capacity, sent, taken, want)
		}
	}
	nc.Close()
	if err := (&link{nc: nc, site: "a"}).listen("data", func(int, []byte) {}); err == nil {
		t.Error("a site listens without a server")
	}
}
