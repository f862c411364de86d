package remote

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Left counts what is connected to a server, and what that listens to.
func (s *Server) Left() (clients int, subscriptions uint32) {
	return s.nats.NumClients(), s.nats.NumSubscriptions()
}

// Dropped are the clients that a server has dropped because they were slow, each with why.
func (s *Server) Dropped() (list []string) {
	closed, err := s.nats.Connz(&server.ConnzOptions{State: server.ConnClosed})
	if err != nil {
		return []string{err.Error()}
	}
	for _, c := range closed.Conns {
		if strings.HasPrefix(c.Reason, "Slow Consumer") {
			list = append(list, c.Name+": "+c.Reason)
		}
	}
	return list
}

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
