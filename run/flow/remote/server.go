package remote

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/nats-io/nkeys"

	"github.com/pentode-dev/pentode/run/flow/remote/internal/broker"
)

// A Server is a message broker inside this program. It serves one run; only clients with the
// run's ticket can connect.
type Server struct {
	Ticket Ticket
	broker *broker.Broker
}

// ServerOptions configure a server.
type ServerOptions struct {
	Run       string // name of the run; empty: a new name is made
	Host      string // address on which the server listens; empty: only reachable from this machine
	Advertise string // host name for sites on other machines; empty: Host
}

// messageBytes is the maximum size of a message that our server accepts.
const messageBytes = 4 << 20

// Serve starts a server.
func Serve(o ServerOptions) (*Server, error) {
	cert, err := certificate()
	if err != nil {
		return nil, fmt.Errorf("the run's certificate cannot be made: %w", err)
	}
	user, err := nkeys.CreateUser()
	if err != nil {
		return nil, fmt.Errorf("the run's key cannot be made: %w", err)
	}
	public, _ := user.PublicKey() // cannot fail: the key was just made
	seed, _ := user.Seed()
	host := cmp.Or(o.Host, "127.0.0.1")
	b, err := broker.Listen(broker.Options{
		Host: host, Key: public, MaxPayload: messageBytes + headSize,
		TLS: &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}},
	})
	if err != nil {
		if failed := (*net.OpError)(nil); errors.As(err, &failed) {
			err = failed.Err // the message below repeats the other parts of failed
		}
		return nil, fmt.Errorf("the server of the run cannot listen on `%s`, which must be an address of this machine: %w", host, err)
	}
	return &Server{broker: b, Ticket: Ticket{
		Run: cmp.Or(o.Run, rand.Text()), Cert: cert.Certificate[0], Seed: seed,
		URL: "tls://" + net.JoinHostPort(cmp.Or(o.Advertise, host), strconv.Itoa(b.Port())),
	}}, nil
}

// Here returns a ticket for sites on this machine.
func (s *Server) Here() *Ticket {
	t := s.Ticket
	t.URL = "tls://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(s.broker.Port()))
	return &t
}

// Close ends the server.
func (s *Server) Close() { s.broker.Close() }
