package remote

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Left counts what is connected to a server, and what that listens to.
func (s *Server) Left() (clients, subscriptions int) { return s.broker.Left() }

// Dropped are the clients that a server has dropped because they were slow, each with why.
func (s *Server) Dropped() []string { return s.broker.Dropped() }

// SetClock makes the ticket's holder one whose clock is wrong.
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
