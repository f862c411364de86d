package remote

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Dial connects a plain client with a ticket.
func Dial(t testing.TB, ticket *Ticket) *nats.Conn {
	t.Helper()
	nc, err := connect(ticket, "test", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}
