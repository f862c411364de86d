package remote

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Left returns the number of clients connected to a server and of its subscriptions.
func (s *Server) Left() (clients, subscriptions int) { return s.broker.Left() }

// Dropped lists the clients that a server dropped because they were slow, with the reasons.
func (s *Server) Dropped() []string { return s.broker.Dropped() }

// SetClock makes a client whose clock is wrong by off.
func (t *Ticket) SetClock(off time.Duration) nats.Option {
	config := t.tls()
	config.Time = func() time.Time { return time.Now().Add(off) }
	return nats.Secure(config)
}

// Dial connects a plain client with a ticket.
func Dial(t testing.TB, ticket *Ticket, more ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := connect(ticket, "test", 10*time.Second, more...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}
