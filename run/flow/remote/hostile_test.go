package remote

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestHostile: a message with a wrong length, form or number ends the edge with an error that names
// the edge.
func TestHostile(t *testing.T) {
	need.Rounds(t, 1, func(t *testing.T, _ int) { sendHostile(t) })
}

func sendHostile(t *testing.T) {
	server, err := Serve(ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	batch := func(m message, body ...byte) []byte { return m.seal(append(head(nil), body...)) }
	for _, c := range []struct {
		what string // data or ack
		buf  []byte
		want string
	}{
		{"data", nil, "a message is too short"},
		{"data", batch(message{form: 9}), "unknown form 9 of a message"},
		{"data", batch(message{form: formBatch, count: 1 << 30}), "a message of 1073741824 data is too large"},
		{"data", batch(message{form: formBatch, count: 2}, 'q', 1), "it ends too early"},
		{"data", batch(message{form: formBatch, count: 1}, 'q', 0, 0, 0, 0, 0, 0, 0, 0, 5), "unknown form 5 of stamps"},
		{"data", batch(message{form: formBatch, count: 1}, 'q', 0, 0, 0, 0, 0, 0, 0, 0, 0), "the stamps of a message have the wrong length"},
		{"data", batch(message{form: formBatch, count: 1, first: 4}), "got datum 4, want datum 0"},
		{"data", batch(message{form: formBatch, number: 1 << 60}), "got message 1152921504606846976, want message 0"},
		{"data", batch(message{form: formBatch, flags: flagCompressed, count: 1}, 1, 2, 3), "a compressed message is damaged"},
		{"data", batch(message{form: formBatch, flags: flagCompressed, count: 1}, pack(make([]byte, messageBytes+1))...), "a compressed message holds more than 4194304 bytes"},
		{"data", batch(message{form: formPart, count: 1}, make([]byte, 17)...), "the parts of a value are larger than it"},
		{"data", batch(message{form: formPart, count: 1, flags: flagLast}, 0, 0, 0, 0, 0, 0, 0, 0, 1), "a message is too short"},
		{"ack", []byte("x"), "an acknowledgement has the wrong length"},
		{"ack", ack{0, 2, 1}.append(nil), "an acknowledgement takes more than it received"},
		{"ack", ack{0, 5, 9}.append(nil), "an acknowledgement is for messages that were not sent"},
	} {
		p := silentPair()
		plan, _ := pipe.Resolve(&p.Graph, p.Registry)
		ticket := server.Ticket
		ticket.Run = rand.Text()
		limits := Limits{Beat: 2 * time.Millisecond}
		co, err := Coordinate(CoordinatorOptions{Ticket: &ticket, Sites: plan.Sites(), Limits: limits})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 2)
		began := make(chan struct{}, 2)
		for _, name := range plan.Sites() {
			site, err := Join(SiteOptions{Name: name, Ticket: &ticket, Limits: limits}, plan)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				run, err := flow.Start(context.Background(), plan, nil, site.Prepare(flow.Options{}))
				began <- struct{}{}
				if err == nil {
					site.Follow(run)
					err = run.Wait()
				}
				ended <- site.End(err)
			}()
		}
		<-began
		<-began
		to := map[string]string{"data": "b", "ack": "a"}[c.what]
		if err := co.nc.Publish(prefix(ticket.Run)+c.what+"."+to+".0", c.buf); err != nil {
			t.Fatal(err)
		}
		err = co.Wait()
		if err == nil || !strings.HasPrefix(err.Error(), "site `"+to+"`: process `from.out → to.in` (edge between sites) failed") || !strings.HasSuffix(err.Error(), ": "+c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		<-ended
		<-ended
		co.Close()
	}
}

// silentPair returns a producer that sends nothing until it is stopped, and a consumer on another
// site.
func silentPair() *flow.Pipeline {
	p := flow.New(pipe.NewRegistry(
		&pipe.Type{Name: "source", Out: []pipe.Port{{Name: "out", Type: "any"}}, New: func() pipe.Process { return waiter{} }},
		&pipe.Type{Name: "sink", In: []pipe.Port{{Name: "in", Type: "any", Flags: pipe.Required}}, New: func() pipe.Process { return waiter{} }}))
	p.AddProcess("from", "source", pipe.Set(pipe.SiteKey, "a"))
	p.AddProcess("to", "sink", pipe.Set(pipe.SiteKey, "b"))
	p.Connect("from.out", "to.in")
	return p
}

type waiter struct{}

func (waiter) Step(s pipe.Step) error {
	s.Await(func(ctx context.Context) { <-ctx.Done() })
	return nil
}

// FuzzReceive: whatever arrives, a receiver does not panic and keeps no more than its window.
func FuzzReceive(f *testing.F) {
	m := message{form: formBatch, count: 1}
	f.Add(m.seal(append(head(nil), 'q', 1, 0, 0, 0, 0, 0, 0, 0, 0)))
	m = message{form: formPart, count: 1, flags: flagLast}
	f.Add(m.seal(append(head(nil), make([]byte, 20)...)))
	f.Fuzz(func(t *testing.T, buf []byte) {
		r := &receiver{send: func([]byte) {}, window: window{4, 1 << 10}, limit: 1 << 10}
		for range 3 {
			r.arrived(buf)
		}
		if r.bytes > 2<<10 {
			t.Fatalf("%d bytes are held, want at most %v", r.bytes, 2<<10)
		}
		if m, err := parseMessage(buf); err == nil {
			_, _, _ = m.readBatch(nil)
			_, _ = assemble(m.body, m.flags)
		}
		s := &sender{send: func([]byte) {}}
		s.acked(buf)
	})
}
