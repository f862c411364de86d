package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/remote"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A fake is a process made of functions.
type fake struct {
	setup func(*flow.Setup) error
	step  func(pipe.Step) error
}

func (f *fake) Setup(s *flow.Setup) error {
	if f.setup != nil {
		return f.setup(s)
	}
	return nil
}
func (f *fake) Step(s pipe.Step) error { return f.step(s) }

// source returns a type that pushes what next returns until next returns false.
func source(next func(i int) (flow.Datum, bool)) *pipe.Type {
	return &pipe.Type{Name: "source", Out: []pipe.Port{{Name: "out", Type: "any", Flags: pipe.Required}}, New: func() pipe.Process {
		var out *flow.Out
		i := 0
		return &fake{
			setup: func(s *flow.Setup) error { out = s.Out("out"); return nil },
			step: func(s pipe.Step) error {
				d, ok := next(i)
				if i++; !ok {
					s.Complete()
					return nil
				}
				out.Push(d)
				return nil
			},
		}
	}}
}

// sink returns a type that calls got with each datum, including flush and complete, until got
// returns false.
func sink(got func(flow.Datum, flow.Stamp) bool) *pipe.Type {
	return &pipe.Type{Name: "sink", Level: pipe.CheckNone, In: []pipe.Port{{Name: "in", Type: "any", Flags: pipe.Required}}, New: func() pipe.Process {
		var in *flow.In
		return &fake{
			setup: func(s *flow.Setup) error { in = s.In("in"); return nil },
			step: func(s pipe.Step) error {
				d, stamp := in.TakeStamped()
				if d.Kind() == flow.CompleteKind || !got(d, stamp) {
					s.Complete()
				}
				return nil
			},
		}
	}}
}

// pair returns a pipeline with a source on site a and a sink on site b.
func pair(source, sink *pipe.Type, edge ...pipe.EdgeOptions) *flow.Pipeline {
	p := flow.New(pipe.NewRegistry(source, sink))
	p.AddProcess("from", source.Name, pipe.Set(pipe.SiteKey, "a"))
	p.AddProcess("to", sink.Name, pipe.Set(pipe.SiteKey, "b"))
	p.Connect("from.out", "to.in", edge...)
	return p
}

func listed(list []flow.Datum) *pipe.Type {
	return source(func(i int) (flow.Datum, bool) {
		if i == len(list) {
			return flow.Datum{}, false
		}
		return list[i], true
	})
}

// TestEverythingTravels checks that values of all kinds, control data and stamps arrive unchanged
// and in order, with any capacity and with compression.
func TestEverythingTravels(t *testing.T) {
	server := serve(t)
	large := &tensor.Tensor{Kind: tensor.Uint8, Shape: []int{9 << 20}, Data: bytes.Repeat([]byte{1, 2, 3}, 3<<20)}
	list := []flow.Datum{
		flow.OfInt(1), flow.OfInt(2), flow.OfInt(3), flow.OfFloat(0.5), flow.OfText("ä"), flow.OfEmpty(), flow.OfError("why"),
		flow.OfFlush(), flow.OfInt(-4), flow.Of([]byte("bytes")), flow.Of(true), flow.Of([]any{int64(1), "x"}),
		flow.Of(map[string]any{"a": 1.5}), flow.Of(large), flow.OfInt(5), flow.Of(large), flow.OfText(strings.Repeat("z", 300<<10)),
	}
	for range 500 {
		list = append(list, flow.OfInt(7))
	}
	yes := true
	for _, o := range []pipe.EdgeOptions{pipe.Capacity(1), pipe.Capacity(40), pipe.Capacity(0), {Compress: &yes}} {
		var got []flow.Datum
		var stamps []flow.Stamp
		p := pair(listed(list), sink(func(d flow.Datum, s flow.Stamp) bool {
			got, stamps = append(got, d), append(stamps, s)
			return true
		}), o)
		if r := together(t, server, p, flow.Options{}, quick); r.err != nil {
			t.Fatal(r.err)
		}
		if len(got) != len(list) {
			t.Fatalf("%d data of %d arrived, want %v", len(got), len(list), len(list))
		}
		for i := range list {
			if got[i].Kind() != list[i].Kind() || got[i].Why() != list[i].Why() || !reflect.DeepEqual(got[i].Value(), list[i].Value()) || stamps[i] != flow.Stamp(i) {
				t.Fatalf("datum %d: %v at %d; want %v at %d, with the same reason and value", i, got[i].Kind(), stamps[i], list[i].Kind(), i)
			}
		}
	}
}

// TestBackPressure checks that a waiting consumer makes its producer wait, and that the data in
// between are limited in number and in bytes, even if the edge is unlimited.
func TestBackPressure(t *testing.T) {
	need.Slow(t)
	server := serve(t)
	for _, c := range []struct {
		capacity, size, most int
	}{{10, 8, 3*10 + 1}, {40, 4 << 20, 3*40 + 1}, {1, 8, 3 + 1}} {
		var made atomic.Int64
		release := make(chan struct{})
		value := flow.Of(make([]byte, c.size))
		p := pair(
			source(func(i int) (flow.Datum, bool) { made.Store(int64(i)); return value, i < c.most+10 }),
			&pipe.Type{Name: "sink", In: []pipe.Port{{Name: "in", Type: "any", Flags: pipe.Required}}, New: func() pipe.Process {
				var in *flow.In
				return &fake{
					setup: func(s *flow.Setup) error { in = s.In("in"); return nil },
					step: func(s pipe.Step) error {
						s.Await(func(ctx context.Context) {
							select {
							case <-release:
							case <-ctx.Done():
							}
						})
						if n := made.Load(); n > int64(c.most) {
							return fmt.Errorf("%d data were made", n)
						}
						in.Take()
						s.Complete()
						return nil
					},
				}
			}}, pipe.Capacity(c.capacity))
		time.AfterFunc(300*time.Millisecond, func() { close(release) })
		if r := together(t, server, p, flow.Options{}, quick); r.err != nil {
			t.Errorf("capacity %d: %v", c.capacity, r.err)
		}
	}
}

// TestDrops checks that an edge that does not block drops data at the producer, and that the counts
// are consistent.
func TestDrops(t *testing.T) {
	const n = 20000
	p := pair(source(func(i int) (flow.Datum, bool) { return flow.OfInt(int64(i)), i < n }),
		sink(func(flow.Datum, flow.Stamp) bool {
			time.Sleep(10 * time.Microsecond) // to be slower than its producer
			return true
		}))
	p.Graph.Processes[1].Config[pipe.NonBlockingKey] = pipe.Setting{Value: "5"}
	r := together(t, serve(t), p, flow.Options{}, quick)
	if r.err != nil {
		t.Fatal(r.err)
	}
	if e := r.stats.Edges[0]; e.Pushed != n || e.Dropped == 0 || e.Taken+e.Dropped != n || e.Left != 0 {
		t.Errorf("%+v, want e.Pushed = %v, e.Dropped other than 0, e.Taken + e.Dropped = %v and e.Left = 0", e, n, n)
	}
}

// TestConsumerEnds checks that an endless producer ends when its consumer on another site takes no
// more data.
func TestConsumerEnds(t *testing.T) {
	for _, capacity := range []int{1, 40, 0} {
		n := 0
		p := pair(source(func(i int) (flow.Datum, bool) { return flow.OfInt(int64(i)), true }),
			sink(func(flow.Datum, flow.Stamp) bool { n++; return n < 100 }), pipe.Capacity(capacity))
		if r := together(t, serve(t), p, flow.Options{}, quick); r.err != nil || n != 100 {
			t.Errorf("%d data, %v", n, r.err)
		}
	}
}

// TestFirstCause checks that a failure on one site ends all sites. The failed site returns the
// original error, and the errors of the others name that site.
func TestFirstCause(t *testing.T) {
	p := pair(source(func(i int) (flow.Datum, bool) { return flow.OfInt(int64(i)), true }),
		sink(func(d flow.Datum, _ flow.Stamp) bool { d.Text(); return d.Int() < 10 || flow.OfText("x").Int() > 0 }))
	r := together(t, serve(t), p, flow.Options{}, quick)
	const want = "process `to` (sink) failed in step 11: got a string where a whole number was expected"
	if f := r.failure(); f == nil || f.Site != "b" || f.Cause != want {
		t.Errorf("%v", r.err)
	}
	if err := r.sites["b"]; err == nil || err.Error() != want {
		t.Errorf("site b: %v", err)
	}
	if err := r.sites["a"]; err == nil || err.Error() != "site `b`: "+want {
		t.Errorf("site a: %v", err)
	}
}

// TestNoForm checks that the error for a value that cannot be sent to another site names the edge.
func TestNoForm(t *testing.T) {
	p := pair(listed([]flow.Datum{flow.Of(make(chan int))}), sink(func(flow.Datum, flow.Stamp) bool { return true }))
	r := together(t, serve(t), p, flow.Options{}, quick)
	if r.err == nil || !strings.Contains(r.err.Error(), "site `a`: process `from.out → to.in` (edge between sites) failed") ||
		!strings.Contains(r.err.Error(), "a value of this type has no binary form") {
		t.Errorf("%v", r.err)
	}
}

// TestSetupFails checks that nothing runs on any site if the setup of one site fails.
func TestSetupFails(t *testing.T) {
	ran := false
	bad := sink(nil)
	bad.New = func() pipe.Process {
		return &fake{setup: func(s *flow.Setup) error { return errors.New("the device is away") }, step: func(pipe.Step) error { return nil }}
	}
	p := pair(source(func(int) (flow.Datum, bool) { ran = true; return flow.Datum{}, false }), bad)
	r := together(t, serve(t), p, flow.Options{}, quick)
	if f := r.failure(); f == nil || f.Site != "b" || !strings.Contains(f.Cause, "the device is away") || ran {
		t.Errorf("%v, ran: %v", r.err, ran)
	}
}

// TestDeadlock checks that sites which wait for each other end with an error that lists which
// process waits for which.
func TestDeadlock(t *testing.T) {
	reg := pipe.NewRegistry(
		source(func(i int) (flow.Datum, bool) { return flow.OfInt(int64(i)), i < 3 }),
		&pipe.Type{
			Name: "twice", Level: pipe.CheckNone,
			In:  []pipe.Port{{Name: "in", Type: "any", Flags: pipe.Required}, {Name: "back", Type: "any", Flags: pipe.NoDep}},
			Out: []pipe.Port{{Name: "out", Type: "any"}},
			New: func() pipe.Process {
				var in, back *flow.In
				return &fake{
					setup: func(s *flow.Setup) error { in, back = s.In("in"), s.In("back"); return nil },
					step:  func(pipe.Step) error { back.Take(); in.Take(); return nil },
				}
			},
		},
		&pipe.Type{
			Name: "echo", In: []pipe.Port{{Name: "in", Type: "any", Flags: pipe.Required}}, Out: []pipe.Port{{Name: "out", Type: "any"}},
			New: func() pipe.Process { return &fake{step: func(pipe.Step) error { return nil }} },
		})
	p := flow.New(reg)
	p.AddProcess("from", "source", pipe.Set(pipe.SiteKey, "a"))
	p.AddProcess("join", "twice", pipe.Set(pipe.SiteKey, "b"))
	p.AddProcess("echo", "echo", pipe.Set(pipe.SiteKey, "c"))
	p.Connect("from.out", "join.in")
	p.Connect("join.out", "echo.in")
	p.Connect("echo.out", "join.back")
	r := together(t, serve(t), p, flow.Options{}, quick)
	if r.err == nil || !strings.HasPrefix(r.err.Error(), "every process waits for data that no process will send: ") ||
		!strings.Contains(r.err.Error(), "`join` waits at port `back` for `echo`") || !strings.Contains(r.err.Error(), "`echo` waits at port `in` for `join`") {
		t.Errorf("%v", r.err)
	}
}

// TestAgreement checks that a run does not begin if a site is missing or has another version or
// another file, and that the error names the site.
func TestAgreement(t *testing.T) {
	server := serve(t)
	p := pair(listed(nil), sink(func(flow.Datum, flow.Stamp) bool { return true }))
	other := pair(listed(nil), sink(func(flow.Datum, flow.Stamp) bool { return true }), pipe.Capacity(7))
	begin := func(limits remote.Limits, name, version string, pipeline *flow.Pipeline) error {
		ticket := ticket(server)
		co, err := remote.Coordinate(remote.CoordinatorOptions{Version: "1", Ticket: ticket, Sites: []string{"a", "b"}, Limits: limits})
		if err != nil {
			t.Fatal(err)
		}
		defer co.Close()
		var over sync.WaitGroup
		defer over.Wait()
		site := func(name, version string, p *flow.Pipeline) {
			over.Go(func() {
				_ = runSite(remote.SiteOptions{Name: name, Version: version, Ticket: ticket, Limits: limits}, p, flow.Options{}) // the coordinator reports the error
			})
		}
		site("a", "1", p)
		if name != "" {
			site(name, version, pipeline)
		}
		return co.Wait()
	}
	for _, c := range []struct {
		version  string
		pipeline *flow.Pipeline
		want     string
	}{
		{"2", p, "site `b`: its program has version `2`, but the run has version `1`: install the same version on all machines"},
		{"1", other, "site `b`: its pipeline differs from the pipeline of site `a`: give all sites the same file and settings"},
	} {
		if err := begin(quick, "b", c.version, c.pipeline); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	limits := quick
	for limits.Start = 300 * time.Millisecond; ; limits.Start *= 2 { // until site `a` has had time to connect
		err := begin(limits, "", "", nil)
		if want := fmt.Sprintf("the run did not begin within %v: these sites are missing: `b`", limits.Start); err != nil && strings.HasPrefix(err.Error(), want) {
			break
		} else if limits.Start > golden.Patience {
			t.Fatalf("%v, want %s", err, want)
		}
	}
}

// TestLatecomer checks that a program is refused if its site is taken or does not exist, and that a
// second coordinator is refused. The run continues.
func TestLatecomer(t *testing.T) {
	server := serve(t)
	const n = 3000
	gate := make(chan struct{})
	var got atomic.Int64
	taken := func(flow.Datum, flow.Stamp) bool {
		if got.Add(1) == 10 {
			<-gate
		}
		return true
	}
	var data []flow.Datum
	for i := range n {
		data = append(data, flow.OfInt(int64(i)))
	}
	p := pair(listed(data), sink(taken))
	other := pair(listed(data), sink(taken), pipe.Capacity(7))
	ticket := ticket(server)
	options := remote.CoordinatorOptions{Version: "1", Ticket: ticket, Sites: []string{"a", "b"}, Limits: quick}
	co, err := remote.Coordinate(options)
	if err != nil {
		t.Fatal(err)
	}
	defer co.Close()
	refused := func(name string, p *flow.Pipeline, want string) {
		t.Helper()
		err := runSite(remote.SiteOptions{Name: name, Version: "2", Ticket: ticket, Limits: quick}, p, flow.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	ended := make(chan error, 2)
	site := func(name string) {
		ended <- runSite(remote.SiteOptions{Name: name, Version: "1", Ticket: ticket, Limits: quick}, p, flow.Options{})
	}
	go site("a")
	golden.Until(t, "site a is there", func() bool { return co.Stats().Sites[0].State != "missing" })
	refused("a", p, "site `a`: the run `"+ticket.Run+"` already has a program for this site, on `")
	go site("b")
	golden.Until(t, "data flow", func() bool { return got.Load() >= 10 })
	for _, name := range []string{"a", "b"} {
		for _, p := range []*flow.Pipeline{p, other} {
			refused(name, p, "site `"+name+"`: the run `"+ticket.Run+"` already has a program for this site, on `")
		}
	}
	refused("c", p, "site `c`: the pipeline of the run `"+ticket.Run+"` has no such site; its sites are a, b")
	if _, err := remote.Coordinate(options); err == nil || !strings.HasPrefix(err.Error(), "a run `"+ticket.Run+"`, coordinated on `") {
		t.Errorf("a second coordinator: %v", err)
	}
	close(gate)
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if err := co.Wait(); err != nil || got.Load() != n {
		t.Errorf("the run ends with %v after %d data", err, got.Load())
	}
}

// TestKey checks that a client without the run's key cannot connect, and that a client does not
// accept a server other than the run's.
func TestKey(t *testing.T) {
	server, other := serve(t), serve(t)
	for name, change := range map[string]func(*remote.Ticket){
		"no key":        func(t *remote.Ticket) { t.Seed = nil },
		"another key":   func(t *remote.Ticket) { t.Seed = other.Ticket.Seed },
		"another run's": func(t *remote.Ticket) { t.URL = other.Ticket.URL },
	} {
		ticket := server.Ticket
		change(&ticket)
		_, err := remote.Coordinate(remote.CoordinatorOptions{Ticket: &ticket, Sites: []string{"a"}, Limits: quick})
		if err == nil {
			t.Errorf("%s: let in, want one", name)
		}
	}
	if nc, err := nats.Connect(strings.Replace(server.Ticket.URL, "tls:", "nats:", 1), nats.Timeout(5*time.Second)); err == nil {
		nc.Close()
		t.Error("let in without TLS")
	}
	back, err := remote.ParseTicket(server.Ticket.String())
	if err != nil || !reflect.DeepEqual(*back, server.Ticket) {
		t.Errorf("%v", err)
	}
	if _, err := remote.ParseTicket("nonsense"); err == nil {
		t.Error("a damaged ticket was read")
	}
}
